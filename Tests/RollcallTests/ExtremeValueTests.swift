import CallState
import RollcallProtocol
import Testing

@testable import Rollcall

/// A relay that sends the ends of every range: the client refuses or lives with them, and never traps.
struct ExtremeValueTests {
    static let values: [UInt64] = [
        0, 1, UInt64(Int32.max), 1 << 31, UInt64(UInt32.max) - 1, UInt64(UInt32.max), 1 << 32, WireLimits.position,
        WireLimits.position + 1, UInt64(Int64.max), 1 << 63, .max - 1, .max,
    ]

    /// Every message that is like `message` but for one number in it, at any depth, which is an extreme one.
    private static func variants(of message: [UInt8]) -> [[UInt8]] {
        guard let fields = WireField.all(in: message) else { return [] }
        var variants: [[UInt8]] = []
        for field in fields {
            let before = Array(message[..<field.whole.lowerBound])
            let after = Array(message[field.whole.upperBound...])
            switch field.type {
            case WireType.varint:
                for value in values {
                    var variant = before
                    variant.appendField(field.number, varint: value)
                    variants.append(variant + after)
                }
            case WireType.fixed64:
                for value in values {
                    var variant = before
                    variant.appendField(field.number, fixed64: value)
                    variants.append(variant + after)
                }
            default:
                for content in Self.variants(of: Array(message[field.content])) {
                    var variant = before
                    variant.appendField(field.number, bytes: content)
                    variants.append(variant + after)
                }
            }
        }
        return variants
    }

