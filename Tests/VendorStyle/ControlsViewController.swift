import Dispatch
import RollcallCalls

// A control panel whose flags follow the media events.

class ControlsViewController: ViewController {
    let microphone = View()
    let camera = View()
    private(set) var isAudioMuted = false
    private(set) var isVideoPaused = false
    private(set) var isRecording = false
    private(set) var isSharing = false
    private(set) var output = AudioMode.speaker
    private(set) var facing = CameraFacing.FRONT
    private(set) var isOver = false
    private(set) var isOffline = false
    private(set) var joins = 0
    let session: CallSession

    init(session: CallSession = CallSession.shared) {
        self.session = session
        super.init()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        session.addMediaEventsListener(self)
        session.addSessionStatusListener(self)
    }

    deinit {
        session.removeMediaEventsListener(self)
        session.removeSessionStatusListener(self)
    }

    func toggleAudio() {
        if isAudioMuted {
            session.unmuteAudio()
        } else {
            session.muteAudio()
        }
    }

    func toggleVideo() {
        if isVideoPaused {
            session.resumeVideo()
        } else {
            session.pauseVideo()
        }
    }

    func switchCamera() {
        session.switchCamera()
    }

    func endCall() {
        if session.isCallSessionActive() { session.leaveSession() }
    }
}

extension ControlsViewController: MediaEventsListener {
    func onAudioMuted() {
        DispatchQueue.main.async {
            self.isAudioMuted = true
            self.microphone.reloadData()
        }
    }

    func onAudioUnMuted() {
        DispatchQueue.main.async {
            self.isAudioMuted = false
            self.microphone.reloadData()
        }
    }

    func onVideoPaused() {
        DispatchQueue.main.async {
            self.isVideoPaused = true
            self.camera.reloadData()
        }
    }

    func onVideoResumed() {
        DispatchQueue.main.async {
            self.isVideoPaused = false
            self.camera.reloadData()
        }
    }

    func onRecordingStarted() { DispatchQueue.main.async { self.isRecording = true } }
    func onRecordingStopped() { DispatchQueue.main.async { self.isRecording = false } }
    func onScreenShareStarted() { DispatchQueue.main.async { self.isSharing = true } }
    func onScreenShareStopped() { DispatchQueue.main.async { self.isSharing = false } }
    func onAudioModeChanged(audioMode: AudioMode) { DispatchQueue.main.async { self.output = audioMode } }
    func onCameraFacingChanged(cameraFacing: CameraFacing) {
        DispatchQueue.main.async { self.facing = cameraFacing }
    }
}

extension ControlsViewController: SessionStatusListener {
    func onSessionJoined() { DispatchQueue.main.async { self.joins += 1 } }
    func onSessionLeft() { DispatchQueue.main.async { self.isOver = true } }
    func onSessionTimedOut() { DispatchQueue.main.async { self.isOver = true } }
    func onConnectionLost() { DispatchQueue.main.async { self.isOffline = true } }
    func onConnectionRestored() { DispatchQueue.main.async { self.isOffline = false } }
    func onConnectionClosed() { DispatchQueue.main.async { self.isOver = true } }
}
