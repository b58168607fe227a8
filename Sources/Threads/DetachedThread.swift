#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A thread that waits for something slow, so that nobody else has to: it gets no signal of the process, and nobody
/// waits for its end.
package enum DetachedThread {
    /// What a thread runs, on its way to it.
    fileprivate final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on a thread of its own; false when the system gives none, and then it is not run.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        // A thread has the mask of the one that makes it.
        var (all, before) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let own = Unmanaged.passRetained(Body(body))
        #if canImport(Darwin)
            var thread: pthread_t?
            let result = pthread_create(&thread, nil, runBody, own.toOpaque())
        #else
            var thread = pthread_t()
            let result = pthread_create(&thread, nil, runBody, own.toOpaque())
        #endif
        if result != 0 {
            own.release()
            return false
        }
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
        return true
    }
}

#if canImport(Darwin)
    private func runBody(_ own: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<DetachedThread.Body>.fromOpaque(own).takeRetainedValue().run()
        return nil
    }
#else
    private func runBody(_ own: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let own { Unmanaged<DetachedThread.Body>.fromOpaque(own).takeRetainedValue().run() }
        return nil
    }
#endif
