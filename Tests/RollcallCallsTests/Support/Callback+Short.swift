import RollcallCalls

extension Participant {
    var short: String { uid ?? "?" }
}

extension Callback {
    /// The callback in a few words: what, and who.
    var short: String {
        switch self {
        case .sessionJoined: "session joined"
        case .sessionEnded(let reason): "session ended \(reason)"
        case .connectionLost: "lost"
        case .connectionRestored: "restored"
        case .participantJoined(let who): "joined \(who.short)"
        case .participantLeft(let who): "left \(who.short)"
        case .participantListChanged(let all): "list \(all.map(\.short).joined(separator: ","))"
        case .participantAudioMuted(let who): "muted \(who.short)"
        case .participantAudioUnmuted(let who): "unmuted \(who.short)"
        case .participantVideoPaused(let who): "paused \(who.short)"
        case .participantVideoResumed(let who): "resumed \(who.short)"
        case .participantHandRaised(let who): "raised \(who.short)"
        case .participantHandLowered(let who): "lowered \(who.short)"
        case .participantStartedScreenShare(let who): "shares \(who.short)"
        case .participantStoppedScreenShare(let who): "stopped sharing \(who.short)"
        case .participantStartedRecording(let who): "records \(who.short)"
        case .participantStoppedRecording(let who): "stopped recording \(who.short)"
        case .dominantSpeakerChanged(let who): "dominant \(who.short)"
        case .dominantSpeakerCleared: "dominant nobody"
        case .participantReconnecting(let who): "reconnecting \(who.short)"
        case .participantReconnected(let who): "reconnected \(who.short)"
        case .participantStatusChanged(let who, _, _): "status \(who.short)"
        case .raisedHandsChanged(let hands): "hands \(hands.map(\.uid).joined(separator: ","))"
        case .audioMuted: "own muted"
        case .audioUnMuted: "own unmuted"
        case .videoPaused: "own paused"
        case .videoResumed: "own resumed"
        case .recordingStarted: "recording"
        case .recordingStopped: "recording stopped"
        case .screenShareStarted: "own shares"
        case .screenShareStopped: "own stopped sharing"
        case .audioModeChanged(let mode): "audio mode \(mode)"
        case .cameraFacingChanged(let facing): "camera \(facing)"
        case .buttonClicked(let button): "clicked \(button)"
        case .callLayoutChanged(let layout): "layout \(layout)"
        case .participantListVisible: "list visible"
        case .participantListHidden: "list hidden"
        case .pictureInPictureEnabled: "picture in picture"
        case .pictureInPictureDisabled: "no picture in picture"
        }
    }
}
