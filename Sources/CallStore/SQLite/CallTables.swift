import CallState

/// The rows of calls: the tables `store`, `calls`, `records` and `privates`.
final class CallTables {
    /// What the row of a call tells about its rows in the other tables.
    struct Entry {
        var call: Int64
        var header: KeptHeader
    }

    private let readEpoch: Statement
    private let writeEpoch: Statement
    private let findCall: Statement
    private let listCalls: Statement
    private let writeCall: Statement
    private let deleteCall: Statement
    private let readRecords: Statement
    private let writeRecord: Statement
    private let deleteRecord: Statement
    private let deleteRecords: Statement
    private let readPrivates: Statement
    private let writePrivate: Statement
    private let deletePrivate: Statement
    private let deletePrivates: Statement

    /// Throws when the tables are not there.
    init(_ database: Database) throws(SQLiteError) {
        readEpoch = try database.prepare("SELECT last_epoch, created_at, sum FROM store WHERE id = 1")
        writeEpoch = try database.prepare("UPDATE store SET last_epoch = ?1, sum = ?2 WHERE id = 1")
        let columns = """
            session, epoch, seq, floor, next_slot, clock, digest, occupied, clean, history, rules, sum
            """
        findCall = try database.prepare("SELECT call, \(columns) FROM calls WHERE session = ?1")
        listCalls = try database.prepare("SELECT call, \(columns) FROM calls ORDER BY session")
        writeCall = try database.prepare(
            """
            INSERT INTO calls (\(columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            ON CONFLICT (session) DO UPDATE SET
                epoch = ?2, seq = ?3, floor = ?4, next_slot = ?5, clock = ?6, digest = ?7, occupied = ?8, clean = ?9,
                history = ?10, rules = ?11, sum = ?12
            RETURNING call
            """
        )
        deleteCall = try database.prepare("DELETE FROM calls WHERE call = ?1")
        readRecords = try database.prepare(
            "SELECT slot, bytes, sum FROM records WHERE call = ?1 ORDER BY slot"
        )
        writeRecord = try database.prepare(
            """
            INSERT INTO records (call, slot, bytes, sum) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (call, slot) DO UPDATE SET bytes = ?3, sum = ?4
            """
        )
        deleteRecord = try database.prepare("DELETE FROM records WHERE call = ?1 AND slot = ?2")
        deleteRecords = try database.prepare("DELETE FROM records WHERE call = ?1")
        readPrivates = try database.prepare("SELECT key, bytes, sum FROM privates WHERE call = ?1 ORDER BY key")
        writePrivate = try database.prepare(
            """
            INSERT INTO privates (call, key, bytes, sum) VALUES (?1, ?2, ?3, ?4)
            ON CONFLICT (call, key) DO UPDATE SET bytes = ?3, sum = ?4
            """
        )
        deletePrivate = try database.prepare("DELETE FROM privates WHERE call = ?1 AND key = ?2")
        deletePrivates = try database.prepare("DELETE FROM privates WHERE call = ?1")
    }

    // MARK: Epochs

    /// The highest epoch that was ever given, of any call.
    func lastEpoch() throws(SQLiteError) -> UInt64 { try readStore().lastEpoch }

    /// Notes the highest epoch.
    func setLastEpoch(_ epoch: UInt64) throws(SQLiteError) {
        let createdAt = try readStore().createdAt
        try writeEpoch.run(.number(epoch), .integer(Self.sum(lastEpoch: epoch, createdAt: createdAt)))
    }

    private func readStore() throws(SQLiteError) -> (lastEpoch: UInt64, createdAt: UInt64) {
        try readEpoch.query()
        guard try readEpoch.step() else { throw .damaged("the table store has no row") }
        defer { readEpoch.reset() }
        let (last, created) = (readEpoch.number(0), readEpoch.number(1))
        guard readEpoch.integer(2) == Self.sum(lastEpoch: last, createdAt: created) else {
            throw .damaged("the checksum of the table store is wrong")
        }
        return (last, created)
    }

    /// The checksum of the only row of `store`.
    static func sum(lastEpoch: UInt64, createdAt: UInt64) -> Int64 {
        var sum = RowSum()
        sum.add(lastEpoch)
        sum.add(createdAt)
        return sum.column
    }

    // MARK: Calls

    /// The row of a call; nil when nothing is kept of it.
    func entry(_ session: ByteString) throws(SQLiteError) -> Entry? {
        try findCall.query(.text(session))
        guard try findCall.step() else { return nil }
        defer { findCall.reset() }
        return try entry(in: findCall).entry
    }

    /// The rows of all calls, in order of their session ids.
    func entries() throws(SQLiteError) -> [(session: ByteString, entry: Entry)] {
        try listCalls.query()
        var entries: [(session: ByteString, entry: Entry)] = []
        while try listCalls.step() { entries.append(try entry(in: listCalls)) }
        return entries
    }

    /// The row that a statement stands on.
    private func entry(in row: Statement) throws(SQLiteError) -> (session: ByteString, entry: Entry) {
        let session = row.text(1)
        var header = KeptHeader()
        header.position = Position(epoch: row.number(2), seq: row.number(3))
        header.floor = row.number(4)
        guard let nextSlot = Slot(exactly: row.integer(5)) else {
            throw .damaged("call \(session): \(row.integer(5)) is no slot")
        }
        header.nextSlot = nextSlot
        header.clock = row.number(6)
        header.digest = row.isNull(7) ? nil : UInt64(bitPattern: row.integer(7))
        header.isOccupied = row.integer(8) != 0
        header.isClean = row.integer(9) != 0
        guard let history = HistoryText.positions(row.text(10)) else {
            throw .damaged("call \(session): its history can't be read")
        }
        header.history = history
        header.rules = row.blob(11)
        let call = row.integer(0)
        guard row.integer(12) == Self.sum(session, header) else {
            throw .damaged("call \(session): the checksum of its row is wrong")
        }
        return (session, Entry(call: call, header: header))
    }

