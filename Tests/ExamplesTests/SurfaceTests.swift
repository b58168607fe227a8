import RollcallCalls
import Testing

/// The names and labels that call apps are written against.
///
/// A renamed one does not compile here, or is not called.
@Suite struct SurfaceTests {
    /// One call for each method keeps the compiler from weighing all of them at once.
    private func plain(_ method: (CallSession) -> () -> Void) { method(CallSession())() }
    private func named(_ method: (CallSession) -> (String) -> Void) { method(CallSession())("nobody") }

    /// Outside a session nothing happens, and nothing traps.
    @Test("a session has every method by its name and labels")
    func methods() {
        plain(CallSession.muteAudio)
        plain(CallSession.unmuteAudio)
        plain(CallSession.pauseVideo)
        plain(CallSession.resumeVideo)
        plain(CallSession.switchCamera)
        plain(CallSession.raiseHand)
        plain(CallSession.lowerHand)
        plain(CallSession.unpinParticipant)
        plain(CallSession.startRecording)
        plain(CallSession.stopRecording)
        plain(CallSession.startScreenSharing)
        plain(CallSession.stopScreenSharing)
        plain(CallSession.enablePictureInPictureLayout)
        plain(CallSession.disablePictureInPictureLayout)
        plain(CallSession.leaveSession)
        plain(CallSession.clearAllListeners)
        plain(CallSession.hideSettingsPanel)
        plain(CallSession.startTranscription)
        plain(CallSession.stopTranscription)
        plain(CallSession.lowerAllHands)
        plain(CallSession.muteAll)
        named(CallSession.muteParticipant(participantId:))
        named(CallSession.pauseParticipantVideo(participantId:))
        named(CallSession.lowerHand(participantId:))
        named(CallSession.requestUnmute(participantId:))
        named(CallSession.lockAudio(participantId:))
        named(CallSession.spotlight(participantId:))
        named(CallSession.removeParticipant(participantId:))
        // By their words, as apps that were written for strings call them.
        named(CallSession.setAudioMode(_:))
        named(CallSession.setLayout(_:))
        let session = CallSession()
        session.setAudioMode(AudioMode.earpiece)
        session.setLayout(LayoutType.sidebar)
        session.pinParticipant(participantId: "nobody", type: "pin")
        session.setChatButtonUnreadCount(3)
        #expect(!session.isCallSessionActive())
        #expect(session.participants.isEmpty && session.raisedHands.isEmpty && session.search("").isEmpty)
        #expect(session.participant(uid: "nobody") == nil)
    }

    @Test("a session has a method to add and to remove each kind of listener")
    func registration() {
        let session = CallSession()
        let listener = EveryCallback()
        for _ in 0..<2 {
            session.addSessionStatusListener(listener)
            session.addParticipantEventListener(listener)
            session.addMediaEventsListener(listener)
            session.addButtonClickListener(listener)
            session.addLayoutListener(listener)
        }
        session.removeSessionStatusListener(listener)
        session.removeParticipantEventListener(listener)
        session.removeMediaEventsListener(listener)
        session.removeButtonClickListener(listener)
        session.removeLayoutListener(listener)
        #expect(listener.called.isEmpty)
    }

    @Test("a session has every property by its name and type")
    func properties() {
        // Another test may be in a call with the shared one.
        let shared: CallSession = CallSession.shared
        let session = CallSession()
        #expect(shared !== session)
        let participants: [Participant] = session.participants
        let hands: [RaisedHand] = session.raisedHands
        let error: RollcallCallException? = session.lastError
        #expect(participants.isEmpty && hands.isEmpty && error == nil)
    }

