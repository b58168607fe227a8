import CallState
import Randomness
import Testing

@testable import CallStore

/// Attendance in a file: what call logs showed comes back, SQL says the same, and what is too much is forgotten.
@Suite struct AttendanceTests {
    /// Calls that have lived, and the log that a relay has of them.
    private final class Life {
        let machine: Machine
        let keeper: Keeper
        var log: AttendanceLog
        var calls: [RandomCall] = []
        var claims: Set<Int> = []
        var clock: UInt64 = 0

        init(limits: AttendanceLog.Limits = .init(), calls count: Int, seed: UInt64) throws {
            machine = try Machine()
            keeper = try machine.start(limits: limits)
            log = AttendanceLog(limits: limits)
            calls = (0..<count).map { RandomCall(ByteString("call \($0)"), seed: seed &* 97 &+ UInt64($0)) }
        }

        func live(_ place: Int, commits: Int) throws {
            if claims.insert(place).inserted {
                guard case .claimed(_, let claim)? = keeper.carryOut([.claim(calls[place].session)]).first else {
                    throw Unexpected()
                }
                calls[place].begin(epoch: claim.epoch)
            }
            calls[place].live(commits)
            let batch = calls[place].batch()
            guard case .kept? = keeper.carryOut([.append(batch)]).first else { throw Unexpected() }
            for change in batch.attendance {
                log.record([change.change], of: batch.session, at: change.at)
                clock = max(clock, change.at)
            }
            calls[place].keeps(batch)
        }

        /// The log that a relay makes of what the file has.
        func restored(limits: AttendanceLog.Limits) throws -> AttendanceLog {
            var log = AttendanceLog(limits: limits)
            try keeper.readContents { answer in
                guard case .attendance(let session, let changes) = answer else { return }
                for change in changes { log.record([change.change], of: session, at: change.at) }
            }
            return log
        }
    }

    private func report(
        _ log: AttendanceLog,
        _ meeting: ByteString = .empty,
        at now: UInt64
    ) throws -> AttendanceReport {
        var query = AttendanceQuery()
        query.limit = AttendanceQuery.maximumLimit
        query.meeting = meeting
        return try log.report(query, at: now, budget: 1 << 24)
    }

    @Test("a relay that starts anew shows the call logs of the one before", arguments: 0..<10)
    func replay(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let life = try Life(calls: 3, seed: seed)
        for _ in 0..<60 {
            await Task.yield()
            try life.live(random.below(3), commits: 1 + random.below(4))
        }
        let restored = try life.restored(limits: .init())
        let now = life.clock + 5_000
        #expect(life.log.meetingCount > 2)
        #expect(restored.meetingCount == life.log.meetingCount)
        #expect(restored.rowCount == life.log.rowCount)
        #expect(try report(restored, at: now) == report(life.log, at: now))
    }

