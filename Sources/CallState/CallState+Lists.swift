// The two linked lists that order the records: by version and by slot.

extension CallState {
    /// Takes a record out of the order of versions.
    mutating func unlinkVersion(_ index: Int32) {
        let older = store[index].older
        let newer = store[index].newer
        if older == StoredRecord.none { oldest = newer } else { store[older].newer = newer }
        if newer == StoredRecord.none { newest = older } else { store[newer].older = older }
    }

    /// Puts a record into the order of versions, right after `older`, or first.
    mutating func linkVersion(_ index: Int32, after older: Int32) {
        let newer = older == StoredRecord.none ? oldest : store[older].newer
        store[index].older = older
        store[index].newer = newer
        if older == StoredRecord.none { oldest = index } else { store[older].newer = index }
        if newer == StoredRecord.none { newest = index } else { store[newer].older = index }
    }

    /// Moves a record from where it is in the order of versions to its end.
    ///
    /// The record is another one than the newest.
    mutating func makeNewest(_ index: Int32, version: UInt64) {
        unlinkVersion(index)
        let last = newest
        store[last].newer = index
        store.update(index) { record in
            record.version = version
            record.older = last
            record.newer = StoredRecord.none
        }
        newest = index
    }

    /// Takes a record out of the order of slots.
    mutating func unlinkSlot(_ index: Int32) {
        let lower = store[index].lower
        let upper = store[index].upper
        if lower == StoredRecord.none { lowest = upper } else { store[lower].upper = upper }
        if upper == StoredRecord.none { highest = lower } else { store[upper].lower = lower }
    }

    /// Puts a record into the order of slots.
    ///
    /// O(1) for the highest slot, which is the rule.
    mutating func linkSlot(_ index: Int32) {
        let slot = store[index].slot
        var lower = highest
        while lower != StoredRecord.none, store[lower].slot > slot { lower = store[lower].lower }
        let upper = lower == StoredRecord.none ? lowest : store[lower].upper
        store[index].lower = lower
        store[index].upper = upper
        if lower == StoredRecord.none { lowest = index } else { store[lower].upper = index }
        if upper == StoredRecord.none { highest = index } else { store[upper].lower = index }
    }

    /// The index of the live record in `slot`.
    ///
    /// Inlined: the state is then read where it is, else it is copied to be asked.
    @inline(__always)
    func liveIndex(_ slot: Slot) -> Int32? {
        guard let index = indexBySlot[slot], store[index].isLive else { return nil }
        return index
    }

    /// Calls `body` with the index of each live record of `kind`, ascending by slot.
    func forEach(_ kind: RecordKind, _ body: (Int32) -> Void) {
        var index = lowest
        while index != StoredRecord.none {
            if store[index].isLive, store[index].kind == kind { body(index) }
            index = store[index].upper
        }
    }
}
