import Foundation
import RollcallCalls
import Synchronization
import TestSupport

/// A listener of all kinds that keeps what it hears, with the model as it was inside each callback, and judges it: see
/// ``AppBooks``.
final class Recorder: Sendable {
    private struct State {
        var hearings: [Hearing] = []
        var books = AppBooks()
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
    }

    /// Somebody who waits until something was heard.
    private struct Waiter {
        let condition: @Sendable ([Hearing]) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    /// How many seconds until something that was not heard counts as never: a busy machine is no fault.
    private static let patience = 120.0

    private let session: CallSession
    private let isJudging: Bool
    private let isCrowd: Bool
    private let state = Mutex(State())

    /// A listener that hears nothing before ``attach()``.
    ///
    /// - Parameters:
    ///   - isJudging: Whether an app that believes what it hears must have the session's state. Not so where the
    ///   session is told not to say everything.
    ///   - isCrowd: One of very many: it does not look at the model, and judges nothing.
    init(_ session: CallSession, isJudging: Bool = true, isCrowd: Bool = false) {
        self.session = session
        self.isJudging = isJudging && !isCrowd
        self.isCrowd = isCrowd
    }

    /// Begins to listen; the session does not keep it alive.
    func attach() {
        session.addSessionStatusListener(self)
        session.addParticipantEventListener(self)
        session.addMediaEventsListener(self)
        session.addLayoutListener(self)
        session.addButtonClickListener(self)
    }

    // MARK: Reading

    /// All that was heard, oldest first, without the people of the stage itself.
    var hearings: [Hearing] { state.withLock { $0.hearings }.filter { !Marker.isAbout($0.heard) } }

    /// All callbacks, oldest first, without the people of the stage itself.
    var heard: [Heard] { hearings.map(\.heard) }

    /// What was heard about a person.
    func heard(about uid: String) -> [Heard] { heard.filter { $0.uid == uid } }

    /// How often something was heard.
    func count(_ heard: Heard) -> Int { self.heard.filter { $0 == heard }.count }

    /// What was heard after `place`, which is the ``count`` of another moment.
    func heard(since place: Int) -> [Heard] { Array(heard.dropFirst(place)) }

    /// How much was heard until now.
    var count: Int { heard.count }

    /// What was wrong with what was heard; call it when the session is at rest.
    func faults() -> [String] {
        state.withLock { state in
            if isJudging, let last = state.hearings.last { state.books.compare(with: last.view) }
            return isJudging ? state.books.faults : []
        }
    }

    // MARK: Waiting

    /// Waits until something was heard.
    ///
    /// - Throws: When it was not after two minutes: then the test has failed.
    func until(_ heard: Heard, times: Int = 1) async throws {
        try await until("\(heard)") { hearings in hearings.filter { $0.heard == heard }.count >= times }
    }

