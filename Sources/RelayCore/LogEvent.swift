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
    /// At the start: so many of the calls that somebody was in when the relay ended are claimed.
    case claiming(done: Int, of: Int)
    /// A call goes on that was kept; `position` is where.
    case restored(session: ByteString, position: Position, isClean: Bool, people: Int)
    /// The store can't give a call, or can't keep what changes in it; it will be tried again.
    case storeUnavailable(session: ByteString, reason: ByteString)
    /// The store keeps the changes of a call again.
    case storeRecovered(session: ByteString)
    /// At the end of a planned stop: so many calls were not kept as they were. The first one was at `head`, and is kept
    /// up to the seq `kept`; if that is the same, only the note is missing that nothing else is. Both are 0 of a call
    /// that the store was asked for and has not given.
    case notKept(calls: Int, session: ByteString, kept: UInt64, head: Position)
    /// Another relay has a call that this one had: it was dropped.
    case fenced(session: ByteString)
    /// What is kept of a call is no call: nobody gets in, and nothing was changed in the store.
    case damaged(session: ByteString, reason: String)
}
