import CallState
import Rollcall
import RollcallProtocol
import Synchronization

/// What many clients were told since the book was opened, counted.
final class FrameBook: Sendable {
    /// The counts.
    struct Counts: Sendable {
        var resumed = 0
        var otherOutcomes = 0
        var snapshots = 0
        /// Snapshots because copies differed from the relay.
        var repairs = 0
        var deltas = 0
        /// People and devices that were seen to leave.
        var left = 0
        /// Devices that were seen to lose their link.
        var lostLinks = 0
        /// Connections that were ended by the relay with a word.
        var closed = 0
    }

    private let counts = Mutex<Counts?>(nil)
    /// How often each client was attached, from the beginning.
    private let joins = Mutex<[Int: Int]>([:])

    /// Begins to count.
    func open() { counts.withLock { $0 = Counts() } }

    /// What was counted so far.
    var now: Counts { counts.withLock { $0 } ?? Counts() }

    /// How often that client was attached, from the beginning.
    func joins(of client: Int) -> Int { joins.withLock { $0[client] ?? 0 } }

    /// Counts a frame of a client.
    func note(_ trace: FrameTrace, from client: Int) {
        if case .joined = trace.frame { joins.withLock { $0[client, default: 0] += 1 } }
        let isOpen = counts.withLock { $0 != nil }
        guard isOpen else { return }
        var left = 0
        var lost = 0
        switch trace.frame {
        case .delta, .part:
            guard trace.before.position != trace.after.position else { break }
            for event in difference(trace.before, trace.after) {
                switch event {
                case .left, .deviceLeft: left += 1
                case .deviceLink(_, _, .reconnecting): lost += 1
                default: continue
                }
            }
        default: break
        }
        counts.withLock { counts in
            counts?.left += left
            counts?.lostLinks += lost
            switch trace.frame {
            case .joined(let joined):
                if joined.outcome == .resumed { counts?.resumed += 1 } else { counts?.otherOutcomes += 1 }
            case .snapshot(let head):
                counts?.snapshots += 1
                if head.reason == .digest || head.reason == .requested { counts?.repairs += 1 }
            case .delta: counts?.deltas += 1
            case .closed: counts?.closed += 1
            default: break
            }
        }
    }
}
