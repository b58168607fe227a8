import CSQLite

/// The tables and views of a store, and the marks by which its file is known.
///
/// Sources/CallStore/README.md describes them for people who read them with SQL.
enum Schema {
    /// `Roll` in the header of the file.
    static let applicationID: UInt32 = 0x526F_6C6C
    /// The version of the tables; a later one is not touched.
    static let version: UInt32 = 1

    /// Everything in a new file, in order.
    static let statements = tables + views

    private static let tables = [
        """
        CREATE TABLE store (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            last_epoch INTEGER NOT NULL,
            created_at INTEGER NOT NULL,
            sum INTEGER NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE calls (
            call INTEGER PRIMARY KEY,
            session TEXT NOT NULL UNIQUE,
            epoch INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            floor INTEGER NOT NULL,
            next_slot INTEGER NOT NULL,
            clock INTEGER NOT NULL,
            digest INTEGER,
            occupied INTEGER NOT NULL,
            clean INTEGER NOT NULL,
            history TEXT NOT NULL,
            rules BLOB NOT NULL,
            sum INTEGER NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE records (
            call INTEGER NOT NULL,
            slot INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            sum INTEGER NOT NULL,
            PRIMARY KEY (call, slot)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE privates (
            call INTEGER NOT NULL,
            key INTEGER NOT NULL,
            bytes BLOB NOT NULL,
            sum INTEGER NOT NULL,
            PRIMARY KEY (call, key)
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE meetings (
            meeting INTEGER PRIMARY KEY,
            session TEXT NOT NULL,
            mid TEXT NOT NULL,
            title TEXT,
            started_at INTEGER NOT NULL,
            ended_at INTEGER,
            ended_by INTEGER,
            stays INTEGER NOT NULL,
            events INTEGER NOT NULL,
            left_out INTEGER NOT NULL,
            sum INTEGER NOT NULL
        ) STRICT
        """,
        "CREATE INDEX running_meetings ON meetings (session) WHERE ended_at IS NULL",
        "CREATE INDEX ended_meetings ON meetings (ended_by) WHERE ended_at IS NOT NULL",
        """
        CREATE TABLE attendance_events (
            event INTEGER PRIMARY KEY,
            meeting INTEGER NOT NULL,
            at INTEGER NOT NULL,
            kind TEXT NOT NULL,
            slot INTEGER,
            uid TEXT,
            device TEXT,
            linked INTEGER,
            video_paused INTEGER,
            name TEXT,
            avatar TEXT,
            since INTEGER,
            sum INTEGER NOT NULL
        ) STRICT
        """,
        "CREATE INDEX events_of_meetings ON attendance_events (meeting, slot)",
    ]
}
