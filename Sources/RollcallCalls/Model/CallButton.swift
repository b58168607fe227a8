/// A button of the app's own call screen; see ``CallSession/buttonClicked(_:)`` and ``ButtonClickListener``.
public enum CallButton: CaseIterable, Hashable, Sendable {
    /// Leaves the session.
    case leaveSession
    /// Mutes or opens the microphone.
    case toggleAudio
    /// Turns the camera off or on.
    case toggleVideo
    /// Changes to the other camera.
    case switchCamera
    /// Raises or lowers the hand.
    case raiseHand
    /// Invites somebody.
    case shareInvite
    /// Changes the layout.
    case changeLayout
    /// Shows or hides the list of participants.
    case participantList
    /// Shows the chat.
    case chat
    /// Starts or stops the recording.
    case recordingToggle
}
