/// What became of a call.
///
/// A relay knows ``ongoing`` and ``ended`` only. The others belong to ringing, which Rollcall leaves to the app; they
/// are there so that code which names them compiles.
public enum CallStatus: String, CaseIterable, Hashable, Sendable {
    /// Somebody is in it.
    case ongoing
    /// Everybody has left it.
    case ended
    /// It rings; never from a relay.
    case initiated
    /// Whoever was called is in another call; never from a relay.
    case busy
    /// Whoever was called does not want it; never from a relay.
    case rejected
    /// Whoever called gave up; never from a relay.
    case cancelled
    /// Nobody answered; never from a relay.
    case unanswered
    /// It rang in vain on this device; never from a relay.
    case missed
}
