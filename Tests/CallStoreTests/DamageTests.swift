import CSQLite
import CallState
import Randomness
import Testing

@testable import CallStore

/// A file that is not as it was made is refused by name and reason, and never written.
@Suite struct DamageTests {
    /// Expects that the bytes are refused, and nothing but a lock file comes of it.
    private func expectRefusal(
        _ bytes: [UInt8],
        _ files: Files,
        _ code: StoreError.Code...,
        at location: SourceLocation = #_sourceLocation
    ) throws {
        try files.write(bytes)
        let error = files.refusal()
        #expect(error.map { code.contains($0.code) } == true, "\(String(describing: error))", sourceLocation: location)
        #expect(error?.path == files.path, sourceLocation: location)
        #expect(try files.bytes() == bytes, "it was written", sourceLocation: location)
        #expect(try files.names() == ["calls.db", "calls.db-lock"], sourceLocation: location)
        let text = "\(try #require(error, sourceLocation: location))"
        #expect(text.hasPrefix(files.path + ": "), sourceLocation: location)
    }

    @Test("cut off anywhere") func truncated() async throws {
        let files = try Files()
        let (_, bytes) = try files.make()
        #expect(bytes.count > 16 * 4_096)
        for size in stride(from: 1, to: bytes.count, by: 2_048) {
            await Task.yield()
            try expectRefusal(Array(bytes[..<size]), files, .damaged, .foreign)
        }
        // Made longer it has pages that belong to nothing.
        try files.write(bytes + [UInt8](repeating: 7, count: 4_096))
        if files.refusal() == nil { #expect(try files.contents().calls.count == 4) }
    }

    @Test("a byte flipped anywhere is found, or changes nothing", arguments: 0..<4)
    func flipped(seed: UInt64) async throws {
        let files = try Files()
        let (contents, bytes) = try files.make(calls: 2, commits: 25)
        var random = SplitMix64(seed: seed)
        var refused = 0
        for _ in 0..<120 {
            await Task.yield()
            var damaged = bytes
            let place = random.below(bytes.count)
            damaged[place] ^= UInt8(1 << random.below(8))
            try files.write(damaged)
            if let error = files.refusal() {
                refused += 1
                #expect([.damaged, .foreign, .newer].contains(error.code), "\(error)")
                #expect(try files.bytes() == damaged)
            } else {
                let found = try files.contents()
                #expect(StoreModel.difference(found, contents) == nil, "flipped at \(place)")
            }
            for ending in ["-wal", "-shm"] { files.remove(ending) }
        }
        #expect(refused > 20)
    }

    @Test("pages that were swapped or zeroed") func pages() async throws {
        let files = try Files()
        let (_, bytes) = try files.make(calls: 8)
        let pages = bytes.count / 4_096
        for page in 1..<pages where bytes[page * 4_096] != 0 {
            await Task.yield()
            var zeroed = bytes
            zeroed.replaceSubrange(page * 4_096..<(page + 1) * 4_096, with: [UInt8](repeating: 0, count: 4_096))
            try expectRefusal(zeroed, files, .damaged)
        }
        var swapped = bytes
        let last = bytes.count - 4_096
        swapped.replaceSubrange(last..., with: bytes[4_096..<8_192])
        swapped.replaceSubrange(4_096..<8_192, with: bytes[last...])
        try expectRefusal(swapped, files, .damaged)
    }

    @Test("files of others") func foreign() throws {
        let files = try Files()
        try expectRefusal(Array("call,uid\nstandup,ana\n".utf8), files, .foreign)
        try expectRefusal(Array("SQLite format 3\0".utf8), files, .foreign)
        try expectRefusal([UInt8](repeating: 0, count: 8_192), files, .foreign)
        try expectRefusal([0], files, .foreign)
        var raw: OpaquePointer?
        #expect(sqlite3_open(files.directory + "/other.db", &raw) == SQLITE_OK)
        let statements = "CREATE TABLE notes (text); INSERT INTO notes VALUES ('x')"
        #expect(sqlite3_exec(raw, statements, nil, nil, nil) == SQLITE_OK)
        sqlite3_close(raw)
        let other = files.directory + "/other.db"
        let before = files.refusal(other)
        #expect(before?.code == .foreign)
        #expect(before?.reason == "it is another program's SQLite database")
        #expect(files.refusal(other) == before)
        #expect(!(try files.names().contains("other.db-wal")))
    }

    @Test("of another version") func versions() throws {
        let files = try Files()
        var (_, bytes) = try files.make()
        bytes[63] = 2
        try expectRefusal(bytes, files, .newer)
        #expect(files.refusal()?.reason == "its tables are of version 2, and this relay knows version 1")
        bytes[63] = 0
        try expectRefusal(bytes, files, .damaged)
    }

    @Test("tables that others have changed") func tables() async throws {
        for (statement, reason) in [
            ("DROP VIEW people", "view people is missing or not as it was made"),
            ("ALTER TABLE records ADD COLUMN note TEXT", "table records is missing or not as it was made"),
            ("CREATE TRIGGER spy AFTER INSERT ON calls BEGIN SELECT 1; END", "trigger spy is not of this program"),
            ("DELETE FROM calls WHERE call = 1", "rows of records belong to no call"),
            ("UPDATE store SET last_epoch = 7", "the checksum of the table store is wrong"),
            ("UPDATE calls SET seq = seq + 1", "the checksum of its row is wrong"),
            ("DELETE FROM records WHERE slot = 0", "the digest is another one"),
            ("UPDATE attendance_events SET at = at + 1 WHERE event = 3", "attendance event 3 is wrong"),
            ("DELETE FROM attendance_events WHERE event = 3", "events where"),
            ("UPDATE meetings SET mid = 'x' WHERE meeting = 1", "the checksum of meeting 1 is wrong"),
        ] {
            await Task.yield()
            let files = try Files()
            _ = try files.make()
            try Database(path: files.path, access: .write).execute(statement)
            let error = try #require(files.refusal(), "\(statement)")
            #expect(error.code == .damaged)
            #expect(error.reason.contains(reason), "\(statement): \(error.reason)")
        }
    }

    @Test("a call that is damaged while a relay runs is refused alone") func oneCall() throws {
        let files = try Files()
        _ = try files.make(calls: 3)
        let store = try SQLiteStore(path: files.path, wallClock: { 1_000 })
        try Database(path: files.path, access: .write).execute("UPDATE calls SET clock = 7 WHERE session = 'call 1'")
        let keeper = try #require(store.keeperOfTest)
        let answers = keeper.carryOut([.claim("call 0"), .claim("call 1"), .claim("call 2")])
        guard case .claimed? = answers.first, case .claimed? = answers.last else { throw Unexpected() }
        let reason: ByteString = "call call 1: the checksum of its row is wrong"
        #expect(answers[1] == .unavailable(session: "call 1", reason: reason))
        #expect(keeper.counters.claims == 2)
        // Nor does it hold up the others when it is given up.
        let later = keeper.carryOut([.release("call 1"), .release("call 0"), .claim("call 3")])
        guard later.count == 1, case .claimed(session: "call 3", _)? = later.first else { throw Unexpected() }
        store.stop {}
    }

    @Test("damage that shows in the middle of a transaction takes all of it back") func middle() throws {
        let files = try Files()
        let store = try SQLiteStore(path: files.path, wallClock: { 1_000 })
        let keeper = try #require(store.keeperOfTest)
        var calls = [RandomCall("call 0", seed: 1), RandomCall("call 1", seed: 2)]
        func group() -> [StoreRequest] {
            calls.indices.map { place in
                calls[place].live(20)
                while !calls[place].isOccupied { calls[place].live(1) }
                return .append(calls[place].batch())
            }
        }
        for (place, answer) in keeper.carryOut([.claim("call 0"), .claim("call 1")]).enumerated() {
            guard case .claimed(_, let claim) = answer else { throw Unexpected() }
            calls[place].begin(epoch: claim.epoch)
        }
        let first = group()
        _ = keeper.carryOut(first)
        for (place, request) in first.enumerated() {
            if case .append(let batch) = request { calls[place].keeps(batch) }
        }
        let kept = try StoreModel(Database(path: files.path, access: .read))
        let other = try Database(path: files.path, access: .write)
        try other.execute("UPDATE meetings SET mid = 'x' WHERE session = 'call 1' AND ended_at IS NULL")
        let answers = keeper.carryOut(group())
        #expect(answers.count == 2)
        for answer in answers { if case .unavailable = answer {} else { Issue.record("\(answer)") } }
        let tables = try CallTables(other)
        for (session, entry) in try tables.entries() {
            #expect((try tables.read(session, entry) == kept.calls[session]) == true)
        }
        #expect(try other.number("SELECT count(*) FROM attendance_events") == Int64(kept.attendance.count))
        store.stop {}
    }

    @Test("what people add for themselves is let be") func additions() throws {
        let files = try Files()
        _ = try files.make()
        let database = try Database(path: files.path, access: .write)
        try database.execute("CREATE VIEW mine AS SELECT * FROM people; CREATE INDEX mine2 ON meetings (title)")
        database.close()
        #expect(files.refusal() == nil)
    }
}
