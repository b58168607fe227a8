import Foundation
import Synchronization

/// Looks up host names on threads of its own, at most four, which end when there is nothing to look up.
///
/// The system's look-up blocks for as long as a name server takes: neither a task's thread nor the reactor's may wait
/// for it.
final class Resolver: Sendable {
    static let shared = Resolver()

    typealias Answer = Result<[SocketAddress], SocketAddress.ResolutionFailure>

    private struct Job {
        let host: String
        let port: UInt16
        let completion: @Sendable (Answer) -> Void
    }

    private struct State {
        var jobs: [Job] = []
        var threads = 0
    }

    private static let maximumThreads = 4
    private let state = Mutex(State())

    /// Looks a host up; `completion` runs on a thread of the resolver.
    func resolve(host: String, port: UInt16, _ completion: @escaping @Sendable (Answer) -> Void) {
        let needsThread = state.withLock { state in
            state.jobs.append(Job(host: host, port: port, completion: completion))
            guard state.threads < Self.maximumThreads else { return false }
            state.threads += 1
            return true
        }
        guard needsThread else { return }
        let thread = Thread { self.work() }
        thread.name = "rollcall-resolver"
        thread.start()
    }

    private func work() {
        while let job = nextJob() {
            do {
                let addresses = try SocketAddress.resolve(host: job.host, port: job.port, isNumeric: false)
                job.completion(.success(addresses))
            } catch {
                job.completion(.failure(error))
            }
        }
    }

    private func nextJob() -> Job? {
        state.withLock { state in
            if state.jobs.isEmpty {
                state.threads -= 1
                return nil
            }
            return state.jobs.removeFirst()
        }
    }
}
