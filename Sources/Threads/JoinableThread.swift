#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A thread whose end somebody waits for; it gets no signal of the process.
package struct JoinableThread: Sendable {
    private let ended: Ended

    /// What a thread and those who wait for it share.
    ///
    /// Unchecked, because the state is guarded by a mutex of the C library: it is waited for with a condition, which
    /// `Mutex` does not have.
    private final class Ended: @unchecked Sendable {
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let change = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        /// Guarded by the mutex.
        private var isSo = false

        init() {
            pthread_mutex_init(mutex, nil)
            pthread_cond_init(change, nil)
        }

        func set() {
            pthread_mutex_lock(mutex)
            isSo = true
            pthread_cond_broadcast(change)
            pthread_mutex_unlock(mutex)
        }

        func wait() {
            pthread_mutex_lock(mutex)
            while !isSo { pthread_cond_wait(change, mutex) }
            pthread_mutex_unlock(mutex)
        }

        deinit {
            pthread_cond_destroy(change)
            pthread_mutex_destroy(mutex)
            change.deallocate()
            mutex.deallocate()
        }
    }

    /// Runs `body` on a thread of its own; nil when the system gives none, and then it is not run.
    package static func start(_ body: @escaping @Sendable () -> Void) -> JoinableThread? {
        let ended = Ended()
        let isRunning = DetachedThread.start {
            body()
            ended.set()
        }
        return isRunning ? JoinableThread(ended: ended) : nil
    }

    /// Waits until the body has returned, which may be long ago.
    package func join() { ended.wait() }
}
