import CallState
import Synchronization

/// Measures how long a change takes from its sending until the last client shows it.
final class LagBoard: Sendable {
    private struct Board {
        var sent: [Position: ContinuousClock.Instant] = [:]
        /// The latest arrival of positions whose sending is not known yet: the answer is the last to come.
        var arrived: [Position: ContinuousClock.Instant] = [:]
        var worst: Duration = .zero
    }

    private let board = Mutex(Board())

    /// The longest time so far.
    var worst: Duration { board.withLock { $0.worst } }

    /// A change that was sent at `start` got that position.
    func acknowledged(_ position: Position, sentAt start: ContinuousClock.Instant) {
        board.withLock { board in
            board.sent[position] = start
            if let arrival = board.arrived.removeValue(forKey: position) {
                board.worst = max(board.worst, arrival - start)
            }
        }
    }

    /// A client has reached a position.
    func arrived(_ position: Position, at now: ContinuousClock.Instant = .now) {
        board.withLock { board in
            if let start = board.sent[position] {
                board.worst = max(board.worst, now - start)
            } else {
                board.arrived[position] = now
            }
        }
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
