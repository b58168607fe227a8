/// A part of a call's screen that settings can hide.
///
/// Rollcall has no screen of its own: the app reads what to hide and hides it. To hide is not to forbid. A hidden
/// raise-hand button leaves the hands as they are, and another client may still raise one; what must not happen is a
/// policy of the call, such as ``CallSession/setHandsEnabled(_:)``.
public enum SessionControl: String, CaseIterable, Hashable, Sendable {
    /// The bar with all buttons.
    case controlPanel
    /// The bar with the title.
    case headerPanel
    /// The clock that counts since the join.
    case sessionTimer
    /// Leaves the call.
    case leaveSessionButton
    /// Mutes and unmutes the own microphone.
    case toggleAudioButton
    /// Pauses and resumes the own camera.
    case toggleVideoButton
    /// Changes between the front and the back camera.
    case switchCameraButton
    /// Chooses where the sound comes out.
    case audioModeButton
    /// Raises and lowers the own hand.
    case raiseHandButton
    /// Starts and stops sharing the screen.
    case screenSharingButton
    /// Opens the list of participants.
    case participantListButton
    /// Changes how participants are arranged.
    case changeLayoutButton
    /// Puts something else behind the person.
    case virtualBackgroundButton
    /// Opens the settings of microphone and camera.
    case settingsButton
    /// Shows how good the network is.
    case networkIndicator
    /// Shows that the call is recorded.
    case recordingStatusIndicator
    /// Starts and stops a recording.
    case recordingButton
    /// Shares an invitation to the call.
    case shareInviteButton
    /// Opens the chat.
    case chatButton
    /// Starts and stops a transcription.
    case transcriptionButton
    /// Shows and hides captions.
    case closedCaptionButton

    /// What is hidden unless the app says otherwise: what needs more than the call itself.
    public static let hiddenByDefault: Set<SessionControl> = [
        .recordingButton, .shareInviteButton, .chatButton, .transcriptionButton, .closedCaptionButton,
    ]
}
