package import CallState

/// Something that the owner of a ``ClientCore`` shall do, in order.
package enum ClientEffect: Sendable {
    /// Make a connection; ``ClientCore/connected(at:)`` or ``ClientCore/linkLost(_:at:)`` follows.
    case connect
    /// Send bytes on the connection.
    case send([UInt8])
    /// Close the connection once what was sent has left, if it leaves soon. Nothing that comes from it counts any more.
    case disconnect
    /// The state is complete for the first time: the join is done.
    case complete
    /// What the app sees of the state has changed.
    case changed
    /// The connection's state has changed.
    case connection(ConnectionState)
    /// The relay has said that this client is behind, or that it has caught up; a lost connection ends it silently.
    case lagging(Bool)
    /// A command is answered, refused or lost.
    case finished(CommandToken, Result<Position, RollcallError>)
    /// A frame came; only when asked for.
    case trace(FrameTrace)
    /// It is over. Nothing follows.
    case closed(CloseReason)
}

/// Names a command towards the owner of a ``ClientCore``.
package struct CommandToken: Hashable, Sendable {
    package var number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }
}
