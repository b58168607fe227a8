/// Is told about the session of this client.
///
/// ``onSessionLeft()``, ``onSessionTimedOut()`` and ``onConnectionClosed()`` are terminal: one of them comes, once, and
/// nothing after it. ``CallSession/endReason`` says why.
public protocol SessionStatusListener: AnyObject {
    /// The session is joined, and its state complete and readable.
    func onSessionJoined()
    /// The session is over: this client has left, was removed, or its device joined elsewhere.
    func onSessionLeft()
    /// The session is over: at most one person was in the call for the idle period.
    func onSessionTimedOut()
    /// The connection is lost and is being made again; the state stays as it was.
    func onConnectionLost()
    /// The connection is made again: what changed meanwhile was told before, and what was asked for is answered.
    func onConnectionRestored()
    /// The session is over: the connection ended, and can't be made again.
    func onConnectionClosed()
}

extension SessionStatusListener {
    /// Does nothing.
    public func onSessionJoined() {}
    /// Does nothing.
    public func onSessionLeft() {}
    /// Does nothing.
    public func onSessionTimedOut() {}
    /// Does nothing.
    public func onConnectionLost() {}
    /// Does nothing.
    public func onConnectionRestored() {}
    /// Does nothing.
    public func onConnectionClosed() {}
}