    @Test("a participant has every property by its name and type, the older flags too")
    func participant() {
        var facts = Participant.Facts(uid: "ana")
        facts.status.isAudioMuted = true
        let ana = Participant(facts)
        let texts: [String?] = [ana.uid, ana.name, ana.avatar, ana.mid, ana.state, ana.deviceID]
        let times: [Int] = [ana.joinedAt, ana.leftAt, ana.raisedHandTimestamp]
        let minutes: [Double] = [ana.totalAudioMinutes, ana.totalVideoMinutes, ana.totalDurationInMinutes]
        #expect(texts.compactMap(\.self) == ["ana", "ongoing"])
        #expect(times == [0, 0, 0] && minutes == [0, 0, 0])
        let older: [Bool] = [
            ana.isJoined, ana.isAudioMuted, ana.audioMuted, ana.isVideoPaused, ana.videoPaused, ana.isPresenting,
            ana.isPinned,
        ]
        #expect(older == [true, true, true, false, false, false, false])
        let status: ParticipantStatus = ana.status
        let flags: [Bool] = [
            status.isAudioMuted, status.isVideoPaused, status.isPresenting, status.isHandRaised, status.isPinned,
            status.isSpotlit, status.isReconnecting, status.isAudioLocked,
        ]
        #expect(flags == [true, false, false, false, false, false, false, false])
        #expect(status.handRaisedAt == nil)
        let role: String = ana.role
        let attributes: [String: [UInt8]] = ana.attributes
        let devices: [ParticipantDevice] = ana.devices
        #expect(role == "participant" && attributes.isEmpty && devices.isEmpty)
    }

    @Test("a listener is called by every name and label")
    func listeners() {
        let listener = EveryCallback()
        let somebody = Participant(Participant.Facts(uid: "ana"))
        let people: any ParticipantEventListener = listener
        people.onParticipantJoined(participant: somebody)
        people.onParticipantLeft(participant: somebody)
        people.onParticipantListChanged(participants: [somebody])
        people.onParticipantAudioMuted(participant: somebody)
        people.onParticipantAudioUnmuted(participant: somebody)
        people.onParticipantVideoPaused(participant: somebody)
        people.onParticipantVideoResumed(participant: somebody)
        people.onParticipantHandRaised(participant: somebody)
        people.onParticipantHandLowered(participant: somebody)
        people.onParticipantStartedScreenShare(participant: somebody)
        people.onParticipantStoppedScreenShare(participant: somebody)
        people.onParticipantStartedRecording(participant: somebody)
        people.onParticipantStoppedRecording(participant: somebody)
        people.onDominantSpeakerChanged(participant: somebody)
        people.onDominantSpeakerCleared()
        people.onParticipantReconnecting(participant: somebody)
        people.onParticipantReconnected(participant: somebody)
        people.onParticipantStatusChanged(participant: somebody, old: ParticipantStatus(), new: ParticipantStatus())
        people.onRaisedHandsChanged(raisedHands: [])
        let media: any MediaEventsListener = listener
        media.onAudioMuted()
        media.onAudioUnMuted()
        media.onVideoPaused()
        media.onVideoResumed()
        media.onRecordingStarted()
        media.onRecordingStopped()
        media.onScreenShareStarted()
        media.onScreenShareStopped()
        media.onAudioModeChanged(audioMode: .earpiece)
        media.onCameraFacingChanged(cameraFacing: .REAR)
        let session: any SessionStatusListener = listener
        session.onSessionJoined()
        session.onSessionLeft()
        session.onSessionTimedOut()
        session.onConnectionLost()
        session.onConnectionRestored()
        session.onConnectionClosed()
        let buttons: any ButtonClickListener = listener
        buttons.onLeaveSessionButtonClicked()
        buttons.onToggleAudioButtonClicked()
        buttons.onToggleVideoButtonClicked()
        buttons.onSwitchCameraButtonClicked()
        buttons.onRaiseHandButtonClicked()
        buttons.onShareInviteButtonClicked()
        buttons.onChangeLayoutButtonClicked()
        buttons.onParticipantListButtonClicked()
        buttons.onChatButtonClicked()
        buttons.onRecordingToggleButtonClicked()
        let layout: any LayoutListener = listener
        layout.onCallLayoutChanged(layoutType: .sidebar)
        layout.onParticipantListVisible()
        layout.onParticipantListHidden()
        layout.onPictureInPictureLayoutEnabled()
        layout.onPictureInPictureLayoutDisabled()
        #expect(Set(listener.called).count == 50)
        #expect(listener.called.count == 50)
    }

