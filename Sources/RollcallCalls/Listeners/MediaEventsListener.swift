/// Is told about this client's own device, and about the recording.
///
/// Also when a moderator caused the change. A control panel that counts from rest (unmuted, camera on, not presenting,
/// not recording, loudspeaker, front camera) is right from the start, since it is told what is not at rest.
public protocol MediaEventsListener: AnyObject {
    /// The own microphone is muted now.
    func onAudioMuted()
    /// The own microphone is open now.
    func onAudioUnMuted()
    /// The own camera is off now.
    func onVideoPaused()
    /// The own camera is on now.
    func onVideoResumed()
    /// The call is recorded now.
    func onRecordingStarted()
    /// The call is not recorded any more.
    func onRecordingStopped()
    /// The own screen is shared now.
    func onScreenShareStarted()
    /// The own screen is not shared any more.
    func onScreenShareStopped()
    /// The sound comes from elsewhere now.
    ///
    /// Unless it is implemented it calls ``onAudioModeChanged(audioModeType:)``.
    func onAudioModeChanged(audioMode: AudioMode)
    /// The sound comes from elsewhere now: the same by the label that some call apps use.
    func onAudioModeChanged(audioModeType: AudioModeType)
    /// Another camera is in use now.
    func onCameraFacingChanged(cameraFacing: CameraFacing)
}

extension MediaEventsListener {
    /// Does nothing.
    public func onAudioMuted() {}
    /// Does nothing.
    public func onAudioUnMuted() {}
    /// Does nothing.
    public func onVideoPaused() {}
    /// Does nothing.
    public func onVideoResumed() {}
    /// Does nothing.
    public func onRecordingStarted() {}
    /// Does nothing.
    public func onRecordingStopped() {}
    /// Does nothing.
    public func onScreenShareStarted() {}
    /// Does nothing.
    public func onScreenShareStopped() {}
    /// Calls ``onAudioModeChanged(audioModeType:)``.
    public func onAudioModeChanged(audioMode: AudioMode) { onAudioModeChanged(audioModeType: audioMode) }
    /// Does nothing.
    public func onAudioModeChanged(audioModeType: AudioModeType) {}
    /// Does nothing.
    public func onCameraFacingChanged(cameraFacing: CameraFacing) {}
}
