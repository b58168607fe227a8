import Dispatch
import Foundation

/// What ends a command that would go on for ever.
package enum Signals: Sendable {
    /// SIGINT or SIGTERM.
    case interrupted
    /// The time is up.
    case timeUp
    /// Nobody reads the standard output any more.
    case outputClosed

    /// Calls `receive` with each signal, from a thread of its own.
    ///
    /// A second SIGINT or SIGTERM ends the process at once.
    ///
    /// - Parameters:
    ///   - time: After which the time is up; nil is never.
    ///   - receive: Called from any thread.
    package static func watch(until time: Duration?, _ receive: @escaping @Sendable (Signals) -> Void) -> Watch {
        let queue = DispatchQueue(label: "signals")
        var sources: [any DispatchSourceProtocol] = []
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                signal(number, SIG_DFL)
                receive(.interrupted)
            }
            source.activate()
            sources.append(source)
        }
        if let time {
            let timer = DispatchSource.makeTimerSource(queue: queue)
            let (seconds, attoseconds) = time.components
            let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
            timer.schedule(deadline: .now() + .milliseconds(Int(milliseconds)))
            timer.setEventHandler { receive(.timeUp) }
            timer.activate()
            sources.append(timer)
        }
        Thread.detachNewThread {
            // Without asked-for events poll reports only that the other end has gone.
            var output = pollfd(fd: 1, events: 0, revents: 0)
            while poll(&output, 1, -1) < 0, errno == EINTR {}
            if output.revents & Int16(POLLERR | POLLHUP) != 0 { receive(.outputClosed) }
        }
        return Watch(sources: sources)
    }

    /// The signals as a sequence.
    package static func all(until time: Duration?) -> AsyncStream<Signals> {
        AsyncStream { continuation in
            let watch = watch(until: time) { continuation.yield($0) }
            continuation.onTermination = { _ in watch.cancel() }
        }
    }

    /// Keeps the signals coming.
    package struct Watch: @unchecked Sendable {
        // Dispatch sources may be used from any thread.
        fileprivate let sources: [any DispatchSourceProtocol]

        /// Stops them.
        package func cancel() {
            for source in sources { source.cancel() }
        }
    }
}
