import CallState
import Synchronization

/// Measures how long a change takes from its sending until the last client shows it.
///
/// It remembers the last ``memory`` changes: a client that is further behind is no longer measured, and would fail the
/// replay at the next comparison.
final class LagBoard: Sendable {
    /// So many changes are remembered.
    static let memory = 4_096

    private struct Board {
        var sent = RecentMoments()
        /// The latest arrival of positions whose sending is not known yet: the answer is the last to come.
        var arrived = RecentMoments()
        var worst: Duration = .zero
    }

    private let board = Mutex(Board())

    /// The longest time so far.
    var worst: Duration { board.withLock { $0.worst } }

    /// A change that was sent at `start` got that position.
    func acknowledged(_ position: Position, sentAt start: ContinuousClock.Instant) {
        board.withLock { board in
            board.sent.set(start, of: position)
            if let arrival = board.arrived[position] { board.worst = max(board.worst, arrival - start) }
        }
    }

    /// A client has reached a position.
    func arrived(_ position: Position, at now: ContinuousClock.Instant = .now) {
        board.withLock { board in
            if let start = board.sent[position] {
                board.worst = max(board.worst, now - start)
            } else {
                board.arrived.set(now, of: position)
            }
        }
    }

    /// How many moments are kept, for tests.
    var keptCount: Int { board.withLock { $0.sent.count + $0.arrived.count } }
}

/// Moments of the positions that came last.
private struct RecentMoments {
    private var moments: [Position: ContinuousClock.Instant] = [:]
    /// The positions in the order of their coming, in a ring.
    private var order: [Position] = []
    private var next = 0

    var count: Int { moments.count }

    subscript(position: Position) -> ContinuousClock.Instant? { moments[position] }

    mutating func set(_ moment: ContinuousClock.Instant, of position: Position) {
        if moments.updateValue(moment, forKey: position) != nil { return }
        if order.count < LagBoard.memory { return order.append(position) }
        moments[order[next]] = nil
        order[next] = position
        next = (next + 1) % LagBoard.memory
    }
}

/// Counts what the snapshots of many clients weigh.
final class SnapshotCounter: Sendable {
    /// Sums.
    struct Sums: Hashable, Sendable {
        /// Whole snapshots.
        var snapshots = 0
        /// Their parts, part 0 not counted.
        var parts = 0
        /// The bytes of the parts on the wire.
        var bytes = 0
        /// The longest part, in bytes on the wire.
        var longest = 0
    }

    private let counter = Mutex(Sums())

    /// What has been counted.
    var sums: Sums { counter.withLock { $0 } }

    /// Counts a part of so many bytes.
    func count(bytes: Int, isLast: Bool) {
        counter.withLock { sums in
            sums.parts += 1
            sums.bytes += bytes
            sums.longest = max(sums.longest, bytes)
            if isLast { sums.snapshots += 1 }
        }
    }
}
