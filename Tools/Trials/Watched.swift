import Synchronization

/// Something that several threads change, and that one at a time waits for.
final class Watched<State: Sendable>: Sendable {
    private struct Inner {
        var state: State
        var waiter: Waiter?
    }

    private struct Waiter {
        var isSo: @Sendable (State) throws -> Bool
        var continuation: CheckedContinuation<Void, any Error>
    }

    private let inner: Mutex<Inner>

    init(_ state: State) {
        inner = Mutex(Inner(state: state))
    }

    /// How it is now.
    var now: State { inner.withLock { $0.state } }

    /// Changes it, and lets go on who waits for what is so now.
    func change(_ body: (inout State) -> Void) {
        inner.withLock { inner in
            body(&inner.state)
            Self.look(&inner)
        }
    }

    /// Waits until something is so.
    ///
    /// Throws what `isSo` throws: it will never be so.
    func wait(until isSo: @escaping @Sendable (State) throws -> Bool) async throws {
        try await withCheckedThrowingContinuation { continuation in
            inner.withLock { inner in
                inner.waiter = Waiter(isSo: isSo, continuation: continuation)
                Self.look(&inner)
            }
        }
    }

    private static func look(_ inner: inout Inner) {
        guard let waiter = inner.waiter else { return }
        do {
            guard try waiter.isSo(inner.state) else { return }
            waiter.continuation.resume()
        } catch {
            waiter.continuation.resume(throwing: error)
        }
        inner.waiter = nil
    }
}
