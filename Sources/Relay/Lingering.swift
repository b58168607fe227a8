import RelayCore

/// Connections that were told goodbye and wait for their peer's end, in the order of their deadlines.
///
/// All have the same patience, so the order of arrival is the order of the deadlines.
struct Lingering {
    private var waiting: [(id: ConnectionID, deadline: UInt64)] = []
    private var first = 0

    /// When the first is due; nil when none waits.
    var nextDeadline: UInt64? { first < waiting.count ? waiting[first].deadline : nil }

    /// Lets a connection wait until `deadline`, which is not before any earlier one.
    mutating func append(_ id: ConnectionID, until deadline: UInt64) {
        waiting.append((id, deadline))
    }

    /// The next connection that is due at `moment`.
    mutating func popFirst(dueAt moment: UInt64) -> ConnectionID? {
        guard first < waiting.count, waiting[first].deadline <= moment else { return nil }
        let id = waiting[first].id
        first += 1
        if first == waiting.count {
            waiting.removeAll(keepingCapacity: waiting.count < 64)
            first = 0
        }
        return id
    }
}
