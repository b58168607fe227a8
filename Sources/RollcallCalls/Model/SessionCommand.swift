/// Something that a session asks the relay for: an absolute value, never a toggle.
///
/// The methods of ``CallSession`` with these names ask and return at once. ``CallSession/perform(_:)`` returns when the
/// relay has answered, and throws when it refuses.
public enum SessionCommand: Hashable, Sendable {
    /// Mutes the own microphone.
    case muteAudio
    /// Opens the own microphone.
    case unmuteAudio
    /// Turns the own camera off.
    case pauseVideo
    /// Turns the own camera on.
    case resumeVideo
    /// Begins to share the own screen.
    case startScreenSharing
    /// Stops sharing the own screen.
    case stopScreenSharing
    /// Raises the own hand; one that is up keeps its place.
    case raiseHand
    /// Lowers the own hand.
    case lowerHand
    /// Sets the own display name, at most 256 bytes.
    case setDisplayName(String)
    /// Sets, or with nil removes, an attribute of the own person: a key of 1..64 bytes, a value of at most 1,024.
    case setAttribute(String, [UInt8]?)
    /// Declines a request to unmute.
    case declineUnmute

    /// Mutes a person on all devices.
    case muteParticipant(participantId: String)
    /// Turns all cameras of a person off.
    case pauseParticipantVideo(participantId: String)
    /// Stops a person's screen share.
    case stopParticipantScreenShare(participantId: String)
    /// Lowers a person's hand.
    case lowerParticipantHand(participantId: String)
    /// Lowers every hand, the own one too.
    case lowerAllHands
    /// Mutes everybody else, once; who joins later is not muted by it.
    case muteAll
    /// Asks a person to unmute: nobody can unmute another. The request lapses after 30 seconds.
    case requestUnmute(participantId: String)
    /// Keeps a person muted.
    case lockAudio(participantId: String)
    /// Lets a person unmute again.
    case unlockAudio(participantId: String)
    /// Keeps a person's cameras off.
    case lockVideo(participantId: String)
    /// Lets a person turn their cameras on again.
    case unlockVideo(participantId: String)
    /// Puts people into the spotlight, in that order, for everyone; at most 32, and nobody is none.
    case spotlight(participantIds: [String])
    /// Removes a person until the meeting ends.
    case removeParticipant(participantId: String)
    /// Makes a person a moderator, or an ordinary participant again.
    case setModerator(participantId: String, Bool)

    /// Starts the recording; one that runs goes on as it is.
    case startRecording
    /// Stops the recording.
    case stopRecording
    /// Sets the title of the call, at most 256 bytes.
    case setTitle(String)
    /// Policy: everybody is kept muted, also who joins later.
    case setStandingMute(Bool)
    /// Policy: hands may be raised.
    case setHandsEnabled(Bool)
    /// Policy: only moderators may moderate.
    case setModeratorsOnly(Bool)
    /// Keeps new people out, or lets them in again.
    case lockCall(Bool)
}
