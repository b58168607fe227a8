import CallState

/// What is due when, for the whole relay: the owner needs one timer.
///
/// Each subject has one deadline at most. A binary heap in order of (instant, order of setting) holds them; an entry
/// that was overtaken or withdrawn stays in it until its turn, or until such entries are the larger part: memory
/// follows what is due and never how often it was changed.
struct Deadlines {
    /// What is due.
    enum Subject: Hashable {
        /// A look at everything that a connection waits for.
        case connection(ConnectionID)
        /// The end of the grace of a device.
        case grace(CallID, device: Slot)
        /// The end of the grace of an observer that acts for others.
        case actorGrace(CallID, incarnation: UInt64)
        /// The end of requests to unmute.
        case unmuteRequests(CallID)
        /// The end of the idle period.
        case idle(CallID)
        /// Somebody may become dominant speaker.
        case election(CallID)
        /// The end of a tick in which something was gathered.
        case tick(CallID)
        /// Something is to be given to the store.
        case keeping(CallID)
        /// The store should have answered to a batch.
        case silence(CallID)
        /// The store is to be asked for a call again, or somebody has waited long enough for that.
        case claiming(CallID)
        /// The end of the time after a planned stop in which devices come back unnoticed.
        case quiet(CallID)
        /// The end of a planned stop.
        case stopping

        /// Those of a call as a whole.
        static func ofCall(_ id: CallID) -> [Subject] {
            [
                .idle(id), .election(id), .unmuteRequests(id), .tick(id), .keeping(id), .silence(id), .claiming(id),
                .quiet(id),
            ]
        }
    }

    private struct Entry {
        var instant: UInt64
        var order: UInt64
        var subject: Subject

        func precedes(_ other: Entry) -> Bool {
            (instant, order) < (other.instant, other.order)
        }
    }

    /// The bytes of one that is due.
    static var entrySize: Int { MemoryLayout<Entry>.stride }

    private var heap: [Entry] = []
    /// The order of the entry that counts for each subject but connections.
    private var current: [Subject: UInt64] = [:]
    /// The order of the entry that counts for each connection, by its place; 0 is none.
    ///
    /// Every connection has a deadline, and in a table it would take several times as much.
    private var connectionOrders: [UInt64] = []
    private var connectionCount = 0
    /// The order of the entry that was added last.
    private var added: UInt64 = 0

    /// The nearest instant.
    var first: UInt64? { heap.first?.instant }

    /// How many subjects have a deadline.
    var count: Int { current.count + connectionCount }

    /// How many entries are held, those that count for nothing included.
    var heldCount: Int { heap.count }

    /// Sets when a subject is due, in place of what was set before.
    ///
    /// O(log n).
    mutating func set(_ subject: Subject, at instant: UInt64) {
        added += 1
        setOrder(added, of: subject)
        push(Entry(instant: instant, order: added, subject: subject))
        dropStale()
    }

    /// The subject is not due any more.
    ///
    /// O(log n), spread over many.
    mutating func remove(_ subject: Subject) {
        if setOrder(0, of: subject) != 0 { dropStale() }
    }

    /// Takes the nearest entry if it is due at `now`.
    ///
    /// O(log n).
    mutating func takeDue(at now: UInt64) -> (instant: UInt64, subject: Subject)? {
        guard let top = heap.first, top.instant <= now else { return nil }
        setOrder(0, of: top.subject)
        dropStale()
        return (top.instant, top.subject)
    }

    private func counts(_ entry: Entry) -> Bool {
        guard case .connection(let connection) = entry.subject else { return current[entry.subject] == entry.order }
        return connectionOrders[Int(connection.index)] == entry.order
    }

    /// Says which entry counts for a subject, 0 is none; gives which one did.
    @discardableResult
    private mutating func setOrder(_ order: UInt64, of subject: Subject) -> UInt64 {
        guard case .connection(let connection) = subject else {
            let last = order == 0 ? current.removeValue(forKey: subject) : current.updateValue(order, forKey: subject)
            return last ?? 0
        }
        let place = Int(connection.index)
        while connectionOrders.count <= place { connectionOrders.append(0) }
        let last = connectionOrders[place]
        connectionOrders[place] = order
        if (last == 0) != (order == 0) { connectionCount += order == 0 ? -1 : 1 }
        return last
    }

    /// Keeps an entry that counts at the top, and no more of the others than of those.
    private mutating func dropStale() {
        while let top = heap.first, !counts(top) { pop() }
        guard heap.count > 2 * count + 64 else { return }
        heap = heap.filter { counts($0) }
        for parent in (0..<heap.count / 2).reversed() { sink(parent) }
    }

    private mutating func push(_ entry: Entry) {
        heap.append(entry)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard heap[child].precedes(heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func pop() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        sink(0)
    }

    private mutating func sink(_ entry: Int) {
        var parent = entry
        while true {
            var smallest = parent
            for child in (2 * parent + 1)...(2 * parent + 2) where child < heap.count {
                if heap[child].precedes(heap[smallest]) { smallest = child }
            }
            if smallest == parent { break }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