    @Test("a listener need not have any method")
    func defaults() {
        final class Silent: ParticipantEventListener, MediaEventsListener, SessionStatusListener, ButtonClickListener,
            LayoutListener
        {}
        let session = CallSession()
        let silent = Silent()
        session.addParticipantEventListener(silent)
        session.addMediaEventsListener(silent)
        #expect(!session.isCallSessionActive())
    }
}

/// Notes the name of each method that is called.
private final class EveryCallback: ParticipantEventListener, MediaEventsListener, SessionStatusListener,
    ButtonClickListener, LayoutListener
{
    private(set) var called: [String] = []

    private func note(_ name: String = #function) { called.append(name) }

    func onParticipantJoined(participant: Participant) { note() }
    func onParticipantLeft(participant: Participant) { note() }
    func onParticipantListChanged(participants: [Participant]) { note() }
    func onParticipantAudioMuted(participant: Participant) { note() }
    func onParticipantAudioUnmuted(participant: Participant) { note() }
    func onParticipantVideoPaused(participant: Participant) { note() }
    func onParticipantVideoResumed(participant: Participant) { note() }
    func onParticipantHandRaised(participant: Participant) { note() }
    func onParticipantHandLowered(participant: Participant) { note() }
    func onParticipantStartedScreenShare(participant: Participant) { note() }
    func onParticipantStoppedScreenShare(participant: Participant) { note() }
    func onParticipantStartedRecording(participant: Participant) { note() }
    func onParticipantStoppedRecording(participant: Participant) { note() }
    func onDominantSpeakerChanged(participant: Participant) { note() }
    func onDominantSpeakerCleared() { note() }
    func onParticipantReconnecting(participant: Participant) { note() }
    func onParticipantReconnected(participant: Participant) { note() }
    func onParticipantStatusChanged(participant: Participant, old: ParticipantStatus, new: ParticipantStatus) { note() }
    func onRaisedHandsChanged(raisedHands: [RaisedHand]) { note() }

    func onAudioMuted() { note() }
    func onAudioUnMuted() { note() }
    func onVideoPaused() { note() }
    func onVideoResumed() { note() }
    func onRecordingStarted() { note() }
    func onRecordingStopped() { note() }
    func onScreenShareStarted() { note() }
    func onScreenShareStopped() { note() }
    func onAudioModeChanged(audioMode: AudioMode) { note() }
    func onCameraFacingChanged(cameraFacing: CameraFacing) { note() }

    func onSessionJoined() { note() }
    func onSessionLeft() { note() }
    func onSessionTimedOut() { note() }
    func onConnectionLost() { note() }
    func onConnectionRestored() { note() }
    func onConnectionClosed() { note() }

    func onLeaveSessionButtonClicked() { note() }
    func onToggleAudioButtonClicked() { note() }
    func onToggleVideoButtonClicked() { note() }
    func onSwitchCameraButtonClicked() { note() }
    func onRaiseHandButtonClicked() { note() }
    func onShareInviteButtonClicked() { note() }
    func onChangeLayoutButtonClicked() { note() }
    func onParticipantListButtonClicked() { note() }
    func onChatButtonClicked() { note() }
    func onRecordingToggleButtonClicked() { note() }

    func onCallLayoutChanged(layoutType: LayoutType) { note() }
    func onParticipantListVisible() { note() }
    func onParticipantListHidden() { note() }
    func onPictureInPictureLayoutEnabled() { note() }
    func onPictureInPictureLayoutDisabled() { note() }
}
