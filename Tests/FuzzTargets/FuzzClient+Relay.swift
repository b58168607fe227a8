import CallState
import Rollcall
import RollcallProtocol

// What the relay says, with a true state of its own.
extension FuzzClient {
    /// Bytes come from the relay.
    mutating func receive(_ bytes: [UInt8]) {
        guard link == .made else { return }
        act { core, now, effects in core.received(bytes.span, at: now, into: &effects) }
    }

    /// A message of any bytes, in a frame.
    mutating func receiveMessage(_ message: [UInt8]) {
        let count = UInt32(message.count)
        receive((0..<4).map { UInt8(truncatingIfNeeded: count >> UInt32(24 - 8 * $0)) } + message)
    }

    /// A whole frame comes.
    mutating func tell(_ frame: ServerFrame) {
        var bytes: [UInt8] = []
        frame.encode(into: &bytes)
        receive(bytes)
    }

    /// The whole way from a connection to a copy.
    mutating func handshake(_ choices: inout ChoiceReader) {
        if link == .none { passToDeadline() }
        connect()
        if truth.call.meetingID == nil { meet() }
        var welcome = Welcome()
        (welcome.pingInterval, welcome.deadAfter) = (10_000, 25_000)
        tell(.welcome(welcome))
        tellJoined(&choices)
        tellSnapshot(&choices)
    }

    /// A meeting in which the client's device is.
    private mutating func meet() {
        truth.beginEpoch(truth.position.epoch + 1)
        truth.beginCommit()
        truth.beginMeeting("m-0", at: 1_000, grace: 15_000, idle: 300_000)
        let person = truth.addPerson(uid: "u0", at: 1_000)
        _ = truth.addDevice(person: person, id: "d0", at: 1_000)
        _ = truth.endCommit()
    }

    /// An answer to a Join, right or wrong.
    mutating func tellJoined(_ choices: inout ChoiceReader) {
        let shape = choices.byte()
        var joined = Joined()
        joined.outcome = Outcome(rawValue: UInt32(shape & 7))
        if shape & 8 != 0 { incarnation += 1 }
        joined.incarnation = incarnation
        joined.attachment = 1
        joined.secret = [UInt8](repeating: UInt8(truncatingIfNeeded: incarnation), count: 16)
        joined.person = truth.personSlot(uid: "u0") ?? 0
        joined.device = truth.deviceSlot(of: joined.person, id: "d0") ?? 0
        joined.position = truth.position
        joined.follows = shape & 16 == 0 ? .snapshot : Follows(rawValue: UInt32(shape >> 6))
        if shape & 32 != 0 {
            joined.lastOp = choices.number()
            joined.position = Position(epoch: choices.number(), seq: choices.number())
            joined.person = Slot(truncatingIfNeeded: choices.number())
            joined.device = Slot(truncatingIfNeeded: choices.number())
        }
        tell(.joined(joined))
    }

    /// The snapshot of the true state: whole, cut short, with a wrong byte, or with another request's number.
    mutating func tellSnapshot(_ choices: inout ChoiceReader) {
        let shape = choices.byte()
        let encoder = SnapshotEncoder(maximumPartLength: 400)
        let encoded = encoder.encode(truth)
        var bytes: [UInt8] = []
        let reason = SnapshotReason(rawValue: UInt32(shape & 7))
        let head = SnapshotHead(position: truth.position, reason: reason, request: shape & 56 == 56 ? 1 : 0)
        SnapshotEncoder.encodeHead(head, into: &bytes)
        bytes += encoded.bytes
        if shape & 192 == 192 { tamper(&bytes, &choices) }
        if shape & 192 == 128 { bytes.removeLast(min(bytes.count, Int(choices.byte()))) }
        receive(bytes)
    }

    private func tamper(_ bytes: inout [UInt8], _ choices: inout ChoiceReader) {
        let place = (Int(choices.byte()) << 8 | Int(choices.byte())) % bytes.count
        bytes[place] ^= choices.byte()
    }

    /// A commit of the true state as a Delta: from the copy or from the commit before, right or wrong.
    mutating func tellCommit(_ choices: inout ChoiceReader) {
        let shape = choices.byte()
        let before = truth.position
        _ = change.commit(to: &truth, &choices)
        let from = shape & 1 == 0 ? before : core.confirmed.position
        guard truth.position.seq > 0 else { return }
        var diff = Diff()
        truth.diff(from: from.seq, into: &diff)
        var delta = Delta(toSeq: truth.position.seq, records: diff)
        if shape & 2 == 0 { delta.toEpoch = truth.position.epoch }
        if shape & 4 == 0 { delta.fromSeq = from.seq == 0 ? nil : from.seq }
        if shape & 8 == 0, from.seq != 0 { (delta.fromSeq, delta.fromEpoch) = (from.seq, from.epoch) }
        if shape & 16 == 0 { delta.digest = truth.digest }
        if shape & 224 == 32 { delta.digest = choices.number() }
        if shape & 224 == 64 { delta.toSeq = choices.number() }
        if shape & 224 == 96 { delta.fromSeq = choices.number() }
        var bytes: [UInt8] = []
        ServerFrame.delta(delta).encode(into: &bytes)
        if shape & 224 == 128 { tamper(&bytes, &choices) }
        receive(bytes)
    }

    /// An answer to a command, whether there was one or not.
    mutating func tellAck(_ choices: inout ChoiceReader) {
        let code = choices.pick([Code.ok, .ok, .denied, .invalid, .tooOld, .expired, .rate, .full])
        let op = choices.flag() ? ops.popLast() ?? 1 : choices.number()
        let position = choices.flag() ? truth.position : Position(epoch: choices.number(), seq: choices.number())
        tell(.ack(Ack(op: op, code: code, position: position, text: code == .ok ? "" : "no", after: choices.number())))
    }

    /// A Ping with the true position, another one or none.
    mutating func tellPing(_ choices: inout ChoiceReader) {
        let position: Position? =
            switch choices.below(4) {
            case 0: nil
            case 1: Position(epoch: choices.number(), seq: choices.number())
            default: truth.position
            }
        let digest = choices.pickOrNil([truth.digest, truth.digest, 7])
        tell(.ping(Ping(position: position, time: choices.number(), digest: digest)))
    }

    /// The relay was started again.
    mutating func beginEpoch(_ choices: inout ChoiceReader) {
        truth.beginEpoch(truth.position.epoch + 1 + UInt64(choices.byte()))
    }
}
