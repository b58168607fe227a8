import CallState
import RollcallProtocol

@testable import Rollcall

/// A ``ClientCore`` with a hand on its clock and its wire.
struct CoreHarness {
    var core: ClientCore
    var now: UInt64 = 1_000
    var effects: [ClientEffect] = []
    /// What the client has sent on the present connection and the test has not looked at yet.
    var sent: [ClientFrame] = []
    private var stream = FrameSplitter(maximumFrameLength: 65_536, expectsPreface: true)
    private var nextToken: UInt64 = 0
    /// The number of effects whose bytes are in `sent` already.
    private var collected = 0

    static let instance: [UInt8] = Array(1...16)

    init(
        mode: JoinMode = .participant,
        seed: UInt64 = 1,
        _ adjust: (inout ClientConfiguration) -> Void = { _ in }
    ) {
        var join = Join(session: "standup", uid: "ana", device: "laptop")
        join.mode = mode
        join.name = "Ana"
        join.audioMuted = true
        join.videoPaused = true
        var configuration = ClientConfiguration(instance: Self.instance, join: join)
        adjust(&configuration)
        core = ClientCore(configuration, seed: seed)
    }

    // MARK: Inputs

    mutating func start() {
        core.start(at: now, into: &effects)
        collect()
    }

    mutating func connect() {
        stream = FrameSplitter(maximumFrameLength: 65_536, expectsPreface: true)
        sent = []
        core.connected(at: now, into: &effects)
        collect()
    }

    mutating func receive(_ frames: [ServerFrame]) {
        var bytes: [UInt8] = []
        for frame in frames { frame.encode(into: &bytes) }
        receive(bytes: bytes)
    }

    mutating func receive(_ frames: ServerFrame...) {
        receive(frames)
    }

    mutating func receive(bytes: [UInt8]) {
        core.received(bytes.span, at: now, into: &effects)
        collect()
    }

    mutating func lose(_ code: RollcallError.Code = .linkLost) {
        core.linkLost(RollcallError(code: code, message: "cut"), at: now, into: &effects)
        collect()
    }

    mutating func command(_ settings: Setting...) -> CommandToken {
        nextToken += 1
        let token = CommandToken(nextToken)
        core.command(settings, token: token, at: now, into: &effects)
        collect()
        return token
    }

    mutating func cancel(_ token: CommandToken) {
        core.cancel(token, at: now, into: &effects)
        collect()
    }

    mutating func resync() {
        core.forceResync(at: now, into: &effects)
        collect()
    }

    mutating func leave() {
        core.leave(.left, at: now, into: &effects)
        collect()
    }

    mutating func speaking(_ on: Bool, target: Target? = nil) {
        core.speaking(Speaking(on: on, target: target), at: now, into: &effects)
        collect()
    }

    /// Goes to the next deadline; false when there is none.
    @discardableResult
    mutating func passTime() -> Bool {
        guard let deadline = core.nextDeadline else { return false }
        now = max(now, deadline)
        core.tick(at: now, into: &effects)
        collect()
        return true
    }

    mutating func tick(at time: UInt64) {
        now = time
        core.tick(at: now, into: &effects)
        collect()
    }

    private mutating func collect() {
        for effect in effects[collected...] {
            guard case .send(let bytes) = effect else { continue }
            do {
                var frames: [ClientFrame] = []
                try stream.feed(bytes.span) { frame in
                    if let frame = try? ClientFrame.decode(frame) { frames.append(frame) }
                    return .proceed
                }
                sent += frames
            } catch {
                sent.append(.authenticate(token: "the client wrote what is no frame"))
            }
        }
        collected = effects.count
    }

    // MARK: Shortcuts

    /// Goes to a complete join of `call`, and forgets the effects.
    mutating func join(_ call: ScriptedCall) {
        start()
        connect()
        receive([ScriptedCall.welcome, call.joined()] + call.snapshot())
        forget()
    }

    mutating func forget() {
        effects = []
        collected = 0
        sent = []
    }

    /// Waits out the backoff and connects again.
    mutating func reconnect() {
        passTime()
        connect()
    }

    // MARK: Looking

    var isChanged: Bool {
        effects.contains { if case .changed = $0 { true } else { false } }
    }

    var isCompleted: Bool {
        effects.contains { if case .complete = $0 { true } else { false } }
    }

    var isDisconnected: Bool {
        effects.contains { if case .disconnect = $0 { true } else { false } }
    }

    var isConnecting: Bool {
        effects.contains { if case .connect = $0 { true } else { false } }
    }

    var closeReason: CloseReason? {
        for case .closed(let reason) in effects { return reason }
        return nil
    }

    var connections: [ConnectionState] {
        effects.compactMap { if case .connection(let state) = $0 { state } else { nil } }
    }

    func result(of token: CommandToken) -> Result<Position, RollcallError>? {
        for case .finished(token, let result) in effects { return result }
        return nil
    }

    func failure(of token: CommandToken) -> RollcallError? {
        if case .failure(let error) = result(of: token) { error } else { nil }
    }

    func success(of token: CommandToken) -> Position? {
        if case .success(let position) = result(of: token) { position } else { nil }
    }

    var sentJoin: Join? {
        for case .join(let join) in sent { return join }
        return nil
    }

    var resyncs: [Resync] {
        sent.compactMap { if case .resync(let resync) = $0 { resync } else { nil } }
    }

    var pongs: [Pong] {
        sent.compactMap { if case .pong(let pong) = $0 { pong } else { nil } }
    }

    var commands: [Command] {
        sent.compactMap { if case .command(let command) = $0 { command } else { nil } }
    }

    var isLive: Bool { core.phase == .live }
}
