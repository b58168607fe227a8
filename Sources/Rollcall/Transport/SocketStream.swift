import Synchronization

/// A ``Transport`` over a socket of the system: `unix:` and `tcp:` addresses.
final class SocketStream: Transport, ReactorSource {
    /// The most that is kept for a relay that does not read: more is not a slow relay but a broken one.
    static let maximumKept = 8 * 1024 * 1024

    private enum Stage {
        case idle
        /// A name is looked up.
        case resolving
        /// One of the addresses is tried; the others follow.
        case connecting
        case open
        case closed
    }

    private struct State {
        var stage = Stage.idle
        var handler: (any TransportHandler)?
        var descriptor: Int32 = -1
        var source: UInt64?
        var untried: ArraySlice<SocketAddress> = []
        var lastFailure: SystemError?
        /// Bytes that the system has not taken yet.
        var kept = OutputBuffer()
        var isReading = true
        var deadline: UInt64 = 0
        var timer: ReactorTimer?
        /// What the reactor watches the descriptor for.
        var watched: Readiness = []

        var interest: Readiness {
            var interest: Readiness = isReading && stage == .open ? .reading : []
            if stage == .connecting || !kept.isEmpty { interest.insert(.writing) }
            return interest
        }
    }

    private let address: Address
    private let reactor: SocketReactor
    private let state = Mutex(State())

    /// A stream to `address` that is not open yet.
    init(_ address: Address, reactor: SocketReactor) {
        self.address = address
        self.reactor = reactor
        reactor.live.add(.stream)
    }

    deinit {
        reactor.live.remove(.stream)
    }

    /// Begins to connect.
    ///
    /// The handler is kept until the stream is closed or lost, and is told from the reactor's thread.
    func connect(timeout: UInt64, handler: any TransportHandler) {
        let timer = reactor.makeTimer { [weak self] in self?.timerFired() }
        state.withLock { state in
            state.handler = handler
            state.stage = .resolving
            state.deadline = Platform.now + timeout
            state.timer = timer
            timer.set(state.deadline)
        }
        switch address {
        case .unix(let path):
            resolved(SocketAddress(path: path).map { [$0] } ?? [])
        case .tcp(let host, let port):
            if let addresses = try? SocketAddress.resolve(host: host, port: port, isNumeric: true) {
                return resolved(addresses)
            }
            Resolver.shared.resolve(host: host, port: port) { answer in
                switch answer {
                case .success(let addresses): self.resolved(addresses)
                case .failure(let failure): self.lose(self.unreachable("\(failure)", underlying: failure))
                }
            }
        }
    }

    // MARK: Connecting

    private func resolved(_ addresses: [SocketAddress]) {
        let failure = state.withLock { state -> RollcallError? in
            guard state.stage == .resolving else { return nil }
            state.stage = .connecting
            state.untried = addresses[...]
            return tryNext(&state)
        }
        // The handler is never called from within the caller's own call.
        if let failure { reactor.post { self.lose(failure) } }
    }

    /// Tries the next address; returns why not when none is left.
    private func tryNext(_ state: inout State) -> RollcallError? {
        while let next = state.untried.first {
            let descriptor = Platform.makeSocket(family: next.family)
            if descriptor < 0 {
                state.lastFailure = Platform.error(descriptor, in: "socket")
                state.untried.removeFirst()
                continue
            }
            let result = Platform.connectSocket(descriptor, to: next)
            if result == 0 || Platform.isInProgress(result) {
                state.untried.removeFirst()
                guard let source = reactor.add(descriptor, self, .writing) else {
                    Platform.closeDescriptor(descriptor)
                    return unreachable("the process has no descriptor left; close some or raise its limit")
                }
                state.descriptor = descriptor
                state.source = source
                state.watched = .writing
                return nil
            }
            Platform.closeDescriptor(descriptor)
            if next.isUNIX, Platform.isTemporary(Int(result)) {
                // The listener's queue is full for a moment: a full queue refuses a UNIX socket instead of letting it
                // wait.
                state.timer?.set(min(state.deadline, Platform.now + UInt64.random(in: 2...20)))
                return nil
            }
            state.lastFailure = Platform.error(result, in: "connect")
            state.untried.removeFirst()
        }
        if let failure = state.lastFailure { return unreachable(failure.text, underlying: failure) }
        return unreachable("the name has no address")
    }

    private func timerFired() {
        let failure = state.withLock { state -> RollcallError? in
            guard state.stage == .connecting || state.stage == .resolving else { return nil }
            if Platform.now >= state.deadline {
                return RollcallError(code: .timedOut, message: "connecting to \(address) took too long")
            }
            state.timer?.set(state.deadline)
            guard state.stage == .connecting, state.descriptor < 0 else { return nil }
            return tryNext(&state)
        }
        if let failure { lose(failure) }
    }

