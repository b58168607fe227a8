// Applying a difference: how a copy changes.

extension CallState {
    /// Applies a difference to a copy; whole or, with a thrown ``ApplyError``, not at all.
    ///
    /// O(what changed).
    ///
    /// All fields of the difference get the version `to.seq`. A difference that ends at or below the copy's position in
    /// the same epoch is ignored.
    @discardableResult
    public mutating func apply(_ diff: Diff, from: Position, to: Position) throws(ApplyError) -> ApplyOutcome {
        precondition(!journal.isOpen, "a commit is running")
        if from.epoch != position.epoch { throw .epoch }
        if to.epoch == position.epoch {
            if to.seq <= position.seq { return .ignored }
        } else if to.epoch < position.epoch || to.seq < position.seq {
            throw .epoch
        }
        if from.seq > position.seq { throw .gap }
        try check(diff)
        merge(diff, version: to.seq, keepsUnknownTombstones: false)
        position = to
        return .applied
    }

    /// Replaces everything by a snapshot, with the tombstones that it holds; whole or not at all.
    ///
    /// O(records).
    ///
    /// All fields get the version `at.seq`, which is the floor too: what was removed before is not known.
    public mutating func replace(with snapshot: Diff, at: Position) throws(ApplyError) {
        precondition(!journal.isOpen, "a commit is running")
        var fresh = CallState()
        try fresh.check(snapshot)
        fresh.merge(snapshot, version: at.seq, keepsUnknownTombstones: true)
        fresh.position = at
        fresh.floor = at.seq
        fresh.lineage = lineage + 1
        self = fresh
    }

    /// Writes a checked difference.
    private mutating func merge(_ diff: Diff, version: UInt64, keepsUnknownTombstones: Bool) {
        for record in diff.records {
            if let removal = record.removal {
                if let index = liveIndex(record.slot) {
                    bury(index, version: version, removal: removal)
                } else if keepsUnknownTombstones {
                    keepTombstone(record.slot, removal, version: version)
                }
                continue
            }
            let index = liveIndex(record.slot) ?? add(record.kind, at: record.slot, version: version)
            touch(index, version: version)
            for field in diff.fields[record.fields] {
                write(field.number, key: field.key, field.value, at: index, version: version, always: true)
            }
        }
    }

    /// Keeps the tombstone of a record that this copy never had.
    private mutating func keepTombstone(_ slot: Slot, _ removal: Diff.Removal, version: UInt64) {
        var record = StoredRecord(slot: slot, kind: .removed, version: version)
        record.removal = removal
        let index = store.insert(record)
        indexBySlot[slot] = index
        linkVersion(index, after: newest)
        linkSlot(index)
        totals.nextSlot = max(totals.nextSlot, slot + 1)
        addTombstone(slot: slot, version: version)
    }
}
