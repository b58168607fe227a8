import Rollcall

// What holds for everybody in the call, also for those who join later and whatever app they use: the relay sees to it.
// It lasts until the meeting ends.

extension CallSession {
    /// What holds for everybody; nil before the first join.
    ///
    /// No callback tells that it has changed: read it when a screen is shown.
    public var policy: SessionPolicy? {
        shown.model.snapshot.map { SessionPolicy($0.policy, isLocked: $0.isLocked) }
    }

    /// Lets hands be raised, or not: then all that are up go down, and none can be raised.
    ///
    /// ``SessionSettings/hideRaiseHandButton`` only hides a button of this app.
    public func setHandsEnabled(_ enabled: Bool) { ask(.setHandsEnabled(enabled)) }

    /// Keeps everybody muted, or lets them unmute again; lifting it leaves them muted.
    public func setStandingMute(_ on: Bool) { ask(.setStandingMute(on)) }

    /// Lets only moderators mute others, remove them and decide for the call, or everybody.
    ///
    /// Refused while no moderator is in the call: nobody could undo it.
    public func setModeratorsOnly(_ on: Bool) { ask(.setModeratorsOnly(on)) }

    /// Keeps people out who are not in the call yet, or lets them in again.
    public func lockCall(_ locked: Bool) { ask(.lockCall(locked)) }
}
