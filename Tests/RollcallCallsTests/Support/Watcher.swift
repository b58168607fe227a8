import RollcallCalls
import Synchronization

/// A listener of several kinds that keeps what it hears, and lets a test wait for it.
final class Watcher: Sendable {
    fileprivate struct State {
        var heard: [String] = []
        /// Up to where a test has looked.
        var mark = 0
        var waiting: (text: String, CheckedContinuation<Void, Never>)?
        var onHeard: (@Sendable (String) -> Void)?
    }

    private let state = Mutex(State())

    /// Everything that was heard.
    var heard: [String] { state.withLock { $0.heard } }

    /// Calls `body` inside of each callback.
    func onHeard(_ body: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.onHeard = body }
    }

    /// Waits until `text` is heard, past everything that was waited for before.
    func hear(_ text: String) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isThere = state.withLock { state -> Bool in
                if state.pass(text) { return true }
                state.waiting = (text, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    private func note(_ callback: Callback) {
        add(callback.short)
    }

    /// Notes something that is no callback of a listener.
    func add(_ text: String) {
        let body = state.withLock { state in
            state.heard.append(text)
            return state.onHeard
        }
        body?(text)
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let (wanted, continuation) = state.waiting, state.pass(wanted) else { return nil }
            state.waiting = nil
            return continuation
        }
        waiting?.resume()
    }

    /// Listens to all of `session`.
    func listen(to session: CallSession) {
        session.addSessionStatusListener(self)
        session.addParticipantEventListener(self)
        session.addMediaEventsListener(self)
        session.addButtonClickListener(self)
        session.addLayoutListener(self)
    }
}

extension Watcher.State {
    fileprivate mutating func pass(_ text: String) -> Bool {
        guard let place = heard[mark...].firstIndex(of: text) else { return false }
        mark = place + 1
        return true
    }
}

extension Watcher: SessionStatusListener {
    func onSessionJoined() { note(.sessionJoined) }
    func onSessionLeft() { note(.sessionEnded(.left)) }
    func onSessionTimedOut() { note(.sessionEnded(.timedOut)) }
    func onConnectionLost() { note(.connectionLost) }
    func onConnectionRestored() { note(.connectionRestored) }
    func onConnectionClosed() { note(.sessionEnded(.connectionClosed)) }
}

extension Watcher: ParticipantEventListener {
    func onParticipantJoined(participant: Participant) { note(.participantJoined(participant)) }
    func onParticipantLeft(participant: Participant) { note(.participantLeft(participant)) }
    func onParticipantListChanged(participants: [Participant]) { note(.participantListChanged(participants)) }
    func onParticipantAudioMuted(participant: Participant) { note(.participantAudioMuted(participant)) }
    func onParticipantAudioUnmuted(participant: Participant) { note(.participantAudioUnmuted(participant)) }
    func onParticipantHandRaised(participant: Participant) { note(.participantHandRaised(participant)) }
    func onParticipantHandLowered(participant: Participant) { note(.participantHandLowered(participant)) }
    func onRaisedHandsChanged(raisedHands: [RaisedHand]) { note(.raisedHandsChanged(raisedHands)) }
}

extension Watcher: MediaEventsListener {
    func onAudioMuted() { note(.audioMuted) }
    func onAudioUnMuted() { note(.audioUnMuted) }
    func onAudioModeChanged(audioMode: AudioMode) { note(.audioModeChanged(audioMode)) }
}

extension Watcher: ButtonClickListener {
    func onRaiseHandButtonClicked() { note(.buttonClicked(.raiseHand)) }
}

extension Watcher: LayoutListener {
    func onCallLayoutChanged(layoutType: LayoutType) { note(.callLayoutChanged(layoutType)) }
}
