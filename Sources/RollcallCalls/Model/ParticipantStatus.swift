public import Foundation

/// What a participant does in the call now.
///
/// It is never a guess: a participant is shown only once all of this is known.
public struct ParticipantStatus: Hashable, Sendable {
    /// Whether every microphone of the person is muted.
    public var isAudioMuted = false
    /// Whether every camera of the person is off.
    public var isVideoPaused = false
    /// Whether any device of the person shares its screen.
    public var isPresenting = false
    /// Whether the hand is up.
    public var isHandRaised = false
    /// When the hand went up, by the relay's clock; nil while it is down.
    ///
    /// The own hand that the relay does not know yet has the time of this device's clock.
    public var handRaisedAt: Date?
    /// Whether this client has pinned the participant; local.
    public var isPinned = false
    /// Whether a moderator has put the participant into the spotlight, for everyone.
    public var isSpotlit = false
    /// Whether the participant is the dominant speaker.
    public var isDominantSpeaker = false
    /// Whether every device of the person has lost its link and may come back.
    public var isReconnecting = false
    /// Whether a moderator keeps the person muted.
    public var isAudioLocked = false
    /// Whether a moderator keeps the person's cameras off.
    public var isVideoLocked = false
    /// Whether a moderator has asked the person to unmute, and the request stands.
    public var isUnmuteRequested = false

    /// A status at rest: unmuted, camera on, not presenting, hand down, and nothing else.
    public init() {}
}
