import Foundation

/// What a tool sets in its own process, once, at its start.
package enum ProcessSetup {
    /// Makes writing to a closed pipe or socket an error of that write, not the end of the process.
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Lets the signals in that end a tool, also where whoever started it had blocked them.
    ///
    /// Called before the first thread is made, which inherits what is blocked.
    package static func unblockSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM] { sigaddset(&signals, number) }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// Raises the limit of open files to `wanted`, or as far as the system lets us.
    ///
    /// Gives the limit that holds now.
    @discardableResult
    package static func raiseOpenFiles(to wanted: UInt64) -> UInt64 {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        if UInt64(limit.rlim_cur) >= wanted { return UInt64(limit.rlim_cur) }
        // Root may raise the hard limit too; if that is refused, the hard limit is as far as we get.
        var raised = rlimit(rlim_cur: rlim_t(wanted), rlim_max: max(limit.rlim_max, rlim_t(wanted)))
        if setrlimit(resource, &raised) != 0 {
            raised = rlimit(rlim_cur: min(rlim_t(wanted), limit.rlim_max), rlim_max: limit.rlim_max)
            if setrlimit(resource, &raised) != 0 { return UInt64(limit.rlim_cur) }
        }
        return UInt64(raised.rlim_cur)
    }
}