    @Test("the views tell the times that call logs tell", arguments: 0..<10) func views(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let life = try Life(calls: 2, seed: seed)
        for _ in 0..<70 {
            await Task.yield()
            try life.live(random.below(2), commits: 1 + random.below(4))
        }
        let database = try life.machine.connect()
        let mids = try database.texts("SELECT mid FROM meetings WHERE ended_at IS NOT NULL")
        var rows = 0
        for mid in mids {
            let meetings = try report(life.log, ByteString(mid), at: life.clock).meetings
            for person in try #require(meetings.first).people {
                rows += 1
                let found = try self.person(person.uid, mid, database)
                #expect(found == [person.duration, person.video, person.audio, person.joinedAt])
                for device in person.devices {
                    let found = try self.device(device.device, person.uid, mid, database)
                    let duration = device.audio + device.video
                    #expect(found == [duration, device.video, device.audio, UInt64(device.intervals.count)])
                }
            }
        }
        #expect(rows > 5)
    }

    private func person(_ uid: ByteString, _ mid: String, _ database: Database) throws -> [UInt64] {
        let statement = try database.prepare(
            """
            SELECT p.duration, p.video, p.audio, p.joined_at FROM people p JOIN meetings m ON m.meeting = p.meeting
            WHERE m.mid = ?1 AND p.uid = ?2
            """
        )
        try statement.query(.text(ByteString(mid)), .text(uid))
        guard try statement.step() else { return [] }
        return (0..<4).map { statement.number($0) }
    }

    private func device(
        _ device: ByteString,
        _ uid: ByteString,
        _ mid: String,
        _ database: Database
    ) throws -> [UInt64] {
        let statement = try database.prepare(
            """
            SELECT d.duration, d.video, d.audio, d.stays FROM devices d JOIN meetings m ON m.meeting = d.meeting
            WHERE m.mid = ?1 AND d.uid = ?2 AND d.device = ?3
            """
        )
        try statement.query(.text(ByteString(mid)), .text(uid), .text(device))
        guard try statement.step() else { return [] }
        return (0..<4).map { statement.number($0) }
    }

    @Test("the meeting that ended first is forgotten first", arguments: 0..<6)
    func meetings(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let limits = AttendanceLog.Limits(meetings: 5)
        let life = try Life(limits: limits, calls: 3, seed: seed)
        for _ in 0..<120 {
            await Task.yield()
            try life.live(random.below(3), commits: 1 + random.below(5))
        }
        let restored = try life.restored(limits: limits)
        let now = life.clock + 1
        #expect(try report(restored, at: now).meetings == report(life.log, at: now).meetings)
        let database = try life.machine.connect()
        #expect(try database.number("SELECT count(*) FROM meetings") == Int64(life.log.meetingCount))
        let orphans = "SELECT count(*) FROM attendance_events WHERE meeting NOT IN (SELECT meeting FROM meetings)"
        #expect(try database.number(orphans) == 0)
    }

    @Test("rows are bounded, whatever one meeting does", arguments: [0, 1, 2])
    func rows(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let limits = AttendanceLog.Limits(rows: 3)
        let life = try Life(limits: limits, calls: 2, seed: seed)
        for _ in 0..<300 {
            await Task.yield()
            try life.live(random.below(2), commits: 1 + random.below(5))
        }
        let database = try life.machine.connect()
        let events = try #require(try database.number("SELECT count(*) FROM attendance_events"))
        let leaves = try #require(try database.number("SELECT count(*) FROM attendance_events WHERE kind = 'left'"))
        // Above the limit only ends get in, of stays that got in.
        #expect(events <= Int64(3 * AttendanceTables.eventsPerRow + 2) + leaves)
        #expect(try #require(try database.number("SELECT sum(left_out) FROM meetings")) > 0)
        let open = """
            SELECT count(*) FROM intervals i JOIN meetings m ON m.meeting = i.meeting
            WHERE m.ended_at IS NOT NULL AND i.to_at IS NULL
            """
        #expect(try database.number(open) == 0)
        #expect(StoreCheck.check(database, named: "calls.db").isSound)
    }

    @Test("without limits for meetings nothing of it is kept") func off() throws {
        let life = try Life(limits: .init(meetings: 0), calls: 1, seed: 1)
        for _ in 0..<20 { try life.live(0, commits: 3) }
        let database = try life.machine.connect()
        #expect(try database.number("SELECT count(*) FROM attendance_events") == 0)
    }

    @Test("a recording and a title are there for SQL") func recordings() throws {
        let machine = try Machine()
        let keeper = try machine.start()
        _ = keeper.carryOut([.claim("standup")])
        var batch = CallBatch(session: "standup", from: 0, header: KeptHeader())
        batch.attendance = [
            .init(at: 100, .began(meeting: "m-1", at: 90)),
            .init(at: 110, .title("Daily")),
            .init(at: 120, .recording(Recording(byUID: "ana", byName: "Ana", since: 120))),
            .init(at: 150, .recording(nil)),
            .init(at: 160, .recording(Recording(byUID: "ben", byName: "Ben", since: 160))),
            .init(at: 200, .ended),
            .init(at: 210, .title("nobody is in")),
        ]
        _ = keeper.carryOut([.append(batch)])
        let database = try machine.connect()
        #expect(try database.texts("SELECT title FROM meetings") == ["Daily"])
        let rows = "SELECT by_uid || ' ' || by_name || ' ' || from_at || '-' || to_at FROM recordings ORDER BY from_at"
        #expect(try database.texts(rows) == ["ana Ana 120-150", "ben Ben 160-200"])
    }
}
