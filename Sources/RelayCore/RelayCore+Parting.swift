import CallState
import RollcallProtocol

// Snapshots for those who get no more frames of a call. It goes on while they come and go, so that each would need
// another one, as large as the call: they share one, and each is told by a difference what has changed since.
extension RelayCore {
    /// So many commits may follow a shared snapshot before a new one is worth it.
    private static let partingCommits: UInt64 = 256

    /// A snapshot from which a difference of not too much leads to the call as it is, for a receiver that must not be
    /// shown anything below `seen`.
    mutating func partingSnapshot(of call: Int, notBelow seen: [Position]) -> EncodedSnapshot {
        let head = calls[call]!.state.position
        let floor = calls[call]!.state.floor
        let known = [calls[call]!.snapshot, calls[call]!.parting].compactMap(\.self).first { known in
            known.position.epoch == head.epoch && known.position.seq >= floor
                && head.seq - min(head.seq, known.position.seq) <= Self.partingCommits
                && !seen.contains { $0.epoch == head.epoch && $0.seq > known.position.seq }
        }
        return known ?? makePartingSnapshot(of: call, asItIs: true)
    }

    /// A snapshot of exactly what is shown.
    mutating func partingSnapshot(of call: Int) -> EncodedSnapshot {
        let head = calls[call]!.shownPosition
        let known = [calls[call]!.snapshot, calls[call]!.parting].compactMap(\.self).first { $0.position == head }
        return known ?? makePartingSnapshot(of: call, asItIs: false)
    }

    private mutating func makePartingSnapshot(of call: Int, asItIs: Bool) -> EncodedSnapshot {
        let made = calls[call]!.makePartingSnapshot(asItIs: asItIs)
        if made.bytes.count > WireLimits.snapshotPart { turn.hasLongSnapshot = true }
        return made
    }
}
