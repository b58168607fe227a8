import CallState
import RollcallProtocol
import Synchronization

/// Drives a ``ClientCore`` with a real clock and real connections, and lets tasks wait for it.
///
/// All of it is behind one lock. Effects are done while it is held, except what calls foreign code: continuations are
/// resumed and frames shown after it is released. No task's thread is ever blocked for longer than that lock.
final class CallDriver: Sendable {
    struct State {
        var core: ClientCore
        var transport: SocketStream?
        var effects: [ClientEffect] = []
        /// What is to be sent when the effects of one input are done.
        var outgoing: [UInt8] = []
        /// When the timer fires next.
        var armed: UInt64?
        var nextNumber: UInt64 = 1

        var stateRevision: UInt64 = 0
        var connection = ConnectionState.joining
        var connectionRevision: UInt64 = 0
        /// How often a link that was good was lost.
        var losses: UInt64 = 0
        var closeReason: CloseReason?

        var joining: CheckedContinuation<RollcallError?, Never>?
        var isJoinCancelled = false
        var leaving: [CheckedContinuation<Void, Never>] = []
        var commands: [CommandToken: CommandHandler] = [:]
        /// The commands that failed and whose senders are about to be told.
        var untold = 0
        var readers: [UInt64: Reader] = [:]
        /// Called when the state or the connection has changed.
        var changeHandler: (@Sendable () -> Void)?
    }

    /// Takes what became of a command.
    typealias CommandHandler = @Sendable (Result<Position, RollcallError>) -> Void

    /// A task that waits for a change.
    struct Reader {
        var continuation: CheckedContinuation<Void, Never>
        var wants: Subject
    }

    /// What a task can wait for.
    enum Subject {
        case state
        case connection
    }

    let session: String
    let address: Address
    let isObserver: Bool
    private let connectTimeout: UInt64
    private let onFrame: (@Sendable (FrameTrace) -> Void)?
    private let reactor: SocketReactor
    private let timer: Mutex<ReactorTimer?>
    let state: Mutex<State>

    init(
        _ configuration: ClientConfiguration,
        address: Address,
        connectTimeout: UInt64,
        onFrame: (@Sendable (FrameTrace) -> Void)?,
        reactor: SocketReactor
    ) {
        session = configuration.join.session.string
        self.address = address
        isObserver = configuration.join.mode == .observer
        self.connectTimeout = connectTimeout
        self.onFrame = onFrame
        self.reactor = reactor
        timer = Mutex(nil)
        state = Mutex(State(core: ClientCore(configuration, seed: .random(in: .min ... .max))))
        reactor.live.add(.driver)
    }

    deinit {
        reactor.live.remove(.driver)
    }

    // MARK: Reading

    var snapshot: CallSnapshot { state.withLock { $0.core.snapshot } }
    var position: Position { state.withLock { $0.core.confirmed.position } }
    var digest: UInt64 { state.withLock { $0.core.confirmed.digest } }
    var joined: Joined { state.withLock { $0.core.joined } }
    var rights: Rights { joined.rights }
    var connectionState: ConnectionState { state.withLock { $0.connection } }
    var isLagging: Bool { state.withLock { $0.core.isLagging } }
    var pendingCommands: Int { state.withLock { $0.core.commands.count } }

    /// All of it under one lock.
    var reading: CallReading {
        state.withLock { state in
            CallReading(
                snapshot: state.core.isSynchronising ? nil : state.core.snapshot,
                revision: state.stateRevision &+ state.connectionRevision,
                connection: state.connection,
                losses: state.losses,
                hasUntoldFailures: state.untold > 0
            )
        }
    }

