import Dispatch
import Foundation
import Rollcall
import Synchronization

// Telling the listeners, on the callback queue, with no lock held.
//
// A change only marks the session as stale and asks for a turn. In its turn the session reads the call, and gives what
// has changed since its last turn: a slow queue gets sums, and nothing that grows.

extension CallSession {
    /// Something has changed: it is told in a turn on the callback queue.
    func changed() {
        let queue = state.withLock { state -> DispatchQueue? in
            state.isStale = true
            if state.isDelivering { return nil }
            state.isDelivering = true
            return state.callbackQueue
        }
        queue?.async { self.turn() }
    }

    /// What is to be told in one turn.
    fileprivate struct Work {
        /// What listeners knew before this turn.
        var shown = SessionModel()
        /// Those who are told first what is in effect in that state.
        var waiting: [ListenerRegistry.Entry] = []
        var replay: [Callback] = []
        var replaysCurrentState = true
        var batches: [SessionCore.Batch] = []
        var notices: [Notice] = []

        /// What listeners know when the notices come.
        var told: SessionModel { batches.last { !$0.isClosing }?.model ?? shown }
    }

    private func turn() {
        let work = nextWork()
        tellWaiting(work)
        for batch in work.batches where !batch.isClosing { deliver(batch.callbacks, in: batch.model) }
        deliver(work.notices, in: work.told)
        for batch in work.batches where batch.isClosing { deliver(batch.callbacks, in: batch.model) }
        finishTurn()
    }

    /// Takes what is to be told; of a join that succeeds meanwhile the app is told before its listeners.
    private func nextWork() -> Work {
        while true {
            state.withLock { $0.takeOnJoined() }?()
            if let work = state.withLock({ $0.onJoined == nil ? $0.takeWork() : nil }) { return work }
        }
    }

    /// Tells what is in effect, listener by callback, so that one who listens to several kinds hears all in order.
    private func tellWaiting(_ work: Work) {
        if work.waiting.isEmpty { return }
        show(work.shown)
        for callback in work.replay {
            for entry in work.waiting where entry.kind == callback.kind && isTold(callback, work, entry) {
                tell(callback, entry)
            }
        }
        let (media, layout) = (work.shown.media, work.shown.layout)
        for entry in work.replaysCurrentState ? work.waiting : [] {
            switch entry.kind {
            case .media: for callback in entry.media.changes(to: media) { tell(callback, entry) }
            case .layout: for callback in entry.layout.changes(to: layout) { tell(callback, entry) }
            case .session, .participants, .buttons: break
            }
        }
        told()
    }

    /// Whether a listener is told of something that is in effect; that the session is joined is news at the join.
    private func isTold(_ callback: Callback, _ work: Work, _ entry: ListenerRegistry.Entry) -> Bool {
        if work.replaysCurrentState { return !isLeftOut(callback) }
        return callback == .sessionJoined && entry.waitsFor == .join
    }

    private func tell(_ callback: Callback, _ entry: ListenerRegistry.Entry) {
        if state.withLock({ $0.listeners.contains(entry.id) }) { entry.listener.call(callback) }
    }

    private func isLeftOut(_ callback: Callback) -> Bool {
        callback.isAboutLocalParticipant && !state.withLock { $0.includesLocalParticipant }
    }

    private func deliver(_ callbacks: [Callback], in model: SessionModel) {
        show(model)
        for callback in callbacks where !isLeftOut(callback) {
            for entry in state.withLock({ $0.listeners.current(callback.kind) }) { tell(callback, entry) }
        }
        told()
    }

    /// All callbacks of an update have been made.
    private func told() { state.withLock { $0.onTold }?() }

    private func deliver(_ notices: [Notice], in model: SessionModel) {
        if notices.isEmpty { return }
        show(model)
        for notice in notices {
            switch notice {
            case .clicked(let button):
                for entry in state.withLock({ $0.listeners.current(.buttons) }) { tell(.buttonClicked(button), entry) }
            case .failed(let command, let error):
                state.withLock { $0.onError }?(command, error)
            }
        }
    }

    /// From here on, whoever asks on this thread is shown `model`.
    private func show(_ model: SessionModel) {
        let shared = SharedModel(model)
        state.withLock { $0.delivery = (.currentThread, shared) }
    }

    private func finishTurn() {
        var call: Call?
        var ending: [CheckedContinuation<Void, Never>] = []
        let queue = state.withLock { state -> DispatchQueue? in
            state.delivery = nil
            if !state.core.shown.isActive, case .joined(let ended, _) = state.stage {
                call = ended
                ending = state.becomeIdle()
            }
            if state.isStale { return state.callbackQueue }
            state.isDelivering = false
            return nil
        }
        // The call is let go here, where nothing is locked.
        withExtendedLifetime(call) {}
        for continuation in ending { continuation.resume() }
        queue?.async { self.turn() }
    }
}

extension CallSession.State {
    fileprivate mutating func takeOnJoined() -> (@Sendable () -> Void)? {
        defer { onJoined = nil }
        return onJoined
    }

    fileprivate mutating func takeWork() -> CallSession.Work {
        var work = CallSession.Work()
        isStale = false
        work.shown = core.shown
        if core.shown.isActive { work.waiting = listeners.takeWaiting(isLeaving: isLeaving) }
        if !work.waiting.isEmpty {
            work.replay = core.replay
            work.replaysCurrentState = replaysCurrentState
        }
        listeners.isJoining = false
        if let call {
            let reading = call.reading
            // A change and the failures in it are told in one turn, which follows: restored comes after them.
            if reading.hasUntoldFailures { return work }
            work.batches = core.advance(to: reading)
            if case .closed(let reason) = reading.connection, let error = reason.error {
                endError = RollcallCallException(error)
            }
        }
        listeners.everybodyKnows(media: core.shown.media, layout: core.shown.layout)
        swap(&work.notices, &notices)
        return work
    }
}
