extension CallState {
    /// Fills `diff` with every field whose version is above `seq` (0: everything), in O(what changed).
    ///
    /// `seq` is 0 or at or above ``floor``: what was removed below the floor is not known any more. From 0 the
    /// difference is a snapshot: every live record, also without fields, the tombstones still held, and no cleared
    /// fields. It fits only a copy that has nothing.
    public func diff(from seq: UInt64, into diff: inout Diff) {
        diff.removeAll()
        var slots: [Slot] = []
        findSlots(changedSince: seq, into: &slots)
        for slot in slots { if let index = indexBySlot[slot] { append(index, to: &diff) } }
        for place in diff.records.indices {
            guard let index = indexBySlot[diff.records[place].slot] else { continue }
            let start = diff.fields.count
            for field in store[index].fields.indices where store[index].fields[field].version > seq {
                let stored = store[index].fields[field]
                if seq == 0, stored.value == nil { continue }
                diff.fields.append(Diff.Field(number: stored.number, key: stored.key, value: stored.value))
            }
            diff.records[place].fields = start..<diff.fields.count
        }
    }

    /// Fills `slots` with those of the records and tombstones whose version is above `seq` (0: of all), ascending; what
    /// was allocated for it stays.
    ///
    /// `seq` is 0 or at or above ``floor``. O(what changed).
    public func findSlots(changedSince seq: UInt64, into slots: inout [Slot]) {
        precondition(seq == 0 || seq >= floor, "a difference from below the floor")
        slots.removeAll(keepingCapacity: true)
        guard seq > 0 else { return findSlots(into: &slots) }
        var index = newest
        while index != StoredRecord.none, store[index].version > seq {
            slots.append(store[index].slot)
            index = store[index].older
        }
        slots.sort { $0 < $1 }
    }

    private func findSlots(into slots: inout [Slot]) {
        var index = lowest
        while index != StoredRecord.none {
            slots.append(store[index].slot)
            index = store[index].upper
        }
    }

    /// Whether there is a record in `slot`, live or a tombstone.
    ///
    /// O(1).
    public func holds(_ slot: Slot) -> Bool { indexBySlot[slot] != nil }

    private func append(_ index: Int32, to diff: inout Diff) {
        // Field by field: a copy of the record would count references.
        diff.records.append(
            Diff.Record(
                slot: store[index].slot,
                kind: store[index].kind,
                removal: store[index].removal,
                fields: 0..<0
            )
        )
    }

    /// The digest worked out from nothing, in O(fields): equal to ``digest`` unless there is a bug.
    ///
    /// For checks.
    public var recomputedDigest: UInt64 {
        var sum: UInt64 = 0
        var index = lowest
        while index != StoredRecord.none {
            let record = store[index]
            for field in record.fields {
                if let value = field.value {
                    sum &+= CallDigest.hash(slot: record.slot, field: field.number, key: field.key, value: value)
                }
            }
            index = record.upper
        }
        return sum
    }
}
