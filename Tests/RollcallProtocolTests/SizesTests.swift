import CallState
import Foundation
import RollcallProtocol
import Testing

/// The sizes of frames on the wire, as `Protocol/SIZES.md` tells them.
///
/// ROLLCALL_UPDATE=1 writes the file anew.
struct SizesTests {
    private static let ms: UInt64 = 1_764_000_000_000
    private static let head = Position(epoch: ms, seq: 1_000_000)

    @Test func theTableIsWhatTheCodeWrites() throws {
        let url = Oracle.root.appendingPathComponent("Protocol/SIZES.md")
        let text = SizesTests.table
        if ProcessInfo.processInfo.environment["ROLLCALL_UPDATE"] == "1" {
            try Data(text.utf8).write(to: url)
        }
        #expect(try String(contentsOf: url, encoding: .utf8) == text)
    }

    @Test func theMainCasesStayWithinTheirBudgets() {
        #expect(SizesTests.size(SizesTests.mute) <= 24)
        #expect(SizesTests.participant <= 96)
    }

    private static func size(_ write: (inout [UInt8]) -> Void) -> Int {
        var bytes: [UInt8] = []
        write(&bytes)
        return bytes.count
    }

    private static func delta(_ fields: [Diff.Field], slot: Slot = 3, kind: RecordKind = .device) -> Diff {
        var diff = Diff()
        diff.fields = fields
        diff.records = [.init(slot: slot, kind: kind, fields: 0..<fields.count)]
        return diff
    }

    private static func shared(_ diff: Diff, _ bytes: inout [UInt8]) {
        let from = Position(epoch: head.epoch, seq: head.seq - 1)
        ServerFrame.encodeDelta(diff, from: from, to: head, omitsEpoch: true, into: &bytes)
    }

    private static func mute(_ bytes: inout [UInt8]) {
        shared(delta([Diff.Field(number: DeviceField.audioMuted, value: .number(1))]), &bytes)
    }

    /// A call of `people` persons with uids of 8 bytes, names of 12 and one device each with an id of 8.
    private static func call(_ people: Int) -> CallState {
        var state = CallState()
        state.beginEpoch(ms)
        state.beginCommit()
        for index in 0..<people {
            let id = Array(String(index + 10_000_000).utf8)
            let person = state.append(.person)
            state.set(PersonField.uid, of: person, to: .bytes(id))
            state.set(PersonField.name, of: person, to: .bytes(Array("Ana ".utf8) + id))
            state.set(PersonField.joinedAt, of: person, to: .number(ms))
            let device = state.append(.device)
            state.set(DeviceField.person, of: device, to: .number(UInt64(person)))
            state.set(DeviceField.device, of: device, to: .bytes(id))
            state.set(DeviceField.audioMuted, of: device, to: .number(1))
            state.set(DeviceField.videoPaused, of: device, to: .number(1))
            state.set(DeviceField.joinedAt, of: device, to: .number(ms))
        }
        _ = state.endCommit()
        return state
    }

    private static func snapshot(_ people: Int) -> EncodedSnapshot {
        let encoder = SnapshotEncoder()
        return encoder.encode(call(people))
    }

    private static var participant: Int { snapshot(101).bytes.count - snapshot(100).bytes.count }

    private static func frame(_ frame: ClientFrame) -> Int { size { frame.encode(into: &$0) } }
    private static func frame(_ frame: ServerFrame) -> Int { size { frame.encode(into: &$0) } }

    private static var join: Join {
        Join(session: "stand-up", uid: "10000000", device: "10000000")
    }

    private static var joined: Joined {
        var joined = Joined()
        joined.incarnation = 5
        joined.attachment = 6
        joined.secret = [UInt8](repeating: 1, count: 16)
        joined.rights = [.participate, .moderate]
        joined.person = 2
        joined.device = 3
        joined.position = head
        joined.follows = .snapshot
        return joined
    }

    private static var welcome: Welcome {
        var welcome = Welcome()
        welcome.relayID = "relay-1"
        welcome.pingInterval = 10_000
        welcome.deadAfter = 25_000
        return welcome
    }

