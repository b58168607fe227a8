import CallState
import CallStore
import Synchronization

/// A store that the loops of a relay share: one request at a time, whichever loop's thread makes it.
///
/// Unchecked, because a store is for one thread at a time, which the mutex sees to; it starts before there is a second.
final class SharedStore: CallStore, @unchecked Sendable {
    private let store: any CallStore
    private let turn = Mutex(())

    init(_ store: any CallStore) {
        self.store = store
    }

    func start(
        _ tell: @escaping @Sendable (StoreAnswer) -> Void,
        contents: (StoreAnswer) -> Void
    ) throws(StoreError) {
        // Without the mutex: what is kept may be asked for while it is given.
        try store.start(tell, contents: contents)
    }

    func take(_ request: StoreRequest) -> StoreAnswer? { turn.withLock { _ in store.take(request) } }

    func stop(_ done: @escaping @Sendable () -> Void) { turn.withLock { _ in store.stop(done) } }

    var counters: StoreCounters { turn.withLock { _ in store.counters } }
}

extension StoreAnswer {
    /// The call that it is about; nil is none.
    var session: ByteString? {
        switch self {
        case .claimed(let session, _), .attendance(let session, _), .kept(let session, _),
            .unavailable(let session, _), .doubtful(let session, _), .fenced(let session):
            session
        case .occupied: nil
        }
    }
}
