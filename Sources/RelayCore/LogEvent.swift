public import CallState
public import RollcallProtocol

/// Something that the log should have: a constant name and its facts.
public enum LogEvent: Hashable, Sendable {
    /// A meeting began.
    case meetingBegan(session: ByteString, meeting: ByteString, epoch: UInt64)
    /// A meeting ended.
    case meetingEnded(session: ByteString, meeting: ByteString, position: Position)
    /// A join was accepted.
    case joined(ConnectionID, session: ByteString, uid: ByteString, device: ByteString, outcome: Outcome)
    /// A device left.
    case left(session: ByteString, uid: ByteString, device: ByteString, reason: LeaveReason)
    /// A connection was refused or closed by a rule.
    case refused(ConnectionID, Refusal)
}