    /// The answer with one meeting of so many people, each with one device that was there once.
    private static func attendance(_ people: Int) -> Int {
        var log = AttendanceLog()
        var changes: [AttendanceChange] = [.began(meeting: "12345678", at: ms)]
        for slot in 0..<Slot(people) {
            let facts = AttendanceChange.DeviceFacts(
                slot: slot,
                uid: "12345678",
                device: "12345678",
                isLinked: true,
                isVideoPaused: true
            )
            changes += [.device(facts), .profile(uid: "12345678", name: "123456789012", avatar: "")]
        }
        log.record(changes, of: "12345678", at: ms)
        log.record([.ended], of: "12345678", at: ms + 1_800_000)
        let report = try? log.report(AttendanceQuery(), at: ms + 3_600_000, budget: 60_000)
        return frame(.attendance(request: 1, report ?? AttendanceReport()))
    }

    private static var rows: [(String, Int)] {
        var resume = join
        resume.attempt = 2
        resume.resume = Resume(secret: [UInt8](repeating: 1, count: 16), position: head, digest: 1)
        let hand = Diff.Field(number: PersonField.hand, value: .bytes(Hand(version: head.seq, at: ms).encoded))
        var gone = Diff()
        gone.records = [2, 3].map {
            .init(slot: $0, kind: .removed, removal: .init(at: ms, reason: .left), fields: 0..<0)
        }
        let large = snapshot(2_000)
        return [
            (
                "Hello, with a name of 9 bytes and an instance of 16",
                frame(.hello(Hello(clientName: "probe 1.0", instance: [UInt8](repeating: 1, count: 16))))
            ),
            ("Welcome", frame(.welcome(welcome))),
            ("Join, fresh", frame(.join(join))),
            ("Join, resumed", frame(.join(resume))),
            ("Joined", frame(.joined(joined))),
            ("Command: mute myself", frame(.command(Command(op: 1, settings: [Setting(.audioMuted(true))])))),
            ("Delta: one device muted, shared by all receivers", size(mute)),
            ("Delta: a hand raised, shared", size { shared(delta([hand], slot: 2, kind: .person), &$0) }),
            ("Delta: a person and its device left, shared", size { shared(gone, &$0) }),
            (
                "Delta: one device muted, for one receiver, with epoch and digest",
                size { bytes in
                    let diff = delta([Diff.Field(number: DeviceField.audioMuted, value: .number(1))])
                    let from = Position(epoch: ms, seq: head.seq - 5)
                    ServerFrame.encodeDelta(diff, from: from, to: head, digest: 1, into: &bytes)
                }
            ),
            ("Ack, done", frame(.ack(Ack(op: 1, position: head)))),
            ("Speaking", frame(.speaking(Speaking(on: true)))),
            ("Ping, with position and digest", frame(.ping(Ping(position: head, time: ms, digest: 1)))),
            ("Ping, without an attachment", frame(.ping(Ping(position: nil, time: ms)))),
            ("Pong", frame(.pong(Pong(position: head, time: ms)))),
            ("Snapshot, part 0", frame(.snapshot(SnapshotHead(position: head, reason: .join)))),
            ("Snapshot of an empty call, its only part", snapshot(0).bytes.count),
            ("Snapshot, each participant with one device", participant),
            ("Attendance: the newest 30 meetings", frame(.attendance(request: 1, AttendanceQuery()))),
            ("AttendanceReport, with one meeting and nobody", attendance(0)),
            ("AttendanceReport, each participant with one device", attendance(1) - attendance(0)),
            ("Snapshot of 2,000 participants, all \(large.partRanges.count) parts", large.bytes.count),
        ]
    }

    private static var table: String {
        var text = """
            # Sizes on the wire

            Bytes of whole frames, their length of four bytes included. Uids and device ids have 8 bytes, names 12, the session id 8; times are
            those of 2025 and the call has seen a million commits. A test holds this table equal to what the code writes.

            | frame | bytes |
            |---|---:|

            """
        for (name, bytes) in rows { text += "| \(name) | \(bytes) |\n" }
        return text
    }
}
