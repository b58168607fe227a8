import CSQLite
public import CallState

/// What is in the file of a store, and what is wrong with it.
public struct StoreCheck: Sendable {
    /// A call.
    public struct Call: Sendable {
        /// Its id.
        public var session: ByteString
        /// Where it is in its history.
        public var position: Position
        /// Whether nothing that a relay has shown is missing.
        public var isClean: Bool
        /// People in it.
        public var people: Int
        /// Their devices.
        public var devices: Int
        /// Live records, the call and its policy included.
        public var records: Int
        /// Records and entries that are remembered because they are gone.
        public var tombstones: Int
        /// Values that are private to the relay.
        public var privates: Int
        /// Bytes of all that.
        public var bytes: Int
    }

    /// The file, as it was named.
    public var path: String
    /// The version of its tables.
    public var version: UInt32 = Schema.version
    /// The highest epoch that was given.
    public var lastEpoch: UInt64 = 0
    /// The calls that could be read, by their ids.
    public var calls: [Call] = []
    /// Meetings whose attendance is kept.
    public var meetings = 0
    /// Events of attendance.
    public var events = 0
    /// Whether the file is empty, so that a relay begins a new store in it.
    public var isNew = false
    /// What is wrong; empty when nothing is.
    public var faults: [String] = []

    /// Whether a relay can go on with it.
    public var isSound: Bool { faults.isEmpty }

    /// Finds what is wrong with a call that could be read; nil is nothing.
    public typealias Judge = (_ session: ByteString, _ kept: KeptCall) -> KeptError?

    /// Looks at every byte of the file at `path` without writing to it; a relay may be using it meanwhile.
    ///
    /// Throws when it is no file of a store that can be read; what is wrong inside is in ``faults``. An empty file is
    /// one that a relay would use.
    ///
    /// - Parameter judge: Knows what a store does not: what is private to the relay.
    public init(path: String, judge: Judge = { _, _ in nil }) throws(StoreError) {
        let file = try StorePlace.look(path)
        guard let file, file.size > 0 else {
            // An error about the directory of a file that is not there would name the wrong thing.
            if let place = try? StorePlace.realPath(path, isThere: file != nil) {
                try StorePlace.checkNoLog(place, path)
            }
            if file == nil { throw StoreError(.notFound, path, "there is no such file") }
            self.init(named: path)
            isNew = true
            return
        }
        // Its log of changes and its lock are beside the file itself, not beside a link to it.
        let place = try StorePlace.realPath(path, isThere: true)
        try StorePlace.checkHead(place, path)
        // Keeps a relay from starting meanwhile; one that runs is read beside.
        let lock = try? StoreLock(place + "-lock", asReader: true)
        self = try StoreCheck.check(place, named: path, judge: judge)
        lock?.release()
    }

    private init(named path: String) { self.path = path }

    /// The same, of a file whose head was looked at.
    static func check(
        _ place: String,
        named path: String,
        judge: Judge = { _, _ in nil }
    ) throws(StoreError) -> StoreCheck {
        var file = rollcall_store_file()
        // Without a log of changes the file is all there is, and nothing beside it need be touched.
        let isAlone = rollcall_store_look(place + "-wal", 1, &file) == -ENOENT
        do throws(SQLiteError) {
            return check(try Database(path: place, access: isAlone ? .readAlone : .read), named: path, judge: judge)
        } catch {
            throw StoreError(error, path)
        }
    }

    /// The same, of an open database.
    static func check(
        _ database: Database,
        named path: String,
        judge: Judge = { _, _ in nil }
    ) -> StoreCheck {
        var check = StoreCheck(named: path)
        do throws(SQLiteError) {
            // One state of the file, also while a relay writes.
            try database.execute("BEGIN")
            try check.checkPages(database)
            guard check.faults.isEmpty else { return check }
            try check.checkCalls(database, judge)
            try check.checkAttendance(database)
        } catch {
            check.faults.append(error.message)
        }
        return check
    }

    /// Faults that are told at most.
    private static let maximumFaults = 20

    private mutating func checkPages(_ database: Database) throws(SQLiteError) {
        let words = try database.texts("PRAGMA integrity_check(\(Self.maximumFaults))")
        if words != ["ok"] { faults += words }
        // Of another version in the log of changes than in the file: the check of the head has not seen that.
        for (name, expected) in [("application_id", Schema.applicationID), ("user_version", Schema.version)] {
            let found = try database.number("PRAGMA \(name)") ?? 0
            if found != Int64(expected) { faults.append("\(name) is \(found) where \(expected) is expected") }
        }
        let found = Set(try database.texts("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"))
        for statement in Schema.statements where !found.contains(statement) {
            let name = statement.split(separator: " ", maxSplits: 3).dropFirst().prefix(2).joined(separator: " ")
            faults.append("\(name.lowercased()) is missing or not as it was made")
        }
        let triggers = try database.texts("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
        faults += triggers.map { "trigger \($0) is not of this program" }
    }

    private mutating func checkCalls(_ database: Database, _ judge: Judge) throws(SQLiteError) {
        let tables = try CallTables(database)
        lastEpoch = try tables.lastEpoch()
        for (session, entry) in try tables.entries() {
            do throws(SQLiteError) {
                try checkCall(session, try tables.read(session, entry), judge)
            } catch {
                faults.append(error.message)
            }
            if entry.header.position.epoch > lastEpoch {
                faults.append("call \(session): its epoch \(entry.header.position.epoch) was never given")
            }
        }
        for table in ["records", "privates"] {
            let orphans = "SELECT count(*) FROM \(table) WHERE call NOT IN (SELECT call FROM calls)"
            let count = try database.number(orphans) ?? 0
            if count > 0 { faults.append("\(count) rows of \(table) belong to no call") }
        }
    }

    private mutating func checkCall(_ session: ByteString, _ kept: KeptCall, _ judge: Judge) throws(SQLiteError) {
        let state: CallState
        do throws(KeptError) {
            state = try CallState(restoring: kept)
        } catch {
            throw .damaged("call \(session): \(error)")
        }
        if kept.header.isOccupied != (state.peopleCount > 0) {
            throw .damaged("call \(session): whether somebody is in is not told as it is")
        }
        if let fault = judge(session, kept) { throw .damaged("call \(session): \(fault)") }
        let recordBytes = kept.records.values.reduce(0) { $0 + $1.bytes.count }
        let privateBytes = kept.privates.values.reduce(0) { $0 + $1.count }
        calls.append(
            Call(
                session: session,
                position: kept.header.position,
                isClean: kept.header.isClean,
                people: state.peopleCount,
                devices: state.deviceSlots.count,
                records: state.liveRecordCount,
                tombstones: state.tombstoneCount,
                privates: kept.privates.count,
                bytes: recordBytes + privateBytes + kept.header.rules.count
            )
        )
    }

    private mutating func checkAttendance(_ database: Database) throws(SQLiteError) {
        let rows = try AttendanceRows(database)
        var counts: [Int64: Int] = [:]
        try rows.replay { _, meeting in
            counts[meeting.number, default: 0] += 1
            events += 1
        }
        let meetings = try rows.meetings()
        self.meetings = meetings.count
        for (number, meeting) in meetings.sorted(by: { $0.key < $1.key })
        where meeting.events != counts[number] ?? 0 {
            faults.append("meeting \(number) has \(counts[number] ?? 0) events where \(meeting.events) were kept")
        }
    }
}
