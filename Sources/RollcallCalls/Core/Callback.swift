/// A kind of listener.
package enum ListenerKind: CaseIterable, Hashable, Sendable {
    case session
    case participants
    case media
    case buttons
    case layout
}

/// Everything that can be called on a listener, with what it is called with.
package enum Callback: Hashable, Sendable {
    // SessionStatusListener
    case sessionJoined
    case sessionEnded(SessionEndReason)
    case connectionLost
    case connectionRestored

    // ParticipantEventListener
    case participantJoined(Participant)
    case participantLeft(Participant)
    case participantListChanged([Participant])
    case participantAudioMuted(Participant)
    case participantAudioUnmuted(Participant)
    case participantVideoPaused(Participant)
    case participantVideoResumed(Participant)
    case participantHandRaised(Participant)
    case participantHandLowered(Participant)
    case participantStartedScreenShare(Participant)
    case participantStoppedScreenShare(Participant)
    case participantStartedRecording(Participant)
    case participantStoppedRecording(Participant)
    case dominantSpeakerChanged(Participant)
    case dominantSpeakerCleared
    case participantReconnecting(Participant)
    case participantReconnected(Participant)
    case participantStatusChanged(Participant, old: ParticipantStatus, new: ParticipantStatus)
    case raisedHandsChanged([RaisedHand])

    // MediaEventsListener
    case audioMuted
    case audioUnMuted
    case videoPaused
    case videoResumed
    case recordingStarted
    case recordingStopped
    case screenShareStarted
    case screenShareStopped
    case audioModeChanged(AudioMode)
    case cameraFacingChanged(CameraFacing)

    // ButtonClickListener
    case buttonClicked(CallButton)

    // LayoutListener
    case callLayoutChanged(LayoutType)
    case participantListVisible
    case participantListHidden
    case pictureInPictureEnabled
    case pictureInPictureDisabled
}

extension Callback {
    /// Whom it is for.
    package var kind: ListenerKind {
        switch self {
        case .sessionJoined, .sessionEnded, .connectionLost, .connectionRestored:
            .session
        case .participantJoined, .participantLeft, .participantListChanged, .participantAudioMuted,
            .participantAudioUnmuted, .participantVideoPaused, .participantVideoResumed, .participantHandRaised,
            .participantHandLowered, .participantStartedScreenShare, .participantStoppedScreenShare,
            .participantStartedRecording, .participantStoppedRecording, .dominantSpeakerChanged,
            .dominantSpeakerCleared, .participantReconnecting, .participantReconnected, .participantStatusChanged,
            .raisedHandsChanged:
            .participants
        case .audioMuted, .audioUnMuted, .videoPaused, .videoResumed, .recordingStarted, .recordingStopped,
            .screenShareStarted, .screenShareStopped, .audioModeChanged, .cameraFacingChanged:
            .media
        case .buttonClicked:
            .buttons
        case .callLayoutChanged, .participantListVisible, .participantListHidden, .pictureInPictureEnabled,
            .pictureInPictureDisabled:
            .layout
        }
    }

    /// Whether it is about the own person alone, which an app may not want to hear of.
    ///
    /// Who records and who is the dominant speaker are facts of the call.
    package var isAboutLocalParticipant: Bool {
        switch self {
        case .participantJoined(let who), .participantLeft(let who), .participantAudioMuted(let who),
            .participantAudioUnmuted(let who), .participantVideoPaused(let who), .participantVideoResumed(let who),
            .participantHandRaised(let who), .participantHandLowered(let who), .participantStartedScreenShare(let who),
            .participantStoppedScreenShare(let who), .participantReconnecting(let who),
            .participantReconnected(let who), .participantStatusChanged(let who, _, _):
            who.isLocal
        default:
            false
        }
    }
}
