import CallState
import RollcallProtocol
import Testing

/// The bound that keeps an answer below 64 KiB.
struct AttendanceWeightTests {
    private func length(_ report: AttendanceReport) -> Int {
        var bytes: [UInt8] = []
        ServerFrame.attendance(request: .max, report).encode(into: &bytes)
        return bytes.count
    }

    @Test("R-114: a meeting's weight is at least what it takes on the wire")
    func weight() {
        var random = SeededRandom(seed: SeededRandom.seed)
        for _ in 0..<500 {
            var report = AttendanceReport()
            let empty = length(report)
            report.meetings = [random.meetingReport()]
            #expect(length(report) - empty <= report.meetings[0].weight + 8)
        }
    }

    @Test("R-114: the largest meeting with one person fits into a frame of 64 KiB")
    func largest() throws {
        func text(_ count: Int) -> ByteString { ByteString([UInt8](repeating: 0x78, count: count)) }
        var log = AttendanceLog()
        var changes: [AttendanceChange] = [.began(meeting: text(64), at: 1 << 50), .title(text(256))]
        for round in 0..<40 as Range<UInt64> {
            let recording = Recording(byUID: text(128), byName: text(256), since: 1 << 50 + round)
            changes += [.recording(recording), .recording(nil)]
            for device in 0..<40 as Range<Slot> {
                let id = ByteString(text(60).bytes + Array("\(1_000 + device)".utf8))
                changes.append(
                    .device(.init(slot: device, uid: text(128), device: id, isLinked: true, isVideoPaused: false))
                )
            }
            changes.append(.profile(uid: text(128), name: text(256), avatar: text(2_048)))
            if round < 39 { changes += (0..<40).map { .left($0) } }
        }
        log.record(changes, of: text(128), at: 1 << 50)
        let report = try log.report(AttendanceQuery(), at: .max, budget: 60 * 1024)
        #expect(report.meetings[0].people[0].devices.count == 32)
        #expect(
            report.meetings[0].people[0].devices.allSatisfy { $0.intervals.count == 32 || $0.intervalsLeftOut == 0 }
        )
        #expect(report.meetings[0].recordings.count == 32)
        #expect(length(report) <= 64 * 1024 && length(report) > 32 * 1024, "\(length(report))")
    }
}
