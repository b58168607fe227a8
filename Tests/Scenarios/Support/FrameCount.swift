import RollcallProtocol
import Synchronization

/// Counts the frames that clients get.
final class FrameCount: Sendable {
    struct Count {
        var snapshots = 0
        var deltas = 0
    }

    private let counts = Mutex<[String: Count]>([:])

    func add(_ frame: ServerFrame, of uid: String) {
        counts.withLock { counts in
            switch frame {
            case .snapshot: counts[uid, default: Count()].snapshots += 1
            case .delta: counts[uid, default: Count()].deltas += 1
            default: break
            }
        }
    }

    func of(_ uid: String) -> Count { counts.withLock { $0[uid] ?? Count() } }
}