    /// Waits until all that was heard is as wanted; looks whenever something is heard.
    ///
    /// - Throws: When it is not after two minutes: then the test has failed.
    func until(_ what: String, _ condition: @escaping @Sendable ([Hearing]) -> Bool) async throws {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        let isSo = await withCheckedContinuation { continuation in
            let isSo = state.withLock { state in
                if condition(state.hearings) { return true }
                state.waiters[number] = Waiter(condition: condition, continuation: continuation)
                return false
            }
            if isSo { return continuation.resume(returning: true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in self?.giveUp(number) }
        }
        if !isSo { throw Failure("never heard \(what); heard: \(heard.suffix(40))") }
    }

    /// Waits until the stage's own marker was heard to come or go, or the session is over.
    func untilMarked(isPresent: Bool) async throws {
        try await until(isPresent ? "the marker" : "the marker's end") { hearings in
            let last = hearings.last { [.joined(Marker.uid), .left(Marker.uid)].contains($0.heard) }
            return last?.heard == (isPresent ? .joined(Marker.uid) : .left(Marker.uid))
                || hearings.last?.heard.isTerminal == true
        }
    }

    private func giveUp(_ number: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume(returning: false)
    }

    // MARK: Hearing

    private func hear(_ heard: Heard, _ people: [Participant] = [], old: ParticipantStatus? = nil) {
        let hearing = Hearing(heard: heard, people: people, view: isCrowd ? View() : View(session), oldStatus: old)
        let ready = state.withLock { state in
            // Another state shows: all that belongs to the one before has been told.
            if isJudging, let last = state.hearings.last, last.view != hearing.view {
                state.books.compare(with: last.view)
            }
            state.books.enter(hearing)
            state.hearings.append(hearing)
            let ready = state.waiters.filter { $0.value.condition(state.hearings) }
            for number in ready.keys { state.waiters[number] = nil }
            return ready.values
        }
        for waiter in ready { waiter.continuation.resume(returning: true) }
    }

    private func uid(_ participant: Participant) -> String { participant.uid ?? "" }
}

extension Recorder: SessionStatusListener {
    func onSessionJoined() { hear(.sessionJoined) }
    func onSessionLeft() { hear(.sessionLeft) }
    func onSessionTimedOut() { hear(.sessionTimedOut) }
    func onConnectionLost() { hear(.connectionLost) }
    func onConnectionRestored() { hear(.connectionRestored) }
    func onConnectionClosed() { hear(.connectionClosed) }
}

extension Recorder: ParticipantEventListener {
    func onParticipantJoined(participant: Participant) { hear(.joined(uid(participant)), [participant]) }
    func onParticipantLeft(participant: Participant) { hear(.left(uid(participant)), [participant]) }
    func onParticipantListChanged(participants: [Participant]) { hear(.list(participants.map(uid)), participants) }
    func onParticipantAudioMuted(participant: Participant) { hear(.muted(uid(participant)), [participant]) }
    func onParticipantAudioUnmuted(participant: Participant) { hear(.unmuted(uid(participant)), [participant]) }
    func onParticipantVideoPaused(participant: Participant) { hear(.paused(uid(participant)), [participant]) }
    func onParticipantVideoResumed(participant: Participant) { hear(.resumed(uid(participant)), [participant]) }
    func onParticipantHandRaised(participant: Participant) { hear(.handRaised(uid(participant)), [participant]) }
    func onParticipantHandLowered(participant: Participant) { hear(.handLowered(uid(participant)), [participant]) }
    func onParticipantStartedScreenShare(participant: Participant) { hear(.sharing(uid(participant)), [participant]) }
    func onParticipantStoppedScreenShare(participant: Participant) {
        hear(.notSharing(uid(participant)), [participant])
    }
    func onParticipantStartedRecording(participant: Participant) { hear(.recording(uid(participant)), [participant]) }
    func onParticipantStoppedRecording(participant: Participant) {
        hear(.notRecording(uid(participant)), [participant])
    }
    func onDominantSpeakerChanged(participant: Participant) { hear(.dominant(uid(participant)), [participant]) }
    func onDominantSpeakerCleared() { hear(.nobodyDominant) }
    func onParticipantReconnecting(participant: Participant) { hear(.reconnecting(uid(participant)), [participant]) }
    func onParticipantReconnected(participant: Participant) { hear(.reconnected(uid(participant)), [participant]) }
    func onParticipantStatusChanged(participant: Participant, old: ParticipantStatus, new: ParticipantStatus) {
        hear(.status(uid(participant)), [participant], old: old)
    }
    func onRaisedHandsChanged(raisedHands: [RaisedHand]) {
        hear(.hands(raisedHands.map(\.uid)), raisedHands.map(\.participant))
    }
}

extension Recorder: MediaEventsListener {
    func onAudioMuted() { hear(.ownMuted) }
    func onAudioUnMuted() { hear(.ownUnmuted) }
    func onVideoPaused() { hear(.ownPaused) }
    func onVideoResumed() { hear(.ownResumed) }
    func onRecordingStarted() { hear(.ownRecording) }
    func onRecordingStopped() { hear(.ownNotRecording) }
    func onScreenShareStarted() { hear(.ownSharing) }
    func onScreenShareStopped() { hear(.ownNotSharing) }
    func onAudioModeChanged(audioMode: AudioMode) { hear(.audioMode(audioMode)) }
    func onCameraFacingChanged(cameraFacing: CameraFacing) { hear(.camera(cameraFacing)) }
}

extension Recorder: LayoutListener {
    func onCallLayoutChanged(layoutType: LayoutType) { hear(.layout(layoutType)) }
    func onParticipantListVisible() { hear(.listVisible) }
    func onParticipantListHidden() { hear(.listHidden) }
    func onPictureInPictureLayoutEnabled() { hear(.pictureInPicture) }
    func onPictureInPictureLayoutDisabled() { hear(.noPictureInPicture) }
}

extension Recorder: ButtonClickListener {
    func onLeaveSessionButtonClicked() { hear(.clicked(.leaveSession)) }
    func onToggleAudioButtonClicked() { hear(.clicked(.toggleAudio)) }
    func onToggleVideoButtonClicked() { hear(.clicked(.toggleVideo)) }
    func onSwitchCameraButtonClicked() { hear(.clicked(.switchCamera)) }
    func onRaiseHandButtonClicked() { hear(.clicked(.raiseHand)) }
    func onShareInviteButtonClicked() { hear(.clicked(.shareInvite)) }
    func onChangeLayoutButtonClicked() { hear(.clicked(.changeLayout)) }
    func onParticipantListButtonClicked() { hear(.clicked(.participantList)) }
    func onChatButtonClicked() { hear(.clicked(.chat)) }
    func onRecordingToggleButtonClicked() { hear(.clicked(.recordingToggle)) }
}
