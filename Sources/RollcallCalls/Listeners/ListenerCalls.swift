// From a callback to the method that it stands for. One of another kind is nobody's, and calls nothing.

extension SessionStatusListener {
    func call(_ callback: Callback) {
        switch callback {
        case .sessionJoined: onSessionJoined()
        case .connectionLost: onConnectionLost()
        case .connectionRestored: onConnectionRestored()
        case .sessionEnded(let reason):
            switch reason {
            case .left, .removed, .replaced: onSessionLeft()
            case .timedOut: onSessionTimedOut()
            case .connectionClosed: onConnectionClosed()
            }
        default: break
        }
    }
}

extension ParticipantEventListener {
    func call(_ callback: Callback) {
        switch callback {
        case .participantJoined(let who): onParticipantJoined(participant: who)
        case .participantLeft(let who): onParticipantLeft(participant: who)
        case .participantListChanged(let everybody): onParticipantListChanged(participants: everybody)
        case .participantAudioMuted(let who): onParticipantAudioMuted(participant: who)
        case .participantAudioUnmuted(let who): onParticipantAudioUnmuted(participant: who)
        case .participantVideoPaused(let who): onParticipantVideoPaused(participant: who)
        case .participantVideoResumed(let who): onParticipantVideoResumed(participant: who)
        case .participantHandRaised(let who): onParticipantHandRaised(participant: who)
        case .participantHandLowered(let who): onParticipantHandLowered(participant: who)
        case .participantStartedScreenShare(let who): onParticipantStartedScreenShare(participant: who)
        case .participantStoppedScreenShare(let who): onParticipantStoppedScreenShare(participant: who)
        case .participantStartedRecording(let who): onParticipantStartedRecording(participant: who)
        case .participantStoppedRecording(let who): onParticipantStoppedRecording(participant: who)
        case .dominantSpeakerChanged(let who): onDominantSpeakerChanged(participant: who)
        case .dominantSpeakerCleared: onDominantSpeakerCleared()
        case .participantReconnecting(let who): onParticipantReconnecting(participant: who)
        case .participantReconnected(let who): onParticipantReconnected(participant: who)
        case .participantStatusChanged(let who, let old, let new):
            onParticipantStatusChanged(participant: who, old: old, new: new)
        case .raisedHandsChanged(let hands): onRaisedHandsChanged(raisedHands: hands)
        default: break
        }
    }
}

extension MediaEventsListener {
    func call(_ callback: Callback) {
        switch callback {
        case .audioMuted: onAudioMuted()
        case .audioUnMuted: onAudioUnMuted()
        case .videoPaused: onVideoPaused()
        case .videoResumed: onVideoResumed()
        case .recordingStarted: onRecordingStarted()
        case .recordingStopped: onRecordingStopped()
        case .screenShareStarted: onScreenShareStarted()
        case .screenShareStopped: onScreenShareStopped()
        case .audioModeChanged(let mode): onAudioModeChanged(audioMode: mode)
        case .cameraFacingChanged(let facing): onCameraFacingChanged(cameraFacing: facing)
        default: break
        }
    }
}

extension ButtonClickListener {
    func call(_ callback: Callback) {
        guard case .buttonClicked(let button) = callback else { return }
        switch button {
        case .leaveSession: onLeaveSessionButtonClicked()
        case .toggleAudio: onToggleAudioButtonClicked()
        case .toggleVideo: onToggleVideoButtonClicked()
        case .switchCamera: onSwitchCameraButtonClicked()
        case .raiseHand: onRaiseHandButtonClicked()
        case .shareInvite: onShareInviteButtonClicked()
        case .changeLayout: onChangeLayoutButtonClicked()
        case .participantList: onParticipantListButtonClicked()
        case .chat: onChatButtonClicked()
        case .recordingToggle: onRecordingToggleButtonClicked()
        }
    }
}

extension LayoutListener {
    func call(_ callback: Callback) {
        switch callback {
        case .callLayoutChanged(let layout): onCallLayoutChanged(layoutType: layout)
        case .participantListVisible: onParticipantListVisible()
        case .participantListHidden: onParticipantListHidden()
        case .pictureInPictureEnabled: onPictureInPictureLayoutEnabled()
        case .pictureInPictureDisabled: onPictureInPictureLayoutDisabled()
        default: break
        }
    }
}
