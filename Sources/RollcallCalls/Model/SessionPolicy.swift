import CallState

/// What holds for everybody in a call, whatever app they use.
public struct SessionPolicy: Hashable, Sendable {
    /// Whether hands may be raised; see ``CallSession/setHandsEnabled(_:)``.
    public var areHandsEnabled: Bool
    /// Whether everybody is kept muted; see ``CallSession/setStandingMute(_:)``.
    public var isStandingMuteOn: Bool
    /// Whether everybody's camera is kept off.
    public var isStandingCameraOffOn: Bool
    /// Whether only moderators may moderate; see ``CallSession/setModeratorsOnly(_:)``.
    public var isModeratorsOnly: Bool
    /// Whether new people are kept out; see ``CallSession/lockCall(_:)``.
    public var isCallLocked: Bool
    /// After how many seconds with at most one person the call ends; 0 is never.
    public var idleTimeoutPeriod: Int

    init(_ policy: CallPolicy, isLocked: Bool) {
        areHandsEnabled = policy.handsEnabled
        isStandingMuteOn = policy.standingMute
        isStandingCameraOffOn = policy.standingCameraOff
        isModeratorsOnly = policy.moderation != .everyone
        isCallLocked = isLocked
        idleTimeoutPeriod = Int(clamping: policy.idle / 1_000)
    }
}