    func onChange(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.changeHandler = handler }
    }

    // MARK: Inputs

    /// Gives the rules an input and does what follows.
    ///
    /// - Parameter transport: Where the input comes from; it counts only if that is the present connection. nil for one
    ///   that comes from the app or the clock.
    func input(
        from transport: (any Transport)? = nil,
        _ body: (inout ClientCore, UInt64, inout [ClientEffect]) -> Void
    ) {
        var foreign = ForeignCalls()
        state.withLock { state in
            if let transport, state.transport !== transport { return }
            var effects = state.effects
            state.effects = []
            let before = (state.stateRevision, state.connectionRevision)
            body(&state.core, Platform.now, &effects)
            for effect in effects { perform(effect, &state, &foreign) }
            flush(&state)
            arm(&state)
            // Last: whoever is told of a change has been told what became of the commands in it.
            if before != (state.stateRevision, state.connectionRevision), let handler = state.changeHandler {
                foreign.add(handler)
            }
            effects.removeAll(keepingCapacity: true)
            state.effects = effects
        }
        foreign.run(onFrame)
    }

    private func perform(_ effect: ClientEffect, _ state: inout State, _ foreign: inout ForeignCalls) {
        switch effect {
        case .connect:
            let transport = SocketStream(address, reactor: reactor)
            state.transport = transport
            transport.connect(timeout: connectTimeout, handler: self)
        case .send(let bytes):
            if state.outgoing.isEmpty { state.outgoing = bytes } else { state.outgoing += bytes }
        case .disconnect:
            flush(&state)
            state.transport?.close()
            state.transport = nil
        case .complete:
            if let joining = state.joining { foreign.add { joining.resume(returning: nil) } }
            state.joining = nil
        case .changed:
            state.stateRevision += 1
            wake(.state, &state, &foreign)
        case .connection(let connection):
            if case .reconnecting = connection, state.connection.isLive { state.losses += 1 }
            state.connection = connection
            state.connectionRevision += 1
            wake(.connection, &state, &foreign)
        case .lagging:
            state.connectionRevision += 1
            wake(.connection, &state, &foreign)
        case .finished(let token, let result):
            guard let command = state.commands.removeValue(forKey: token) else { return }
            if case .success = result { return foreign.add { command(result) } }
            state.untold += 1
            foreign.add { [self] in
                command(result)
                // Whoever waits with a change until the refusals in it are told is asked again.
                let handler = self.state.withLock { state in
                    state.untold -= 1
                    return state.changeHandler
                }
                handler?()
            }
        case .trace(let trace):
            foreign.add(trace)
        case .closed(let reason):
            closed(reason, &state, &foreign)
        }
    }

    private func closed(_ reason: CloseReason, _ state: inout State, _ foreign: inout ForeignCalls) {
        state.closeReason = reason
        state.transport?.close()
        state.transport = nil
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
        if let joining = state.joining {
            let left = RollcallError.cancelled("joining \(session)")
            let error = state.isJoinCancelled ? left : reason.error ?? left
            foreign.add { joining.resume(returning: error) }
            state.joining = nil
        }
        let leaving = state.leaving
        state.leaving = []
        foreign.add { for continuation in leaving { continuation.resume() } }
        wake(.state, &state, &foreign)
        wake(.connection, &state, &foreign)
    }

    private func wake(_ subject: Subject, _ state: inout State, _ foreign: inout ForeignCalls) {
        if state.readers.isEmpty { return }
        for (number, reader) in state.readers where reader.wants == subject {
            state.readers.removeValue(forKey: number)
            foreign.add { reader.continuation.resume() }
        }
    }

    private func flush(_ state: inout State) {
        if state.outgoing.isEmpty { return }
        state.transport?.send(state.outgoing)
        state.outgoing = []
    }

    /// Sets the timer when the nearest deadline is nearer than before; one that moved away costs nothing until it
    /// fires.
    private func arm(_ state: inout State) {
        guard let deadline = state.core.nextDeadline else { return }
        if let armed = state.armed, armed <= deadline { return }
        state.armed = deadline
        timer.withLock { timer in
            if timer == nil { timer = reactor.makeTimer { [weak self] in self?.timerFired() } }
            timer?.set(deadline)
        }
    }

    private func timerFired() {
        state.withLock { $0.armed = nil }
        input { core, now, effects in core.tick(at: now, into: &effects) }
    }
}

extension CallDriver: TransportHandler {
    func transportConnected(_ transport: any Transport) {
        input(from: transport) { core, now, effects in core.connected(at: now, into: &effects) }
    }

    func transport(_ transport: any Transport, received bytes: Span<UInt8>) {
        input(from: transport) { core, now, effects in core.received(bytes, at: now, into: &effects) }
    }

    func transport(_ transport: any Transport, lost cause: RollcallError) {
        input(from: transport) { core, now, effects in core.linkLost(cause, at: now, into: &effects) }
    }
}

/// What is done after the lock is released, in order: it calls code that may call back.
struct ForeignCalls {
    private enum Entry {
        case call(() -> Void)
        case frame(FrameTrace)
    }

    private var entries: [Entry] = []

    mutating func add(_ call: @escaping () -> Void) {
        entries.append(.call(call))
    }

    mutating func add(_ trace: FrameTrace) {
        entries.append(.frame(trace))
    }

    func run(_ onFrame: (@Sendable (FrameTrace) -> Void)?) {
        for entry in entries {
            switch entry {
            case .call(let call): call()
            case .frame(let trace): onFrame?(trace)
            }
        }
    }
}
