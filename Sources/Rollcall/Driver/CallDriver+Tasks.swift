import CallState
import RollcallProtocol
import Synchronization

// What tasks wait for. Each wait ends with its answer, with the end of the call, or with the cancellation of the task.

extension CallDriver {
    /// Joins, and waits until the state is complete; the failure if it does not come to that.
    ///
    /// A cancelled join leaves the call before it returns, so that nothing is left behind.
    func join() async throws(RollcallError) {
        let failure = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<RollcallError?, Never>) in
                let isCancelled = state.withLock { state in
                    if !state.isJoinCancelled { state.joining = continuation }
                    return state.isJoinCancelled
                }
                if isCancelled { return continuation.resume(returning: .cancelled("joining \(session)")) }
                input { core, now, effects in core.start(at: now, into: &effects) }
            }
        } onCancel: {
            cancelJoin()
        }
        if let failure { throw failure }
    }

    private func cancelJoin() {
        let isJoining = state.withLock { state in
            state.isJoinCancelled = true
            return state.joining != nil
        }
        if isJoining { input { core, now, effects in core.leave(.left, at: now, into: &effects) } }
    }

    /// Leaves, and waits until that is done.
    func leave(reason: LeaveReason) async {
        input { core, now, effects in core.leave(reason, at: now, into: &effects) }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isClosed = state.withLock { state in
                if state.closeReason != nil { return true }
                state.leaving.append(continuation)
                return false
            }
            if isClosed { continuation.resume() }
        }
    }

    /// Leaves without waiting: nobody holds the call any more.
    func abandon() {
        input { core, now, effects in core.leave(.left, at: now, into: &effects) }
    }

    func speaking(_ speaking: Speaking) {
        input { core, now, effects in core.speaking(speaking, at: now, into: &effects) }
    }

    func resync() {
        input { core, now, effects in core.forceResync(at: now, into: &effects) }
    }

    func cutLink() {
        input { core, now, effects in
            core.cut(at: now, into: &effects)
        }
    }

    /// Sends a command and waits for what becomes of it.
    func perform(_ settings: [Setting]) async throws(RollcallError) -> Position {
        let token = makeToken()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<Position, RollcallError>, Never>) in
                if Task.isCancelled { return continuation.resume(returning: .failure(.cancelled("a command"))) }
                state.withLock { $0.commands[token] = { continuation.resume(returning: $0) } }
                input { core, now, effects in core.command(settings, token: token, at: now, into: &effects) }
                // Cancelled between the question and the continuation's arrival: the handler has found nothing then.
                if Task.isCancelled { cancel(token) }
            }
        } onCancel: {
            cancel(token)
        }
        return try result.get()
    }

    /// Sends a command and returns at once; commands go out in the order in which this is called.
    func send(_ settings: [Setting], then handler: @escaping CommandHandler) {
        let token = makeToken()
        state.withLock { $0.commands[token] = handler }
        input { core, now, effects in core.command(settings, token: token, at: now, into: &effects) }
    }

    private func makeToken() -> CommandToken {
        state.withLock { state in
            state.nextNumber += 1
            return CommandToken(state.nextNumber)
        }
    }

    private func cancel(_ token: CommandToken) {
        guard let handler = state.withLock({ $0.commands.removeValue(forKey: token) }) else { return }
        input { core, now, effects in core.cancel(token, at: now, into: &effects) }
        handler(.failure(.cancelled("waiting for a command, which may still happen,")))
    }

    /// Waits for a state of another revision; nil at the end of the call or when the task was cancelled.
    func snapshot(
        after revision: UInt64?,
        isolation: isolated (any Actor)?
    ) async -> (CallSnapshot, UInt64)? {
        while !Task.isCancelled {
            let (found, isClosed) = state.withLock { state in
                let isNew = state.stateRevision != revision
                let found = isNew ? (state.core.snapshot, state.stateRevision) : nil
                return (found, state.closeReason != nil)
            }
            if let found { return found }
            if isClosed { return nil }
            await change(of: .state, isolation: isolation) { $0.stateRevision != revision }
        }
        return nil
    }

    /// Waits for a connection state of another revision; nil at the end of the call or when the task was cancelled.
    func connection(
        after revision: UInt64?,
        isolation: isolated (any Actor)?
    ) async -> (ConnectionState, UInt64)? {
        while !Task.isCancelled {
            let (found, isClosed) = state.withLock { state in
                let isNew = state.connectionRevision != revision
                let found = isNew ? (state.connection, state.connectionRevision) : nil
                return (found, state.closeReason != nil)
            }
            if let found { return found }
            if isClosed { return nil }
            await change(of: .connection, isolation: isolation) { $0.connectionRevision != revision }
        }
        return nil
    }

    /// Waits until something changes, unless `isThere` says that it has.
    private func change(
        of subject: Subject,
        isolation: isolated (any Actor)?,
        isThere: (borrowing State) -> Bool
    ) async {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        await withTaskCancellationHandler(
            operation: {
                await withCheckedContinuation(isolation: isolation) {
                    (continuation: CheckedContinuation<Void, Never>) in
                    let waits = state.withLock { state in
                        if Task.isCancelled || state.closeReason != nil || isThere(state) { return false }
                        state.readers[number] = Reader(continuation: continuation, wants: subject)
                        return true
                    }
                    if !waits { continuation.resume() }
                }
            },
            onCancel: {
                let reader = state.withLock { $0.readers.removeValue(forKey: number) }
                reader?.continuation.resume()
            },
            isolation: isolation
        )
    }
}
