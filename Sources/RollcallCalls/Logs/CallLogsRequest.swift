import Rollcall
import Synchronization

/// Call logs of the relay, page by page, the newest meeting first.
///
/// ``fetchNext(onSuccess:onError:)`` walks on to older meetings, ``fetchPrevious(onSuccess:onError:)`` back to newer
/// ones, and on to those that have begun since. At either end they give an empty list. A page counts once it has come:
/// neither an empty list nor an error moves the walk, so the same call can be made again.
///
/// A request asks the relay that the module is set up for at its first fetch, and needs no login. It may be used from
/// any thread; fetches are done one after the other, in the order of the calls.
public final class CallLogsRequest: Sendable {
    private enum Direction {
        case next
        case previous
    }

    private struct State {
        /// The walk; nil before the first fetch.
        var pages: AttendancePages?
        /// The fetch that was asked for last.
        var last: Task<Void, Never>?
    }

    private let filter: CallLogsFilter
    private let client: @Sendable () throws(RollcallCallException) -> RollcallClient
    private let state = Mutex(State())

    init(
        _ filter: CallLogsFilter,
        client: @escaping @Sendable () throws(RollcallCallException) -> RollcallClient = RollcallCalls.logsClient
    ) {
        self.filter = filter
        self.client = client
    }

    /// Fetches the next page.
    ///
    /// - Parameters:
    ///   - onSuccess: Is given the logs, on the callback queue of ``CallSession/shared``; none at the end.
    ///   - onError: Is told why not, there too.
    public func fetchNext(
        onSuccess: @escaping ([CallLog]) -> Void,
        onError: @escaping (RollcallCallException?) -> Void
    ) {
        _ = begin(.next, AppAnswer(onSuccess, onError))
    }

    /// Fetches the page before.
    ///
    /// - Parameters:
    ///   - onSuccess: Is given the logs, on the callback queue of ``CallSession/shared``; none when there is nothing
    ///     newer.
    ///   - onError: Is told why not, there too.
    public func fetchPrevious(
        onSuccess: @escaping ([CallLog]) -> Void,
        onError: @escaping (RollcallCallException?) -> Void
    ) {
        _ = begin(.previous, AppAnswer(onSuccess, onError))
    }

    /// Fetches the next page; an empty list at the end.
    ///
    /// - Throws: Why not.
    public func fetchNext() async throws(RollcallCallException) -> [CallLog] { try await fetch(.next) }

    /// Fetches the page before; an empty list when there is nothing newer.
    ///
    /// - Throws: Why not.
    public func fetchPrevious() async throws(RollcallCallException) -> [CallLog] { try await fetch(.previous) }

    private func fetch(_ direction: Direction) async throws(RollcallCallException) -> [CallLog] {
        let task = begin(direction)
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    /// Lines a fetch up behind those before it; `answer` is given before the next one begins.
    private func begin(
        _ direction: Direction,
        _ answer: AppAnswer<[CallLog]>? = nil
    ) -> Task<Result<[CallLog], RollcallCallException>, Never> {
        state.withLock { state in
            let before = state.last
            let task = Task { () -> Result<[CallLog], RollcallCallException> in
                await before?.value
                let result = await self.turn(direction)
                answer?.give(result)
                return result
            }
            state.last = Task { _ = await task.value }
            return task
        }
    }

    private func turn(_ direction: Direction) async -> Result<[CallLog], RollcallCallException> {
        do throws(RollcallCallException) {
            try filter.check()
            guard filter.canMatch else { return .success([]) }
            return .success(try await move(direction))
        } catch {
            return .failure(error)
        }
    }

    private func move(_ direction: Direction) async throws(RollcallCallException) -> [CallLog] {
        var pages = try pages()
        do throws(RollcallError) {
            let page = direction == .next ? try await pages.next() : try await pages.previous()
            state.withLock { [pages] state in state.pages = pages }
            return page?.meetings.map { CallLog($0) } ?? []
        } catch {
            throw RollcallCallException(error)
        }
    }

    private func pages() throws(RollcallCallException) -> AttendancePages {
        if let pages = state.withLock({ $0.pages }) { return pages }
        return try client().attendancePages(filter.attendance, limit: filter.limit)
    }
}
