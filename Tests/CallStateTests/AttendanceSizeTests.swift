import Randomness
import Testing

@testable import CallState

/// How much memory call logs take: counted as they change, and bounded.
@Suite struct AttendanceSizeTests {
    private func text(_ count: Int) -> ByteString { ByteString([UInt8](repeating: 97, count: count)) }

    private func device(_ slot: Int, _ uid: String = "", _ device: ByteString = "d") -> AttendanceChange {
        let uid = ByteString(uid.isEmpty ? "u\(slot)" : uid)
        return .device(.init(slot: Slot(slot), uid: uid, device: device, isLinked: true, isVideoPaused: true))
    }

    private func query(_ log: AttendanceLog, _ meeting: ByteString) throws -> MeetingReport? {
        var query = AttendanceQuery()
        query.meeting = meeting
        return try log.report(query, at: 0, budget: 1 << 20).meetings.first
    }

    @Test("R-116: the bytes that are counted are those of what is kept", arguments: 1...8 as ClosedRange<UInt64>)
    func counted(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var log = AttendanceLog(limits: .init(meetings: 6, rows: 60, bytes: seed.isMultiple(of: 2) ? 20_000 : 1 << 30))
        for step in 0..<2_000 {
            let slot = Int(random.below(8))
            let name = text(Int(random.below(60)))
            let change: AttendanceChange =
                switch random.below(12) {
                case 0: .began(meeting: ByteString("m\(step)"), at: UInt64(step))
                case 1: .title(name)
                case 2: .recording(Recording(byUID: "u", byName: name, since: UInt64(step)))
                case 3: .recording(nil)
                case 4: random.oneIn(4) ? .ended : .recording(nil)
                case 5, 6: .profile(uid: ByteString("u\(slot)"), name: name, avatar: text(Int(random.below(900))))
                case 7, 8: .left(Slot(slot))
                default: device(slot, "u\(random.below(8))", ByteString("d\(random.below(40))"))
                }
            log.record([change], of: ByteString("s\(random.below(3))"), at: UInt64(step))
            #expect(log.size == log.entries.values.reduce(0) { $0 + $1.size })
            for entry in log.entries.values {
                let parts = entry.attendance.recordings.reduce(0) { $0 + $1.size }
                #expect(entry.attendance.sizeOfParts == entry.attendance.people.reduce(parts) { $0 + $1.size })
            }
        }
        #expect(log.meetingCount > 0 && log.size > 0)
    }

    @Test("R-116: long pictures make the log forget what ended first, however few rows there are")
    func endedOnes() throws {
        var log = AttendanceLog(limits: .init(bytes: 100_000))
        for number in 0..<100 {
            let changes = [
                .began(meeting: ByteString("m\(number)"), at: 1), device(0),
                .profile(uid: "u0", name: "n", avatar: text(2_048)), .ended,
            ]
            log.record(changes, of: ByteString("s\(number)"), at: 2)
            #expect(log.size <= 100_000)
        }
        #expect((20..<40).contains(log.meetingCount))
        #expect(try query(log, "m99") != nil && query(log, "m0") == nil)
    }

    @Test("R-116: a running meeting that has too many bytes grows no more, and says so")
    func runningOne() throws {
        var log = AttendanceLog(limits: .init(bytes: 50_000))
        log.record([.began(meeting: "m", at: 1), .title("plans")], of: "s", at: 1)
        for slot in 0..<200 { log.record([device(slot)], of: "s", at: 2) }
        let full = log.size
        let before = try #require(try query(log, "m"))
        #expect(before.devicesNotKept > 0 && before.participants + before.devicesNotKept == 200)
        // The tables of who is in which slot are of those who are in now; everything else stops at the limit.
        for round in 0..<50 {
            for slot in 0..<200 {
                log.record([.left(Slot(slot)), device(slot)], of: "s", at: 3)
                log.record([.profile(uid: ByteString("u\(slot)"), name: text(9), avatar: text(2_000))], of: "s", at: 3)
            }
            let recording = Recording(byUID: "u0", byName: text(200), since: UInt64(round + 3))
            log.record([.recording(recording), .title(text(200))], of: "s", at: UInt64(round + 3))
        }
        #expect(log.size <= full + 1_000)
        let after = try #require(try query(log, "m"))
        #expect(after.title == "plans" && after.recordings.count == 1 && after.recordingsLeftOut == 49)
        #expect(after.people[0].avatar.isEmpty && after.people[0].devices[0].intervals.count == 1)
        #expect(after.people[0].devices[0].intervalsLeftOut == 50)
        // What is not longer is taken.
        log.record([.title("plan")], of: "s", at: 90)
        #expect(try query(log, "m")?.title == "plan")
        log.record([.ended], of: "s", at: 99)
        log.record([.began(meeting: "next", at: 100), device(0)], of: "t", at: 100)
        #expect(try query(log, "next")?.participants == 1)
    }
}