    private func finishConnecting() {
        var opened: (any TransportHandler)?
        let failure = state.withLock { state -> RollcallError? in
            guard state.stage == .connecting, state.descriptor >= 0 else { return nil }
            let result = Platform.connectResult(state.descriptor)
            if result == 0 {
                if case .tcp = address { Platform.disableDelay(state.descriptor) }
                state.stage = .open
                state.timer?.cancel()
                state.timer = nil
                state.untried = []
                opened = state.handler
                return flush(&state)
            }
            state.lastFailure = Platform.error(result, in: "connect")
            dropDescriptor(&state)
            return tryNext(&state)
        }
        if let failure { return lose(failure) }
        opened?.transportConnected(self)
    }

    // MARK: Bytes

    func send(_ bytes: [UInt8]) {
        let failure = state.withLock { state -> RollcallError? in
            guard state.stage != .closed else { return nil }
            if state.kept.count + bytes.count > Self.maximumKept {
                return lost("the relay does not read")
            }
            state.kept.append(bytes)
            guard state.stage == .open, state.kept.count == bytes.count else { return nil }
            return flush(&state)
        }
        if let failure { reactor.post { self.lose(failure) } }
    }

    /// Hands the system what it takes, and watches for the rest.
    private func flush(_ state: inout State) -> RollcallError? {
        while !state.kept.isEmpty {
            let result = Platform.send(state.descriptor, state.kept.waiting)
            if result < 0 {
                if Platform.isTemporary(result) { break }
                let failure = Platform.error(Int32(result), in: "send")
                return lost(failure.text, underlying: failure)
            }
            state.kept.take(result)
        }
        watch(&state)
        return nil
    }

    private func watch(_ state: inout State) {
        let interest = state.interest
        guard let source = state.source, interest != state.watched else { return }
        state.watched = interest
        reactor.change(state.descriptor, source, interest)
    }

    func setReading(_ isReading: Bool) {
        state.withLock { state in
            guard state.isReading != isReading else { return }
            state.isReading = isReading
            if state.stage == .open { watch(&state) }
        }
    }

    func ready(_ readiness: Readiness, buffer: UnsafeMutableRawBufferPointer) {
        if readiness.contains(.writing) { writable() }
        if readiness.contains(.reading) { readable(buffer) }
    }

    private func writable() {
        let (isConnecting, failure) = state.withLock { state -> (Bool, RollcallError?) in
            switch state.stage {
            case .connecting: (true, nil)
            case .open: (false, flush(&state))
            case .idle, .resolving, .closed: (false, nil)
            }
        }
        if isConnecting { return finishConnecting() }
        if let failure { lose(failure) }
    }

    private func readable(_ buffer: UnsafeMutableRawBufferPointer) {
        // Read under the lock, so that nobody closes the descriptor and the system gives its number to another.
        let (count, handler) = state.withLock { state -> (Int, (any TransportHandler)?) in
            guard state.stage == .open, state.isReading else { return (-Int.max, nil) }
            return (Platform.receive(state.descriptor, into: buffer), state.handler)
        }
        guard let handler else { return }
        if count > 0 {
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[0..<count])
            bytes.withMemoryRebound(to: UInt8.self) { handler.transport(self, received: $0.span) }
        } else if count == 0 {
            lose(lost("the relay closed the connection"))
        } else if !Platform.isTemporary(count) {
            let failure = Platform.error(Int32(count), in: "recv")
            lose(lost(failure.text, underlying: failure))
        }
    }

    // MARK: The end

    func close() {
        state.withLock { state in
            guard state.stage != .closed else { return }
            if state.stage == .open { _ = flush(&state) }
            end(&state)
        }
    }

    private func lose(_ cause: RollcallError) {
        let handler = state.withLock { state -> (any TransportHandler)? in
            guard state.stage != .closed else { return nil }
            let handler = state.handler
            end(&state)
            return handler
        }
        handler?.transport(self, lost: cause)
    }

    private func end(_ state: inout State) {
        dropDescriptor(&state)
        state.timer?.cancel()
        state.timer = nil
        state.handler = nil
        state.kept = OutputBuffer()
        state.untried = []
        state.stage = .closed
    }

    private func dropDescriptor(_ state: inout State) {
        if let source = state.source { reactor.remove(state.descriptor, source) }
        if state.descriptor >= 0 { Platform.closeDescriptor(state.descriptor) }
        state.source = nil
        state.descriptor = -1
    }

    private func unreachable(_ why: String, underlying: (any Error)? = nil) -> RollcallError {
        RollcallError(
            code: .unreachable,
            message: "no connection to the relay at \(address): \(why). Is it running, and is the address right?",
            place: "\(address)",
            underlying: underlying
        )
    }

    private func lost(_ why: String, underlying: (any Error)? = nil) -> RollcallError {
        RollcallError(
            code: .linkLost,
            message: "the connection to the relay at \(address) was lost: \(why)",
            place: "\(address)",
            underlying: underlying
        )
    }
}