    /// The frames that differ from `frame` in one number.
    private static func variants(of frame: ServerFrame) -> [[UInt8]] {
        var bytes: [UInt8] = []
        frame.encode(into: &bytes)
        return variants(of: Array(bytes[4...])).map { message in
            let length = UInt32(message.count)
            return stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> UInt32($0)) }
                + message
        }
    }

    /// A call in which every field of every record is there.
    private static func full() -> ScriptedCall {
        var call = ScriptedCall()
        let (ana, laptop, ben, phone) = (call.ana, call.laptop, call.ben, call.phone)
        _ = call.commit { state in
            state.setTitle("plans")
            state.startRecording(by: ben, at: 1_000)
            state.setDominantSpeaker(ben)
            state.setSpotlight([ben, ana])
            state.setCallLocked(true)
            state.setCallAttribute("k", to: [8, 1])
            state.setModeration(.moderators)
            state.setStandingCameraOff(true)
            state.setPresenters(.one)
            state.setRole(.moderator, of: ben)
            state.raiseHand(of: ben, at: 1_000)
            state.raiseHand(of: ana, at: 1_000)
            state.setVideoLocked(true, of: ben)
            state.setAudioLocked(true, of: ben)
            state.requestUnmute(of: ana, byUID: "ben", until: 9_000)
            state.loseLink(of: phone, until: 9_000)
            state.setPresenting(true, of: laptop)
        }
        return call
    }

    private static func frames(_ call: ScriptedCall) -> [ServerFrame] {
        let refusal = Refusal(code: .overload, text: "busy", advice: .after, after: 5)
        var call = call
        let ben = call.ben
        let from = call.state.position
        _ = call.commit { state in
            let guest = state.addPerson(uid: "guest", at: 2_000)
            _ = state.addDevice(person: guest, id: "d", at: 2_000)
            state.lowerHand(of: ben)
        }
        var delta = call.commit { $0.removePerson(ben, at: 3_000, reason: .removed) }
        delta.actor = call.phone
        delta.op = 4
        delta.digest = call.state.digest
        var summary = CallSummary()
        summary.position = from
        (summary.people, summary.devices, summary.observers, summary.hands, summary.startedAt) = (1, 2, 3, 4, 5)
        var info = ConnectionInfo()
        info.cursor = from
        (info.number, info.openedAt, info.attachedAt, info.lag, info.inFlight) = (1, 2, 3, 4, 5)
        (info.roundTrip, info.writes, info.merged) = (6, 7, 8)
        var report = AttendanceReport()
        report.meetings = [MeetingReport()]
        report.meetings[0].people = [PersonReport()]
        (report.at, report.meetings[0].participants, report.meetings[0].people[0].audio) = (1, 2, 3)
        return [
            .delta(call.delta(from: from)), .delta(delta), .ping(Ping(position: from, time: 5, digest: 9)),
            .ack(Ack(op: 1, code: .ok, position: from, text: "", after: 7)),
            .ack(Ack(op: 1, code: .rate, position: from, text: "later", after: 7)),
            .closed(refusal), .error(refusal, request: 3), .notice(code: .lagging, text: "slow"),
            .calls(request: 1, [summary], more: true), .connections(request: 1, [info], more: true),
            .attendance(request: 1, report),
        ]
    }

    /// What any app and any relay go on with.
    private func goOn(_ client: inout CoreHarness, _ call: ScriptedCall) {
        _ = client.command(Setting(.handRaised(true)))
        _ = client.command(Setting(.audioMuted(false)))
        client.receive(call.ack(1), call.ping())
        client.resync()
        for _ in 0..<4 { client.passTime() }
        client.lose()
        client.reconnect()
        client.receive([ScriptedCall.welcome, call.joined(.resumed)] + call.snapshot())
        _ = client.command(Setting(.name("Anna")))
        _ = client.core.snapshot.people
        _ = client.core.snapshot.raisedHands
        client.leave()
        client.passTime()
    }

    @Test func `R-41 an extreme number anywhere in the frames of a join is no trap`() {
        let call = Self.full()
        var limits = Welcome()
        (limits.pingInterval, limits.deadAfter) = (10_000, 25_000)
        limits.limits.people = 7
        var accepted = Joined()
        if case .joined(let joined) = call.joined(lastOp: 3) { accepted = joined }
        accepted.view = 1
        let handshake: [ServerFrame] = [.welcome(limits), .joined(accepted)] + call.snapshot(recordsPerPart: 3)
        var count = 0
        for place in handshake.indices {
            for variant in Self.variants(of: handshake[place]) {
                var client = CoreHarness { $0.reconnect.retriesFirstJoin = true }
                client.start()
                client.connect()
                for (index, frame) in handshake.enumerated() {
                    if index == place { client.receive(bytes: variant) } else { client.receive(frame) }
                }
                let before = CallUpdate.events(from: nil, to: client.core.snapshot)
                #expect(before.count < 100)
                goOn(&client, call)
                count += 1
            }
        }
        #expect(count > 700)
    }

    @Test func `R-41 an extreme number anywhere in a later frame is no trap`() {
        let call = Self.full()
        var count = 0
        for frame in Self.frames(call) {
            for variant in Self.variants(of: frame) {
                var client = CoreHarness { $0.reconnect.retriesFirstJoin = true }
                client.join(call)
                #expect(client.isLive)
                _ = client.command(Setting(.title("x")))
                let old = client.core.snapshot
                client.receive(bytes: variant)
                #expect(CallUpdate.events(from: old, to: client.core.snapshot).count < 100)
                goOn(&client, call)
                count += 1
            }
        }
        #expect(count > 700)
    }

    @Test func `R-71 a relay whose last operation id is beyond all numbers is not believed`() {
        let call = ScriptedCall()
        for lastOp in [WireLimits.position + 1, .max] {
            var client = CoreHarness { $0.reconnect.retriesFirstJoin = true }
            client.start()
            client.connect()
            client.receive(ScriptedCall.welcome, call.joined(lastOp: lastOp))
            #expect(client.isDisconnected)
        }
        var client = CoreHarness()
        client.start()
        client.connect()
        client.receive([ScriptedCall.welcome, call.joined(lastOp: WireLimits.position)] + call.snapshot())
        _ = client.command(Setting(.title("x")))
        #expect(client.commands.map(\.op) == [WireLimits.position + 1])
    }

    @Test func `R-58 a tombstone in the last of all slots is refused and not a trap`() {
        var call = ScriptedCall()
        var client = CoreHarness()
        client.join(call)
        let at = call.state.position
        var records = Diff()
        let removal = Diff.Removal(at: 1, reason: .left)
        records.records = [.init(slot: .max, kind: .removed, removal: removal, fields: 0..<0)]
        client.receive(
            .snapshot(SnapshotHead(position: at, reason: .requested)),
            .part(SnapshotPart(records: records, end: SnapshotEnd(liveRecords: 2, digest: 0)))
        )
        #expect(client.resyncs.map(\.reason) == [.invalid])
        _ = call.commit { $0.setTitle("plans") }
        client.receive(call.snapshot(.requested))
        #expect(client.core.snapshot.title == "plans")
    }
}

/// A field of a message: its number, its wire type and where it is.
private struct WireField {
    var number: UInt32
    var type: UInt64
    var whole: Range<Int>
    var content: Range<Int>

    /// The fields of a message; nil when the bytes are none.
    static func all(in bytes: [UInt8]) -> [WireField]? {
        var fields: [WireField] = []
        var offset = 0
        func varint() -> UInt64? {
            var value: UInt64 = 0
            for shift in stride(from: 0 as UInt64, to: 64, by: 7) {
                guard offset < bytes.count else { return nil }
                value |= UInt64(bytes[offset] & 0x7F) << shift
                offset += 1
                if bytes[offset - 1] < 0x80 { return value }
            }
            return nil
        }
        while offset < bytes.count {
            let start = offset
            guard let tag = varint(), tag >> 3 > 0, tag >> 3 < 1 << 29 else { return nil }
            var content = offset
            switch tag & 7 {
            case WireType.varint: guard varint() != nil else { return nil }
            case WireType.fixed64: offset += 8
            case WireType.lengthDelimited:
                guard let length = varint(), length <= UInt64(bytes.count - offset) else { return nil }
                content = offset
                offset += Int(length)
            default: return nil
            }
            guard offset <= bytes.count else { return nil }
            fields.append(
                WireField(number: UInt32(tag >> 3), type: tag & 7, whole: start..<offset, content: content..<offset)
            )
        }
        return fields
    }
}
