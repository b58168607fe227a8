import Dispatch
public import Rollcall
import Synchronization

// Joining and leaving.

extension CallSession {
    /// Joins a call with this session, and returns when its state is complete.
    ///
    /// For bots, and apps with several calls at a time; ``RollcallCalls/RollcallCalls`` joins with ``shared``. A
    /// session that is being left is waited for, until its terminal callback has come.
    ///
    /// - Parameters:
    ///   - client: The relay.
    ///   - sessionID: The call's session id, 1..128 bytes of UTF-8.
    ///   - identity: Who joins, from which device; the settings may give another name.
    ///   - settings: How to join.
    ///   - onJoined: Called on the callback queue before the listeners are told anything; never when the join fails.
    /// - Throws: Why not; also when this session is in a call already, or joins one, which then goes on.
    public func join(
        client: RollcallClient,
        sessionID: String,
        identity: Identity,
        settings: SessionSettings,
        onJoined: (@Sendable () -> Void)? = nil
    ) async throws(RollcallCallException) {
        try settings.check()
        try await occupy()
        let task = Task {
            try await client.join(
                sessionID,
                as: settings.identity(of: identity),
                status: settings.status,
                options: settings.joinOptions
            )
        }
        let isLeft = state.withLock { state in
            state.mark = LiveMark(client.options.reactor, .session)
            guard case .joining = state.stage, !state.isJoinLeft else { return true }
            state.stage = .joining(task)
            return false
        }
        if isLeft { task.cancel() }
        do {
            let call = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
            try begin(call, settings, onJoined)
        } catch {
            for continuation in state.withLock({ $0.becomeIdle() }) { continuation.resume() }
            throw RollcallCallException(joining: error)
        }
    }

    /// Takes the session for a join, once the one before is over.
    private func occupy() async throws(RollcallCallException) {
        while true {
            let isTaken = try state.withLock { state throws(RollcallCallException) in
                switch state.stage {
                case .idle:
                    state.stage = .joining(nil)
                    state.isJoinLeft = false
                    return true
                case .joining, .joined:
                    if state.isEnding { return false }
                    guard let call = state.call else { throw .alreadyJoined("joins a call already") }
                    throw .alreadyJoined("is in the call \(call.session)")
                }
            }
            if isTaken { return }
            try await sessionBefore()
        }
    }

    /// Waits until the session that is being left has had its terminal callback, or the join that was left has failed.
    ///
    /// That is the callback queue's to do, which may stand still: a cancelled task waits no longer.
    private func sessionBefore() async throws(RollcallCallException) {
        let number = state.withLock { state in
            state.nextWait += 1
            return state.nextWait
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                let waits = state.withLock { state in
                    guard state.isEnding, !Task.isCancelled else { return false }
                    state.ending[number] = continuation
                    return true
                }
                if !waits { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.ending.removeValue(forKey: number) }?.resume()
        }
        if Task.isCancelled { throw RollcallCallException(joining: CancellationError()) }
    }

    /// The call is joined: everybody who listens is told of it.
    private func begin(_ call: Call, _ settings: SessionSettings, _ onJoined: (@Sendable () -> Void)?) throws {
        var local = LocalState()
        local.layout = settings.layout
        local.audioMode = settings.audioMode
        local.cameraFacing = settings.cameraFacing
        let isLeft = state.withLock { state in
            if state.isJoinLeft { return true }
            state.stage = .joined(call, isLeaving: false)
            state.settings = settings
            state.lastError = nil
            state.endError = nil
            state.onJoined = onJoined
            state.core.begin(call.reading, state: call.state, local: local)
            state.listeners.begin()
            state.isStale = true
            return false
        }
        if isLeft {
            call.leaveSoon()
            throw CancellationError()
        }
        call.onChange { [weak self] in self?.changed() }
        let found = call.state
        let first = settings.firstCommands(hasTitle: !found.title.isEmpty, isRecorded: found.recording != nil)
        for command in first { ask(command) }
        changed()
    }

    /// Leaves the call; `onSessionLeft` follows.
    ///
    /// Ends a join that is under way, which then fails. Outside of a call it does nothing.
    public func leaveSession() {
        leaveNow()
    }

    /// Leaves the call, and returns when the relay knows it, or at the latest after two seconds.
    public func leave() async {
        await leaveNow()?.leave()
    }

    /// Leaves the call without waiting, and gives it.
    @discardableResult
    private func leaveNow() -> Call? {
        let (call, task) = state.withLock { state -> (Call?, Task<Call, any Error>?) in
            switch state.stage {
            case .idle:
                return (nil, nil)
            case .joining(let task):
                state.isJoinLeft = true
                return (nil, task)
            case .joined(let call, _):
                state.stage = .joined(call, isLeaving: true)
                return (call, nil)
            }
        }
        task?.cancel()
        call?.leaveSoon()
        return call
    }
}

extension RollcallCallException {
    /// Why a join failed.
    fileprivate init(joining error: any Error) {
        switch error {
        case let error as RollcallCallException: self = error
        case let error as RollcallError: self.init(error)
        default:
            self.init(
                errorCode: Code.cancelled,
                errorDescription: "joining was cancelled, or the session was left meanwhile"
            )
        }
    }

    fileprivate static func alreadyJoined(_ what: String) -> RollcallCallException {
        RollcallCallException(
            errorCode: Code.alreadyJoined,
            errorDescription: "this session \(what): leave it first, or use another CallSession"
        )
    }

    static func noSession(_ command: SessionCommand) -> RollcallCallException {
        RollcallCallException(
            errorCode: Code.noSession,
            errorDescription: "\(command) needs a session that is joined: this one is in no call"
        )
    }
}
