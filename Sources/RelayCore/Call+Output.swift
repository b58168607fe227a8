import CallState
import RollcallProtocol

// What a turn leaves in a call for its receivers.
//
// These are `mutating` even where they only look, since the state of a call in the relay's table is then read where it
// is; else all of it is copied.
extension Call {
    /// Encodes what the turn changed, once for all receivers.
    ///
    /// `diff` is memory to work in.
    mutating func encodeChanges(ringBytes: Int, longest: Int, _ diff: inout Diff) {
        let head = shownPosition
        let cause: Cause = keeping.isSync ? shownCause : (turn.actor, turn.op)
        turn.isListed = false
        guard !readers.isEmpty, ringEpoch == head.epoch, ring.end >= shownFloor else {
            // Whoever reads all the same is below the start of the ring: a difference of its own, or a snapshot,
            // follows.
            turnBegin = told
            return beginRing()
        }
        // Nothing that it would tell: a restart or a private change.
        if ring.end == head.seq { return }
        let from = Position(epoch: head.epoch, seq: ring.end)
        diffShown(from: from.seq, into: &diff)
        let isOne = head.seq - from.seq == 1
        // The changed device itself is what an absent actor means.
        let isOwn = cause.actor != 0 && diff.records.count == 1 && diff.records[0].slot == cause.actor
        let follows = !ring.isEmpty
        // Bytes of frames that a call keeps: no more than a few snapshots of it would be.
        let capacity = min(ringBytes, max(8 * 1024, state.liveRecordCount * 256))
        ring.append(to: head.seq, capacity: capacity, keeping: told, longest: longest) { [diff] bytes in
            ServerFrame.encodeDelta(
                diff,
                from: from,
                to: head,
                omitsEpoch: follows,
                actor: isOne && !isOwn ? cause.actor : nil,
                op: isOne ? cause.op : 0,
                into: &bytes
            )
        }
        if let kept = snapshot, kept.position.seq < ring.start { snapshot = nil }
    }

    /// What was encoded for all leads nowhere any more: the frames begin anew at what is shown.
    mutating func beginRing() {
        let head = shownPosition
        ring.reset(to: head.seq)
        told = head.seq
        ringEpoch = head.epoch
        snapshot = nil
    }

    /// Whether it is time to look which tombstones nobody needs any more: there are many, or more than the limit.
    mutating func hasManyTombstones(limit: Int) -> Bool {
        let held = state.tombstoneCount
        return held > 64 && (held >= 2 * keptTombstones || held > limit)
    }
}
