import CallState
public import RollcallProtocol

/// A connection of bare frames, for tools and tests: what is sent goes out as it is, and what comes is handed over as
/// it is.
///
/// Nothing is answered, remembered or made again by itself.
///
/// Reading stops when 1 MiB of frames waits to be received.
public final class RawConnection: Sendable {
    let link: FrameLink

    init(link: FrameLink) {
        self.link = link
    }

    deinit {
        link.close()
    }

    /// Connects and sends the preface.
    ///
    /// - Throws: ``RollcallError/Code/unreachable``, ``RollcallError/Code/timedOut`` or
    ///   ``RollcallError/Code/cancelled``.
    public static func open(
        _ address: Address,
        timeout: Duration = .seconds(10)
    ) async throws(RollcallError) -> RawConnection {
        try await open(address, timeout: timeout, reactor: .shared)
    }

    static func open(
        _ address: Address,
        timeout: Duration,
        reactor: SocketReactor
    ) async throws(RollcallError) -> RawConnection {
        let connection = RawConnection(link: FrameLink(address: address, reactor: reactor))
        try await connection.link.open(timeout: timeout)
        return connection
    }

    /// Sends Hello and waits for Welcome.
    ///
    /// - Throws: Also ``RollcallError/Code/protocolViolation`` when something else comes.
    @discardableResult
    public func hello(
        clientName: String = "rollcall-raw",
        instance: [UInt8] = ClientOptions.processInstance
    ) async throws(RollcallError) -> Welcome {
        send(.hello(Hello(clientName: .init(clientName), instance: instance)))
        switch try await receive() {
        case .welcome(let welcome): return welcome
        case .closed(let refusal): throw RollcallError(refusal, place: link.place)
        case .none: throw link.ended
        default: throw .unexpectedFrame("the answer to Hello", place: link.place)
        }
    }

    /// Sends a frame.
    ///
    /// Never waits; what the system does not take at once is kept and sent later.
    public func send(_ frame: ClientFrame) {
        link.send(frame)
    }

    /// Sends bytes that need not be a legal frame.
    public func send(bytes: [UInt8]) {
        link.send(bytes: bytes)
    }

    /// Waits for the next frame; nil when the relay has closed the connection.
    ///
    /// One task may wait at a time.
    ///
    /// - Throws: ``RollcallError/Code/linkLost``, ``RollcallError/Code/protocolViolation`` for bytes that are no frame,
    ///   and ``RollcallError/Code/cancelled``.
    public func receive() async throws(RollcallError) -> ServerFrame? {
        try await link.receive()
    }

    /// Closes the connection.
    ///
    /// Frames that have come can still be received.
    public func close() {
        link.close()
    }
}
