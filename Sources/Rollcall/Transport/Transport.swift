/// A stream of bytes to a relay: what the client's rules stand on.
///
/// Sockets are one kind; TLS, WebSocket or a system's own network library can be others.
package protocol Transport: AnyObject, Sendable {
    /// Sends bytes, as soon as the stream is open. Never blocks; what is not taken at once is kept.
    func send(_ bytes: [UInt8])

    /// Closes the stream. The handler may be called once more while this runs, and not afterwards.
    func close()

    /// Whether the stream is read; what comes meanwhile waits in the system, and then at the sender.
    func setReading(_ isReading: Bool)
}

/// Who is told what happens on a ``Transport``; always from the library's own thread.
package protocol TransportHandler: AnyObject, Sendable {
    /// The stream is open.
    func transportConnected(_ transport: any Transport)

    /// Bytes came; they are only valid during the call.
    func transport(_ transport: any Transport, received bytes: Span<UInt8>)

    /// The stream could not be opened, or has ended. Nothing follows.
    func transport(_ transport: any Transport, lost cause: RollcallError)
}
