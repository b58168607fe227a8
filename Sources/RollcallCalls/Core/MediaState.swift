import Rollcall

/// What media listeners are told of; at the start of their counting it is at rest.
package struct MediaState: Hashable, Sendable {
    var isAudioMuted = false
    var isVideoPaused = false
    var isPresenting = false
    var recording: CallSnapshot.Recording?
    var audioMode = AudioMode.speaker
    var cameraFacing = CameraFacing.FRONT

    /// At rest.
    package init() {}

    /// At rest, but for what is local.
    init(_ local: LocalState) {
        audioMode = local.audioMode
        cameraFacing = local.cameraFacing
    }

    /// The callbacks that lead a listener from this to `new`.
    package func changes(to new: MediaState) -> [Callback] {
        var callbacks: [Callback] = []
        if isAudioMuted != new.isAudioMuted { callbacks.append(new.isAudioMuted ? .audioMuted : .audioUnMuted) }
        if isVideoPaused != new.isVideoPaused { callbacks.append(new.isVideoPaused ? .videoPaused : .videoResumed) }
        if isPresenting != new.isPresenting {
            callbacks.append(new.isPresenting ? .screenShareStarted : .screenShareStopped)
        }
        if recording != new.recording {
            if recording != nil { callbacks.append(.recordingStopped) }
            if new.recording != nil { callbacks.append(.recordingStarted) }
        }
        if audioMode != new.audioMode { callbacks.append(.audioModeChanged(new.audioMode)) }
        if cameraFacing != new.cameraFacing { callbacks.append(.cameraFacingChanged(new.cameraFacing)) }
        return callbacks
    }
}

/// What layout listeners are told of; at the start of their counting it is at rest.
package struct LayoutState: Hashable, Sendable {
    var layout = LayoutType.tile
    var isParticipantListVisible = false
    var isPictureInPicture = false

    /// At rest.
    package init() {}

    init(_ local: LocalState) {
        layout = local.layout
        isParticipantListVisible = local.isParticipantListVisible
        isPictureInPicture = local.isPictureInPicture
    }

    /// The callbacks that lead a listener from this to `new`.
    package func changes(to new: LayoutState) -> [Callback] {
        var callbacks: [Callback] = []
        if layout != new.layout { callbacks.append(.callLayoutChanged(new.layout)) }
        if isParticipantListVisible != new.isParticipantListVisible {
            callbacks.append(new.isParticipantListVisible ? .participantListVisible : .participantListHidden)
        }
        if isPictureInPicture != new.isPictureInPicture {
            callbacks.append(new.isPictureInPicture ? .pictureInPictureEnabled : .pictureInPictureDisabled)
        }
        return callbacks
    }
}
