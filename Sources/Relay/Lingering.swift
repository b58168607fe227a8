import RelayCore

/// Connections that were told goodbye and wait for their peer's end, in the order of their deadlines.
///
/// All have the same patience, so the order of arrival is the order of the deadlines. Most go long before theirs: those
/// at the front are dropped as soon as they are gone, so that they neither wake the relay nor pile up.
struct Lingering {
    private var waiting: [(id: ConnectionID, deadline: UInt64)] = []
    private var first = 0

    /// When the first is due; nil when none waits.
    var nextDeadline: UInt64? { first < waiting.count ? waiting[first].deadline : nil }

    /// The places in memory, for tests.
    var placeCount: Int { waiting.count }

    /// Lets a connection wait until `deadline`, which is not before any earlier one.
    mutating func append(_ id: ConnectionID, until deadline: UInt64) {
        waiting.append((id, deadline))
    }

    /// Drops those at the front that `isGone` names, up to the first that is still there.
    mutating func dropFirst(while isGone: (ConnectionID) -> Bool) {
        if waiting.isEmpty { return }
        while first < waiting.count, isGone(waiting[first].id) { first += 1 }
        compact()
    }

    /// The next connection that is due at `moment`.
    mutating func popFirst(dueAt moment: UInt64) -> ConnectionID? {
        guard first < waiting.count, waiting[first].deadline <= moment else { return nil }
        let id = waiting[first].id
        first += 1
        compact()
        return id
    }

    /// Gives spent places back once they are half of all: each costs one move.
    private mutating func compact() {
        if first == waiting.count {
            waiting.removeAll(keepingCapacity: waiting.count < 64)
            first = 0
        } else if first > 64, first * 2 > waiting.count {
            waiting.removeSubrange(..<first)
            first = 0
        }
    }
}
