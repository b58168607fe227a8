import CallState
import RollcallProtocol

// What a turn leaves in a call for its receivers.
//
// These are `mutating` even where they only look, since the state of a call in the relay's table is then read where it
// is; else all of it is copied.
extension Call {
    /// Encodes what the turn changed, once for all receivers.
    ///
    /// `slots` is memory to work in.
    mutating func encodeChanges(ringBytes: Int, longest: Int, _ slots: inout [Slot]) {
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
        collectChanges(since: from.seq, into: &slots)
        let isOne = head.seq - from.seq == 1
        // The changed device itself is what an absent actor means.
        let isOwn = cause.actor != 0 && slots.count == 1 && slots[0] == cause.actor
        let follows = !ring.isEmpty
        // Bytes of frames that a call keeps: no more than a few snapshots of it would be.
        let capacity = min(ringBytes, max(8 * 1024, state.liveRecordCount * 256))
        // Out of the call while it grows, since what is shown is in it too.
        var log = FrameRing(at: 0)
        swap(&log, &ring)
        log.append(to: head.seq, capacity: capacity, keeping: told, longest: longest) { [slots] bytes in
            readShown { state in
                ServerFrame.encodeDelta(
                    of: state,
                    in: slots,
                    from: from,
                    omitsEpoch: follows,
                    actor: isOne && !isOwn ? cause.actor : nil,
                    op: isOne ? cause.op : 0,
                    into: &bytes
                )
            }
        }
        swap(&log, &ring)
        if let kept = snapshot, kept.position.seq < ring.start { snapshot = nil }
        if let kept = parting, kept.position.seq < ring.start { parting = nil }
    }

    /// Parts of snapshots are shorter than they may be: a receiver reads the first while the next is on its way.
    private static let snapshotPart = 16 * 1024

    /// The last snapshot, while it leads somewhere.
    var keptSnapshot: EncodedSnapshot? {
        mutating get { snapshot }
    }

    /// Encodes a snapshot of what is shown, for all who need one: of the last one if that is still of use.
    mutating func makeSnapshot() -> EncodedSnapshot {
        let made = encodeSnapshot(from: [snapshot], asItIs: false)
        snapshot = made
        return made
    }

    /// Encodes a snapshot for those who get no more frames, of what is shown or of the call `asItIs`.
    ///
    /// Not for anybody else: in the middle of a turn it shows what no frame begins or ends with.
    mutating func makePartingSnapshot(asItIs: Bool) -> EncodedSnapshot {
        let made = encodeSnapshot(from: [parting, snapshot], asItIs: asItIs)
        parting = made
        return made
    }

    /// Encodes a snapshot of what is shown or of the call `asItIs`, from the first of `earlier` ones that is of its
    /// epoch.
    private mutating func encodeSnapshot(from earlier: [EncodedSnapshot?], asItIs: Bool) -> EncodedSnapshot {
        let encoder = SnapshotEncoder(maximumPartLength: Self.snapshotPart)
        let epoch = head(asItIs: asItIs).position.epoch
        let known = earlier.compactMap(\.self).first { $0.position.epoch == epoch }
        func encode(_ state: borrowing CallState) -> EncodedSnapshot {
            known.map { encoder.encode(state, from: $0) } ?? encoder.encode(state)
        }
        return asItIs ? encode(state) : readShown(encode)
    }

    /// What was encoded for all leads nowhere any more: the frames begin anew at what is shown.
    mutating func beginRing() {
        let head = shownPosition
        ring.reset(to: head.seq)
        told = head.seq
        ringEpoch = head.epoch
        snapshot = nil
        parting = nil
    }

    /// Whether it is time to look which tombstones nobody needs any more: there are many, or more than the limit.
    mutating func hasManyTombstones(limit: Int) -> Bool {
        let held = state.tombstoneCount
        return held > 64 && (held >= 2 * keptTombstones || held > limit)
    }
}
