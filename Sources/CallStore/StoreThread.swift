import CallState
import Threads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The thread that a store waits for its disk on, and the requests that wait for it.
///
/// Everything that has come while one transaction was made goes into the next.
///
/// Unchecked, because the state is guarded by a mutex of the C library: it is waited for with a condition, which
/// `Mutex` does not have.
final class StoreThread: @unchecked Sendable {
    /// Guards everything below.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    /// Signalled when there is something to do.
    private let change = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var waiting: [StoreRequest] = []
    private var end: (@Sendable () -> Void)?
    private var isEnding = false
    private var isHeld = false

    /// Touched on the thread only, once it runs.
    private var keeper: Keeper?
    private let tell: @Sendable (StoreAnswer) -> Void
    private let note: @Sendable (StoreCounters) -> Void

    /// A thread that has not begun.
    ///
    /// - Parameters:
    ///   - keeper: Used by nobody else from now on.
    ///   - tell: Takes answers, on the thread.
    ///   - note: Takes the counters after each transaction, before its answers, on the thread.
    init(
        _ keeper: Keeper,
        tell: @escaping @Sendable (StoreAnswer) -> Void,
        note: @escaping @Sendable (StoreCounters) -> Void
    ) {
        self.keeper = keeper
        self.tell = tell
        self.note = note
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(change, nil)
    }

    deinit {
        pthread_cond_destroy(change)
        pthread_mutex_destroy(mutex)
        change.deallocate()
        mutex.deallocate()
    }

    /// Hands a request over.
    func add(_ request: StoreRequest) {
        withLock {
            guard !isEnding else { return }
            waiting.append(request)
            pthread_cond_signal(change)
        }
    }

    /// Ends the thread once it has carried out what waits; `done` is called on it, last.
    func end(_ done: @escaping @Sendable () -> Void) {
        withLock {
            isEnding = true
            end = done
            pthread_cond_signal(change)
        }
    }

    /// While it is held, requests only gather: so that a test knows what is in one transaction.
    func hold(_ holds: Bool) {
        withLock {
            isHeld = holds
            pthread_cond_signal(change)
        }
    }

    private func withLock<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    // MARK: The thread

    /// Starts; false when the system gives no thread.
    func start() -> Bool { DetachedThread.start { self.run() } }

    private func run() {
        serve()
        // The last one who has it: the file is closed here.
        keeper = nil
        let done = withLock { end.take() }
        done?()
    }

    private func serve() {
        guard let keeper else { return }
        var requests: [StoreRequest] = []
        while take(&requests) {
            let answers = keeper.carryOut(requests)
            note(keeper.counters)
            for answer in answers { tell(answer) }
            requests.removeAll(keepingCapacity: true)
            keeper.checkpointIfDue()
        }
        keeper.close()
        note(keeper.counters)
    }

    /// Waits for requests; false at the end.
    private func take(_ requests: inout [StoreRequest]) -> Bool {
        withLock {
            while waiting.isEmpty || isHeld {
                if isEnding, waiting.isEmpty { return false }
                pthread_cond_wait(change, mutex)
            }
            swap(&waiting, &requests)
            return true
        }
    }
}
