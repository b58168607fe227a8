import Dispatch
import Foundation
import Rollcall

extension CallSession {
    /// What a session has besides the call; all of it is behind one lock.
    ///
    /// The call's own lock is inside of this one: the call is read while this is held, and never asked for anything,
    /// since it answers by calling back. For the same reason the call and what the app gave are let go outside of it.
    struct State {
        var callbackQueue: DispatchQueue
        var includesLocalParticipant = true
        var replaysCurrentState = true
        var onError: ErrorHandler?
        var lastError: RollcallCallException?
        /// Called after the callbacks of each update, as one of them; for tests.
        var onTold: (@Sendable () -> Void)?

        var stage = Stage.idle
        /// Told that the session is joined, before the listeners are.
        var onJoined: (@Sendable () -> Void)?
        /// Counts the session among what lives; nil before the first join.
        var mark: LiveMark?
        /// Whether the session was left while it joined.
        var isJoinLeft = false
        var settings: SessionSettings?
        var endError: RollcallCallException?
        /// Tasks that wait for the session to be idle again, by a number of their own.
        var ending: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var nextWait: UInt64 = 0

        var core = SessionCore()
        var listeners = ListenerRegistry()
        /// What is told besides the state's changes, in order: bounded, the oldest go.
        var notices: [Notice] = []

        /// Whether something may have to be told.
        var isStale = false
        /// Whether a turn on the callback queue is on its way or goes on: there is one at a time.
        var isDelivering = false
        /// The thread that calls listeners now, and the state that it shows to them.
        var delivery: (thread: ObjectIdentifier, model: SharedModel)?
        /// The latest state as it was shown last to somebody who asked, and what it was made of.
        var latest: (source: ModelSource, model: SharedModel)?
    }

    typealias ErrorHandler = @Sendable (SessionCommand, RollcallCallException) -> Void

    /// Where a session is in its life.
    enum Stage {
        /// In no call. Goes to `joining`.
        case idle
        /// A join is under way, in that task. Goes to `joined`, or back to `idle` when it fails.
        case joining(Task<Call, any Error>?)
        /// In a call. Goes to `idle` with the terminal callback.
        case joined(Call, isLeaving: Bool)
    }

    /// What the latest state is made of.
    struct ModelSource: Hashable {
        var revision: UInt64
        var local: LocalState
        var isLeaving: Bool
    }

    /// Something to tell that is no change of the state.
    enum Notice {
        case clicked(CallButton)
        case failed(SessionCommand, RollcallCallException)
    }

    static let maximumNotices = 256
}

extension CallSession.State {
    /// The call that is attended; nil in none.
    var call: Call? {
        if case .joined(let call, _) = stage { call } else { nil }
    }

    /// Whether the app has left, and the end is not told yet.
    var isLeaving: Bool {
        if case .joined(_, isLeaving: true) = stage { true } else { false }
    }

    /// Whether the session is about to be idle again: its end, or that of its join, is on its way.
    var isEnding: Bool {
        switch stage {
        case .idle: false
        case .joining: isJoinLeft
        case .joined(let call, let isLeaving): isLeaving || call.connection.isClosed
        }
    }

    /// In no call any more; gives those who waited for it, to be resumed outside of the lock.
    mutating func becomeIdle() -> [CheckedContinuation<Void, Never>] {
        stage = .idle
        latest = nil
        defer { ending = [:] }
        return Array(ending.values)
    }

    mutating func add(_ notice: CallSession.Notice) {
        if notices.count >= CallSession.maximumNotices { notices.removeFirst() }
        notices.append(notice)
        isStale = true
    }

    /// The state that whoever asks now is shown.
    mutating func shown() -> SharedModel {
        if let delivery, delivery.thread == .currentThread { return delivery.model }
        guard case .joined(let call, let isLeaving) = stage else { return SharedModel(core.latest(nil)) }
        let reading = call.reading
        let source = CallSession.ModelSource(revision: reading.revision, local: core.local, isLeaving: isLeaving)
        if let latest, latest.source == source { return latest.model }
        var model = core.latest(reading)
        // While the copy is on its way, what was answered last may be later than what listeners were told.
        if reading.snapshot == nil, model.isActive, let latest, latest.source.revision > core.shownRevision {
            model.snapshot = latest.model.model.snapshot
        }
        if isLeaving, model.isActive { model.phase = .ended(.left) }
        let shared = SharedModel(model)
        latest = (source, shared)
        return shared
    }
}

extension ObjectIdentifier {
    /// Names the running thread, as long as it runs.
    static var currentThread: ObjectIdentifier { ObjectIdentifier(Thread.current) }
}
