// Commits: how the relay changes a state.

extension CallState {
    /// Begins a commit: every change until ``endCommit()`` has the version `position.seq + 1`.
    public mutating func beginCommit() {
        precondition(!journal.isOpen, "a commit is running")
        journal.isOpen = true
        journal.totals = totals
        journal.tombstones = tombstones.end
    }

    /// Ends the commit.
    ///
    /// True when something changed: seq grew by one. A commit that changed nothing, or changed all of it back, makes
    /// none.
    public mutating func endCommit() -> Bool {
        precondition(journal.isOpen, "no commit is running")
        let before = journal.totals
        // Records come and go by count and slot; values show in the digest.
        let changed =
            totals.digest != before.digest || totals.nextSlot != before.nextSlot
            || totals.liveRecords != before.liveRecords
        if !changed {
            rollbackCommit()
            return false
        }
        position.seq += 1
        journal.close()
        return true
    }

    /// Undoes every change since ``beginCommit()``, to the last bit: a command happens whole or not at all.
    public mutating func rollbackCommit() {
        precondition(journal.isOpen, "no commit is running")
        journal.isOpen = false
        while let step = journal.steps.popLast() {
            switch step {
            case .added(let index): undoAdd(index)
            case .touched(let index, let version, let older):
                store[index].version = version
                unlinkVersion(index)
                linkVersion(index, after: older)
            case .changed(let index): undoChange(index, journal.fields.removeLast())
            case .inserted(let index): undoInsert(index, journal.fields.removeLast())
            case .buried(let index): undoBury(index)
            }
        }
        totals = journal.totals
        tombstones.truncate(to: journal.tombstones)
        journal.close()
    }

    /// The version that the running commit gives: `position.seq + 1`.
    @inlinable
    public var commitVersion: UInt64 { position.seq + 1 }

    /// Whether a commit is running.
    public var isInCommit: Bool { journal.isOpen }

    /// Moves to another epoch: `seq`, slots and versions go on; nothing else changes.
    ///
    /// For a new meeting and a restart.
    public mutating func beginEpoch(_ epoch: UInt64) {
        precondition(!journal.isOpen, "a commit is running")
        precondition(epoch > position.epoch, "epochs only rise")
        position.epoch = epoch
    }

    /// Sets a field; true when the value is a new one.
    ///
    /// Inside a commit. The record must exist.
    @discardableResult
    public mutating func set(_ field: UInt32, of slot: Slot, to value: FieldValue) -> Bool {
        write(field, key: .empty, value, at: indexInCommit(slot), version: commitVersion)
    }

    /// Clears a field; true when it had a value.
    ///
    /// Inside a commit. The record must exist.
    @discardableResult
    public mutating func clear(_ field: UInt32, of slot: Slot) -> Bool {
        let index = indexInCommit(slot)
        guard store.hasValue(field, at: index) else { return false }
        return write(field, key: .empty, nil, at: index, version: commitVersion)
    }

    /// What setting an entry of a keyed field has done.
    public enum EntryChange {
        /// Nothing: the value was that already, or the entry that was to go was not there.
        case none
        /// The entry has another value, is new or is gone.
        case done
        /// Nothing: the field has as many entries as it may, and this would be one more.
        case full
    }

    /// Sets (or with nil removes) an entry of a keyed field that may have `limit` of them.
    ///
    /// Inside a commit.
    @discardableResult
    public mutating func setEntry(
        _ field: UInt32,
        key: ByteString,
        of slot: Slot,
        to value: [UInt8]?,
        atMost limit: Int = .max
    ) -> EntryChange {
        precondition(!key.isEmpty, "an entry has a key")
        let index = indexInCommit(slot)
        let spot = store.place(of: field, key: key, at: index)
        let isThere = spot.found && store[index].fields[spot.index].hasValue
        if !isThere, value != nil, store[index].entryCount(field) >= limit { return .full }
        let bytes = value.map { FieldValue.bytes($0) }
        return put(field, key: key, bytes, at: index, in: spot, version: commitVersion) ? .done : .none
    }

    /// Adds a record with a new slot.
    ///
    /// Inside a commit.
    public mutating func append(_ kind: RecordKind) -> Slot {
        precondition(journal.isOpen, "no commit is running")
        let slot = nextSlot
        add(kind, at: slot, version: commitVersion)
        return slot
    }

    /// Removes a record and keeps its tombstone.
    ///
    /// Inside a commit. The record must exist and be neither the call's nor the
    /// policy's; a person goes after its devices.
    public mutating func remove(_ slot: Slot, at: UInt64, reason: LeaveReason) {
        precondition(slot >= .firstFree, "the call and its policy stay")
        bury(indexInCommit(slot), version: commitVersion, removal: Diff.Removal(at: at, reason: reason))
    }

    @inline(__always)
    private func indexInCommit(_ slot: Slot) -> Int32 {
        precondition(journal.isOpen, "no commit is running")
        guard let index = liveIndex(slot) else { preconditionFailure("no live record in slot \(slot)") }
        return index
    }

    // MARK: Undoing

    private mutating func undoAdd(_ index: Int32) {
        deregister(store[index])
        unlinkVersion(index)
        unlinkSlot(index)
        indexBySlot[store[index].slot] = nil
        store.free(index)
    }

    private mutating func undoChange(_ index: Int32, _ was: StoredField) {
        let (place, _) = store.place(of: was.number, key: was.key, at: index)
        store[index].fields[place] = was
    }

    private mutating func undoInsert(_ index: Int32, _ field: StoredField) {
        // An identity is written once, right after its record was added: the indices forget it with the field.
        let identity = store[index].kind == .person ? PersonField.uid : DeviceField.person
        if field.number == identity { deregister(store[index]) }
        let (place, _) = store.place(of: field.number, key: field.key, at: index)
        store[index].fields.remove(at: place)
    }

    private mutating func undoBury(_ index: Int32) {
        let record = journal.records.removeLast()
        store[index] = record
        if record.kind == .person, let uid = record.bytes(PersonField.uid) {
            slotByUID[ByteString(uid)] = record.slot
        } else if record.kind == .device, let person = record.number(DeviceField.person),
            let owner = liveIndex(Slot(truncatingIfNeeded: person))
        {
            // The devices removed after this one are back already, so its place is found by order.
            let place = store[owner].devices.firstIndex { $0 > record.slot } ?? store[owner].devices.endIndex
            store[owner].devices.insert(record.slot, at: place)
        }
    }
}
