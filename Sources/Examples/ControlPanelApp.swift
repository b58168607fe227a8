public import Foundation
public import RollcallCalls

/// The control panel of a call screen, without the screen: how its buttons look, and what they do.
///
/// A tap asks, an event shows: a toggle never changes by the tap itself. So it is right also when a moderator mutes
/// this client, when the relay refuses, and from the first moment on, since what is not at rest is told at the join.
/// Use it on the session's callback queue, which is the main queue in an app.
public final class ControlPanelApp: MediaEventsListener, SessionStatusListener, ParticipantEventListener {
    /// What the timer shows.
    public enum SessionTimer: Hashable, Sendable {
        /// Not joined yet.
        case waiting
        /// Counts from that moment, by the relay's clock.
        case running(since: Date)
        /// Counts on, while the connection is made again.
        case reconnecting(since: Date)
        /// The session is over.
        case ended(SessionEndReason?)
    }

    /// Whether the microphone's button shows muted.
    public private(set) var isAudioMuted = false
    /// Whether the camera's button shows off.
    public private(set) var isVideoPaused = false
    /// Whether the button for the screen shows sharing.
    public private(set) var isSharingScreen = false
    /// Whether the recording's button shows on.
    public private(set) var isRecording = false
    /// Whether the hand's button shows up.
    public private(set) var isHandRaised = false
    /// What the button for the sound shows.
    public private(set) var audioMode = AudioMode.speaker
    /// What the button for the camera shows.
    public private(set) var cameraFacing = CameraFacing.FRONT
    /// The number on the button that shows the participants.
    public private(set) var participantCount = 0
    /// The timer.
    public private(set) var timer = SessionTimer.waiting
    /// Is called when the panel is to be drawn anew.
    public var onChange: () -> Void = {}

    private let session: CallSession

    /// The panel of a session, joined already or not yet.
    public init(session: CallSession = .shared) {
        self.session = session
        session.addMediaEventsListener(self)
        session.addSessionStatusListener(self)
        session.addParticipantEventListener(self)
    }

    private func show<Value>(_ value: Value, in shown: ReferenceWritableKeyPath<ControlPanelApp, Value>) {
        self[keyPath: shown] = value
        onChange()
    }

    // MARK: What the buttons do

    /// The microphone's button.
    public func tapAudio() { isAudioMuted ? session.unmuteAudio() : session.muteAudio() }
    /// The camera's button.
    public func tapVideo() { isVideoPaused ? session.resumeVideo() : session.pauseVideo() }
    /// The button for the screen.
    public func tapScreen() { isSharingScreen ? session.stopScreenSharing() : session.startScreenSharing() }
    /// The recording's button.
    public func tapRecording() { isRecording ? session.stopRecording() : session.startRecording() }
    /// The hand's button.
    public func tapHand() { isHandRaised ? session.lowerHand() : session.raiseHand() }
    /// The button that changes the camera.
    public func tapSwitchCamera() { session.switchCamera() }
    /// An entry of the menu for the sound.
    public func choose(_ mode: AudioMode) { session.setAudioMode(mode) }
    /// The button that leaves.
    public func tapLeave() { session.leaveSession() }

    // MARK: The own device

    /// The microphone's button.
    public func onAudioMuted() { show(true, in: \.isAudioMuted) }
    /// The microphone's button.
    public func onAudioUnMuted() { show(false, in: \.isAudioMuted) }
    /// The camera's button.
    public func onVideoPaused() { show(true, in: \.isVideoPaused) }
    /// The camera's button.
    public func onVideoResumed() { show(false, in: \.isVideoPaused) }
    /// The button for the screen.
    public func onScreenShareStarted() { show(true, in: \.isSharingScreen) }
    /// The button for the screen.
    public func onScreenShareStopped() { show(false, in: \.isSharingScreen) }
    /// The recording's button.
    public func onRecordingStarted() { show(true, in: \.isRecording) }
    /// The recording's button.
    public func onRecordingStopped() { show(false, in: \.isRecording) }
    /// The button for the sound.
    public func onAudioModeChanged(audioMode: AudioMode) { show(audioMode, in: \.audioMode) }
    /// The button for the camera.
    public func onCameraFacingChanged(cameraFacing: CameraFacing) { show(cameraFacing, in: \.cameraFacing) }

    // MARK: The session

    private var joined: Date {
        Date(timeIntervalSince1970: TimeInterval(session.localParticipant?.joinedAt ?? 0))
    }

    /// The timer starts.
    public func onSessionJoined() { show(.running(since: joined), in: \.timer) }
    /// The timer says so.
    public func onConnectionLost() { show(.reconnecting(since: joined), in: \.timer) }
    /// The timer says so no more.
    public func onConnectionRestored() { show(.running(since: joined), in: \.timer) }
    /// The timer ends.
    public func onSessionLeft() { show(.ended(session.endReason), in: \.timer) }
    /// The timer ends.
    public func onSessionTimedOut() { show(.ended(session.endReason), in: \.timer) }
    /// The timer ends.
    public func onConnectionClosed() { show(.ended(session.endReason), in: \.timer) }

    // MARK: The people

    /// The number on the button that shows the participants.
    public func onParticipantListChanged(participants: [Participant]) {
        show(participants.count, in: \.participantCount)
    }

    /// The hand's button.
    public func onRaisedHandsChanged(raisedHands: [RaisedHand]) {
        show(raisedHands.contains { $0.participant.isLocal }, in: \.isHandRaised)
    }
}