    /// Writes the row of a call and gives its number.
    func write(_ session: ByteString, _ header: KeptHeader) throws(SQLiteError) -> Int64 {
        try writeCall.query(
            .text(session),
            .number(header.position.epoch),
            .number(header.position.seq),
            .number(header.floor),
            .number(header.nextSlot),
            .number(header.clock),
            header.digest.map { .integer(Int64(bitPattern: $0)) } ?? .null,
            .flag(header.isOccupied),
            .flag(header.isClean),
            .text(HistoryText.text(header.history)),
            .blob(header.rules),
            .integer(Self.sum(session, header))
        )
        guard try writeCall.step() else { throw .damaged("call \(session): its row has no number") }
        let call = writeCall.integer(0)
        // To its end: only then it is written.
        while try writeCall.step() {}
        return call
    }

    /// Takes a batch in, as ``KeptCall/apply(_:)`` does.
    func apply(_ batch: CallBatch) throws(SQLiteError) {
        let call = try write(batch.session, batch.header)
        for slot in batch.gone { try deleteRecord.run(.integer(call), .number(slot)) }
        for record in batch.records {
            try writeRecord.run(
                .integer(call),
                .number(record.slot),
                .blob(record.bytes),
                .integer(Self.sum(batch.session, record))
            )
        }
        for entry in batch.privates {
            let key = Int64(bitPattern: entry.key)
            guard let bytes = entry.bytes else {
                try deletePrivate.run(.integer(call), .integer(key))
                continue
            }
            let sum = Self.sum(batch.session, entry.key, bytes)
            try writePrivate.run(.integer(call), .integer(key), .blob(bytes), .integer(sum))
        }
    }

    /// Everything that is kept of a call.
    func read(_ session: ByteString, _ entry: Entry) throws(SQLiteError) -> KeptCall {
        // One that is left in the middle would keep the log of changes from being moved.
        defer {
            readRecords.reset()
            readPrivates.reset()
        }
        var kept = KeptCall(header: entry.header)
        try readRecords.query(.integer(entry.call))
        while try readRecords.step() {
            guard let slot = Slot(exactly: readRecords.integer(0)) else {
                throw .damaged("call \(session): \(readRecords.integer(0)) is no slot")
            }
            let record = KeptRecord(slot: slot, bytes: readRecords.blob(1))
            guard readRecords.integer(2) == Self.sum(session, record) else {
                throw .damaged("call \(session): the checksum of record \(slot) is wrong")
            }
            kept.records[slot] = record
        }
        try readPrivates.query(.integer(entry.call))
        while try readPrivates.step() {
            let key = UInt64(bitPattern: readPrivates.integer(0))
            let bytes = readPrivates.blob(1)
            guard readPrivates.integer(2) == Self.sum(session, key, bytes) else {
                throw .damaged("call \(session): the checksum of private \(key) is wrong")
            }
            kept.privates[key] = bytes
        }
        return kept
    }

    /// Removes everything of a call.
    func delete(_ call: Int64) throws(SQLiteError) {
        try deleteRecords.run(.integer(call))
        try deletePrivates.run(.integer(call))
        try deleteCall.run(.integer(call))
    }

    // MARK: Checksums

    private static func sum(_ session: ByteString, _ header: KeptHeader) -> Int64 {
        var sum = RowSum()
        sum.add(session)
        sum.add(header.position.epoch)
        sum.add(header.position.seq)
        sum.add(header.floor)
        sum.add(UInt64(header.nextSlot))
        sum.add(header.clock)
        sum.add(header.digest)
        sum.add(header.isOccupied)
        sum.add(header.isClean)
        sum.add(HistoryText.text(header.history))
        sum.add(header.rules)
        return sum.column
    }

    private static func sum(_ session: ByteString, _ record: KeptRecord) -> Int64 {
        var sum = RowSum()
        sum.add(session)
        sum.add(UInt64(record.slot))
        sum.add(record.bytes)
        return sum.column
    }

    private static func sum(_ session: ByteString, _ key: UInt64, _ bytes: [UInt8]) -> Int64 {
        var sum = RowSum()
        sum.add(session)
        sum.add(key)
        sum.add(bytes)
        return sum.column
    }
}

/// Earlier epochs as people read them: `17.230 18.411`.
enum HistoryText {
    /// The last position of each, in order.
    static func text(_ positions: [Position]) -> ByteString {
        ByteString(positions.map(\.description).joined(separator: " "))
    }

    /// nil when it is no such text.
    static func positions(_ text: ByteString) -> [Position]? {
        var positions: [Position] = []
        for word in text.string.split(separator: " ") {
            let halves = word.split(separator: ".", omittingEmptySubsequences: false)
            guard halves.count == 2, let epoch = UInt64(halves[0]), let seq = UInt64(halves[1]) else { return nil }
            positions.append(Position(epoch: epoch, seq: seq))
        }
        return positions
    }
}
