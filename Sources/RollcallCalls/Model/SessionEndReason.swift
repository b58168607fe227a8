/// Why a session is over for this client.
///
/// Each reason has one terminal callback of ``SessionStatusListener``, which comes once and is the last of its session.
public enum SessionEndReason: Hashable, Sendable {
    /// This client left: `onSessionLeft`.
    case left
    /// A moderator removed this person: `onSessionLeft`.
    case removed
    /// The same device joined from elsewhere and took this one's place: `onSessionLeft`.
    case replaced
    /// At most one person was in the call for the idle period: `onSessionTimedOut`.
    case timedOut
    /// The connection ended and can't be made again: `onConnectionClosed`. See ``CallSession/endError`` for why.
    case connectionClosed
}
