import CallState
import RollcallProtocol

// The end of a turn: what changed is encoded once for all.
extension RelayCore {
    /// Encodes the changes of each call that changed, once for all its receivers.
    mutating func encodeChanges() {
        if turn.changed.isEmpty { return }
        for id in turn.changed {
            guard let call = index(of: id) else { continue }
            encodeChanges(of: call)
        }
        turn.changed.removeAll(keepingCapacity: true)
    }

    private mutating func encodeChanges(of call: Int) {
        calls[call]!.encodeChanges(
            ringBytes: configuration.ringBytes,
            longest: configuration.maximumDelta,
            &changedSlots
        )
        tellReaders(of: call)
        // Last: the difference of this turn needs every tombstone since the last one. The floor ends at or below the
        // head, which is where the ring leads to now.
        dropTombstones(of: call)
    }

    /// The snapshot for a receiver: a kept one as long as it is worth more than a new one, else a new one.
    mutating func snapshot(for index: Int, _ pending: PendingSnapshot, of call: Int) -> EncodedSnapshot {
        let head = calls[call]!.shownPosition
        if let kept = calls[call]!.keptSnapshot, kept.position.epoch == head.epoch {
            if kept.position == head { return kept }
            let cursor = connections[index].cursor
            let isBehind = [cursor, pending.least].contains { $0.epoch == head.epoch && kept.position.seq < $0.seq }
            // Who gets no deltas after it gets the head: a Peek, or a connection that closes; and so does whoever the
            // differences are too large for, or the next one would be too large again.
            if connections[index].isReader, pending.request == 0, pending.reason != .lagged, !isBehind,
                kept.position.seq >= calls[call]!.shownFloor, calls[call]!.ringEpoch == head.epoch,
                let since = calls[call]!.ring.range(from: kept.position.seq),
                since.count <= tolerance(for: kept, of: call)
            {
                return kept
            }
        }
        let made = calls[call]!.makeSnapshot()
        calls[call]!.snapshotMadeAt = now.monotonic
        if made.bytes.count > WireLimits.snapshotPart { turn.hasLongSnapshot = true }
        return made
    }

    /// So many bytes of changes may follow a kept snapshot before a new one is worth it.
    ///
    /// Fewer once a second: a new one costs less than the changes that many joiners are then spared, but one for every
    /// few changes of a busy call would be too many for who takes them slowly.
    private mutating func tolerance(for kept: EncodedSnapshot, of call: Int) -> Int {
        let isOld = now.monotonic - calls[call]!.snapshotMadeAt >= 1_000
        return max(4 * 1024, kept.bytes.count / (isOld ? 32 : 4))
    }

    /// Drops the tombstones that nobody needs any more, once there are many; above the limit also those that somebody
    /// does.
    private mutating func dropTombstones(of call: Int) {
        guard calls[call]!.hasManyTombstones(limit: configuration.maximumTombstones) else { return }
        let held = calls[call]!.state.tombstoneCount
        calls[call]!.dropTombstones(through: lowestPosition(in: call))
        // Half of the limit at once, so that the next removal does not have to look again.
        while calls[call]!.state.tombstoneCount > configuration.maximumTombstones / 2,
            calls[call]!.state.tombstoneCount > 0, held > configuration.maximumTombstones,
            let oldest = calls[call]!.state.oldestTombstone
        {
            calls[call]!.dropTombstones(through: oldest)
        }
        calls[call]!.keptTombstones = calls[call]!.state.tombstoneCount
    }

    /// The lowest seq that somebody has who may still get a difference from it.
    private func lowestPosition(in call: Int) -> UInt64 {
        let head = calls[call]!.state.position
        var lowest = head.seq
        for index in calls[call]!.readers {
            let known = connections[index].acknowledged
            if calls[call]!.isShared(known, with: head.epoch) { lowest = min(lowest, known.seq) }
        }
        for device in calls[call]!.state.deviceSlots {
            guard let record = calls[call]!.records[device], record.broughtBy == nil, record.connection == nil else {
                continue
            }
            if calls[call]!.isShared(record.lastPosition, with: head.epoch) {
                lowest = min(lowest, record.lastPosition.seq)
            }
        }
        for actor in calls[call]!.actors
        where actor.connection == nil && calls[call]!.isShared(actor.lastPosition, with: head.epoch) {
            lowest = min(lowest, actor.lastPosition.seq)
        }
        return lowest
    }

    /// Gives the shell the connections that have output.
    mutating func announceOutput() {
        for index in turn.outputs { connections[index].isListed = false }
        // What all wait for comes first. Who has asked for something gets both when its turn comes.
        outputs.take(&turn.told)
        outputs.take(&turn.outputs)
    }
}
