import CallState

/// What is due when, for the whole relay: the owner needs one timer.
///
/// A binary heap in order of (instant, order of adding). Nothing is ever taken out before its time: whoever is named by
/// an entry knows whether it still means anything, so that a stale one costs a look and nothing else.
struct Deadlines {
    /// What is due.
    enum Subject: Hashable {
        /// A look at everything that a connection waits for.
        case connection(ConnectionID)
        /// The end of the grace of a device.
        case grace(CallID, device: Slot)
        /// The end of the grace of an observer that acts for others.
        case actorGrace(CallID, incarnation: UInt64)
        /// The end of a request to unmute.
        case unmuteRequest(CallID, person: Slot, until: UInt64)
        /// The end of the idle period.
        case idle(CallID)
        /// Somebody may become dominant speaker.
        case election(CallID)
        /// The end of a planned stop.
        case stopping
    }

    private struct Entry {
        var instant: UInt64
        var order: UInt64
        var subject: Subject

        func precedes(_ other: Entry) -> Bool {
            (instant, order) < (other.instant, other.order)
        }
    }

    private var heap: [Entry] = []
    private var added: UInt64 = 0

    /// The nearest instant; it may belong to a stale entry.
    var first: UInt64? { heap.first?.instant }

    /// Adds an entry.
    ///
    /// O(log n).
    mutating func add(_ subject: Subject, at instant: UInt64) {
        heap.append(Entry(instant: instant, order: added, subject: subject))
        added += 1
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the nearest entry if it is due at `now`.
    ///
    /// O(log n).
    mutating func takeDue(at now: UInt64) -> (instant: UInt64, subject: Subject)? {
        guard let top = heap.first, top.instant <= now else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in (2 * parent + 1)...(2 * parent + 2) where child < heap.count {
                if heap[child].precedes(heap[smallest]) { smallest = child }
            }
            if smallest == parent { break }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
        return (top.instant, top.subject)
    }
}
