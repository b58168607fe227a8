/// Deadlines by number, the nearest first; moving one to later costs nothing until the earlier moment has come.
struct TimerQueue: Sendable {
    private struct Timer {
        var deadline: UInt64?
        /// The moment at which the queue looks at it again; never after the deadline.
        var queued: UInt64?
        let action: @Sendable () -> Void
    }

    private var timers: [UInt64: Timer] = [:]
    private var heap: [(moment: UInt64, id: UInt64)] = []
    private(set) var armed = 0

    /// The moment at which the queue must be looked at; nil is never.
    var next: UInt64? { armed == 0 ? nil : heap.first?.moment }

    /// Adds a timer that is not armed.
    mutating func add(_ id: UInt64, action: @escaping @Sendable () -> Void) {
        timers[id] = Timer(deadline: nil, queued: nil, action: action)
    }

    /// Forgets a timer.
    mutating func remove(_ id: UInt64) {
        if let timer = timers.removeValue(forKey: id), timer.deadline != nil { armed -= 1 }
        if timers.isEmpty { heap.removeAll() }
    }

    /// Sets when a timer fires, or with nil that it does not.
    mutating func set(_ id: UInt64, to deadline: UInt64?) {
        guard var timer = timers[id] else { return }
        armed += (deadline == nil ? 0 : 1) - (timer.deadline == nil ? 0 : 1)
        timer.deadline = deadline
        if let deadline, timer.queued.map({ deadline < $0 }) ?? true {
            timer.queued = deadline
            push(deadline, id)
        }
        timers[id] = timer
    }

    /// Takes the actions of the timers that are due; they are not armed any more.
    mutating func takeDue(at now: UInt64, into actions: inout [@Sendable () -> Void]) {
        while let first = heap.first, first.moment <= now {
            pop()
            // An entry that is not the timer's latest is one that an earlier deadline has overtaken.
            guard var timer = timers[first.id], timer.queued == first.moment else { continue }
            timer.queued = nil
            if let deadline = timer.deadline {
                if deadline <= now {
                    timer.deadline = nil
                    armed -= 1
                    actions.append(timer.action)
                } else {
                    timer.queued = deadline
                    push(deadline, first.id)
                }
            }
            timers[first.id] = timer
        }
    }

    private mutating func push(_ moment: UInt64, _ id: UInt64) {
        heap.append((moment, id))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            if heap[parent].moment <= heap[child].moment { break }
            heap.swapAt(parent, child)
            child = parent
        }
    }

    private mutating func pop() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].moment < heap[least].moment { least = child }
            }
            if least == parent { break }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
