import CallState
import Rollcall
import RollcallProtocol

/// A client's rules with an owner that does every effect, and holds it against what an owner may expect; and a relay
/// that has a true state.
struct FuzzClient {
    private enum Link { case none, asked, made }

    var verdict = Verdict()
    private var core: ClientCore
    private var now: UInt64 = 1_000
    private var link = Link.none
    private var toRelay = FrameSplitter(maximumFrameLength: WireLimits.clientFrame, expectsPreface: true)
    private var isOver = false
    private var isComplete = false
    private var seen: CallSnapshot?
    private var hasNews = false

    // Commands.
    private var lastToken: UInt64 = 0
    private var waiting: Set<CommandToken> = []
    private var ops: [UInt64] = []

    // The relay's side.
    private var truth = CallState()
    private var change = CallChange()
    private var incarnation: UInt64 = 1

    init(shape: UInt8, seed: UInt64) {
        var join = Join(session: "standup", uid: "u0", device: "d0")
        if shape & 1 == 1 { join.mode = .observer }
        join.audioMuted = shape & 2 == 0
        join.videoPaused = shape & 4 == 0
        var configuration = ClientConfiguration(instance: [1, 2, 3, 4, 5, 6, 7, 8], join: join)
        configuration.reconnect.retriesFirstJoin = shape & 8 == 0
        configuration.maximumSnapshot = shape & 16 == 0 ? configuration.maximumSnapshot : 700
        configuration.isTraced = shape & 32 != 0
        core = ClientCore(configuration, seed: seed)
        act { core, now, effects in core.start(at: now, into: &effects) }
    }

    // MARK: The owner

    private mutating func act(_ body: (inout ClientCore, UInt64, inout [ClientEffect]) -> Void) {
        var effects: [ClientEffect] = []
        body(&core, now, &effects)
        for effect in effects { perform(effect) }
    }

    private mutating func perform(_ effect: ClientEffect) {
        if case .finished = effect {
            // A command that is given after the end is refused.
        } else {
            verdict.require(!isOver, "\(effect) after the end")
        }
        switch effect {
        case .connect:
            verdict.require(link == .none, "a second connection")
            link = .asked
        case .send(let bytes):
            verdict.require(link == .made, "bytes without a connection")
            readSent(bytes)
        case .disconnect:
            verdict.require(link != .none, "no connection to close")
            link = .none
        case .complete:
            verdict.require(!isComplete, "complete a second time")
            isComplete = true
        case .changed: hasNews = true
        case .finished(let token, _):
            verdict.require(waiting.remove(token) != nil, "command \(token.number) is answered twice")
        case .closed:
            isOver = true
            verdict.require(waiting.isEmpty, "\(waiting.count) commands are never answered")
        case .connection, .lagging, .trace: break
        }
    }

    /// What the client sends must be what a relay takes.
    private mutating func readSent(_ bytes: [UInt8]) {
        var found: [UInt64] = []
        do throws(WireError) {
            var failure: WireError?
            try toRelay.feed(bytes.span) { message in
                do throws(WireError) {
                    let frame = try ClientFrame.decode(message)
                    if case .command(let command) = frame {
                        if let fault = command.fault { failure = fault }
                        found.append(command.op)
                    }
                } catch {
                    failure = error
                }
                return .proceed
            }
            if let failure { throw failure }
        } catch {
            verdict.fail("the client sends what a relay refuses: \(error)")
        }
        ops += found
    }

    /// What holds after every step.
    mutating func check() {
        verdict.require(core.confirmed.digest == core.confirmed.recomputedDigest, "digest of the copy")
        verdict.require(!isOver || core.nextDeadline == nil, "a deadline after the end")
        verdict.require(link != .none || isOver || core.nextDeadline != nil, "it waits for nothing")
        guard hasNews, core.isComplete else { return }
        hasNews = false
        let snapshot = core.snapshot
        let events = CallUpdate.events(from: seen, to: snapshot)
        verdict.require(snapshot.people.count == core.confirmed.peopleCount, "people seen")
        verdict.require(CallUpdate.events(from: snapshot, to: snapshot).isEmpty, "events of no change")
        if let seen, seen.position == snapshot.position, core.confirmed.digest == seen.digest {
            // Only what the client asked for itself may show at a standing position.
            verdict.require(events.count <= 64, "\(events.count) events of its own")
        }
        seen = snapshot
    }

    // MARK: The network and time

    mutating func connect() {
        guard link == .asked else { return passToDeadline() }
        link = .made
        toRelay = FrameSplitter(maximumFrameLength: WireLimits.clientFrame, expectsPreface: true)
        ops = []
        act { core, now, effects in core.connected(at: now, into: &effects) }
    }

    mutating func lose() {
        guard link != .none else { return }
        link = .none
        let cause = RollcallError(code: .linkLost, message: "the link is gone")
        act { core, now, effects in core.linkLost(cause, at: now, into: &effects) }
    }

    mutating func cut() { act { core, now, effects in core.cut(at: now, into: &effects) } }

    mutating func pass(_ milliseconds: UInt64) {
        now += milliseconds
        tick()
    }

    mutating func passToDeadline() {
        guard let deadline = core.nextDeadline else { return }
        // Nobody waits for as long as a relay may say.
        guard deadline < 1 << 60 else { return }
        now = max(now, deadline)
        tick()
    }

    private mutating func tick() {
        for _ in 0..<8 {
            act { core, now, effects in core.tick(at: now, into: &effects) }
            guard let next = core.nextDeadline, next <= now else { return }
        }
        verdict.fail("a deadline that stays due")
    }

    // MARK: The app

    mutating func command(_ settings: [Setting]) {
        lastToken += 1
        let token = CommandToken(lastToken)
        waiting.insert(token)
        act { core, now, effects in core.command(settings, token: token, at: now, into: &effects) }
    }

    mutating func cancel(_ choice: UInt8) {
        guard lastToken > 0 else { return }
        let token = CommandToken(1 + UInt64(choice) % lastToken)
        waiting.remove(token)
        act { core, now, effects in core.cancel(token, at: now, into: &effects) }
    }

    mutating func speak(_ on: Bool) {
        act { core, now, effects in core.speaking(Speaking(on: on), at: now, into: &effects) }
    }

    mutating func resync() { act { core, now, effects in core.forceResync(at: now, into: &effects) } }

    mutating func leave() { act { core, now, effects in core.leave(.left, at: now, into: &effects) } }

    // MARK: The relay

    mutating func receive(_ bytes: [UInt8]) {
        guard link == .made else { return }
        act { core, now, effects in core.received(bytes.span, at: now, into: &effects) }
    }

    /// A message of any bytes, in a frame.
    mutating func receiveMessage(_ message: [UInt8]) {
        let count = UInt32(message.count)
        receive((0..<4).map { UInt8(truncatingIfNeeded: count >> UInt32(24 - 8 * $0)) } + message)
    }

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
        var encoder = SnapshotEncoder(maximumPartLength: 400)
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

    mutating func tellAck(_ choices: inout ChoiceReader) {
        let code = choices.pick([Code.ok, .ok, .denied, .invalid, .tooOld, .expired, .rate, .full])
        let op = choices.flag() ? ops.popLast() ?? 1 : choices.number()
        let position = choices.flag() ? truth.position : Position(epoch: choices.number(), seq: choices.number())
        tell(.ack(Ack(op: op, code: code, position: position, text: code == .ok ? "" : "no", after: choices.number())))
    }

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
