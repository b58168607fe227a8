import RelayCore
import Synchronization

/// Counts for all loops of a relay, without locks.
final class SharedCensus: Census {
    private let connections = Atomic<Int>(0)
    private let calls = Atomic<Int>(0)

    /// The connections of all loops, those on their way between two included.
    var connectionCount: Int { connections.load(ordering: .relaxed) }

    func connectionCame() -> Int { connections.add(1, ordering: .relaxed).newValue }

    func connectionWent() { connections.subtract(1, ordering: .relaxed) }

    func callCame(within limit: Int) -> Bool {
        if calls.add(1, ordering: .relaxed).oldValue < limit { return true }
        calls.subtract(1, ordering: .relaxed)
        return false
    }

    func callWent() { calls.subtract(1, ordering: .relaxed) }
}
