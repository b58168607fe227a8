import CallState
import Rollcall
import RollcallProtocol

/// A client's rules with an owner that does every effect, and holds it against what an owner may expect; and a relay
/// that has a true state.
struct FuzzClient {
    /// How far its connection is.
    enum Link { case none, asked, made }

    var verdict = Verdict()
    var core: ClientCore
    var now: UInt64 = 1_000
    var link = Link.none
    private var toRelay = FrameSplitter(maximumFrameLength: WireLimits.clientFrame, expectsPreface: true)
    private var isOver = false
    private var isComplete = false
    private var seen: CallSnapshot?
    private var hasNews = false

    // Commands.
    private var lastToken: UInt64 = 0
    private var waiting: Set<CommandToken> = []
    var ops: [UInt64] = []

    // The relay's side.
    var truth = CallState()
    var change = CallChange()
    var incarnation: UInt64 = 1

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

    /// Lets the rules do something, and does what they want done.
    mutating func act(_ body: (inout ClientCore, UInt64, inout [ClientEffect]) -> Void) {
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

    /// The connection that was asked for is made.
    mutating func connect() {
        guard link == .asked else { return passToDeadline() }
        link = .made
        toRelay = FrameSplitter(maximumFrameLength: WireLimits.clientFrame, expectsPreface: true)
        ops = []
        act { core, now, effects in core.connected(at: now, into: &effects) }
    }

    /// The connection is gone.
    mutating func lose() {
        guard link != .none else { return }
        link = .none
        let cause = RollcallError(code: .linkLost, message: "the link is gone")
        act { core, now, effects in core.linkLost(cause, at: now, into: &effects) }
    }

    /// The app ends the connection.
    mutating func cut() { act { core, now, effects in core.cut(at: now, into: &effects) } }

    /// Time passes.
    mutating func pass(_ milliseconds: UInt64) {
        now += milliseconds
        tick()
    }

    /// Time passes until something is due.
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

    /// The app wants something changed.
    mutating func command(_ settings: [Setting]) {
        lastToken += 1
        let token = CommandToken(lastToken)
        waiting.insert(token)
        act { core, now, effects in core.command(settings, token: token, at: now, into: &effects) }
    }

    /// The app does not wait for a command any more.
    mutating func cancel(_ choice: UInt8) {
        guard lastToken > 0 else { return }
        let token = CommandToken(1 + UInt64(choice) % lastToken)
        waiting.remove(token)
        act { core, now, effects in core.cancel(token, at: now, into: &effects) }
    }

    /// The device speaks or stops.
    mutating func speak(_ on: Bool) {
        act { core, now, effects in core.speaking(Speaking(on: on), at: now, into: &effects) }
    }

    /// The app doubts the copy.
    mutating func resync() { act { core, now, effects in core.forceResync(at: now, into: &effects) } }

    /// The app leaves.
    mutating func leave() { act { core, now, effects in core.leave(.left, at: now, into: &effects) } }
}
