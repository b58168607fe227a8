/// How a call is connected to its relay.
public enum ConnectionState: Sendable {
    /// The first connection is being made, or the join is not complete yet.
    case joining
    /// The state follows the relay; commands go out at once.
    case live
    /// The link was lost. The state stays readable as it was; commands wait. `attempt` counts from 1.
    case reconnecting(attempt: Int, cause: RollcallError)
    /// It is over, and why. Terminal.
    case closed(CloseReason)

    /// Whether the state follows the relay.
    public var isLive: Bool {
        if case .live = self { true } else { false }
    }

    /// Whether it is over.
    public var isClosed: Bool {
        if case .closed = self { true } else { false }
    }
}

/// Why a call is over for this client.
public enum CloseReason: Sendable {
    /// ``Call/leave(reason:)`` was called, or the call's object was dropped.
    case left
    /// The relay or the network ended it. The code tells removed, replaced, idle and so on apart.
    case ended(RollcallError)

    /// The failure; nil after leaving.
    public var error: RollcallError? {
        if case .ended(let error) = self { error } else { nil }
    }
}
