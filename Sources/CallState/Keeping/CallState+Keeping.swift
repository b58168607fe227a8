// What a store is given of a state, and the state that comes back.

extension CallState {
    /// Appends every record and tombstone whose version is above `seq`, ascending by slot; 0 is all of them.
    ///
    /// Outside of a commit. O(what changed).
    public func appendKept(since seq: UInt64, to records: inout [KeptRecord]) {
        precondition(!journal.isOpen, "a commit is running")
        let first = records.count
        var index = newest
        while index != StoredRecord.none, store[index].version > seq || seq == 0 {
            records.append(store[index].kept)
            index = store[index].older
        }
        records[first...].sort { $0.slot < $1.slot }
    }

    /// The state that was kept, with every version, so that differences from any position at or above the floor can be
    /// made again.
    ///
    /// O(records). Throws what is wrong when the parts do not make a state.
    public init(restoring kept: KeptCall) throws(KeptError) {
        self.init()
        let header = kept.header
        var records: [StoredRecord] = []
        records.reserveCapacity(kept.records.count)
        for record in kept.records.values.sorted(by: { $0.slot < $1.slot }) {
            let record = try StoredRecord(record)
            if !record.isLive, record.version <= header.floor { continue }
            records.append(record)
        }
        try Self.check(records, header)
        for record in records { try restore(record, floor: header.floor) }
        relinkVersions()
        restoreTombstones()
        position = header.position
        floor = header.floor
        totals.nextSlot = header.nextSlot
        totals.attendanceChange = 0
        if let digest = header.digest, digest != self.digest { throw KeptError("the digest is another one") }
    }

    /// Throws when the records can't be those of one state.
    private static func check(_ records: [StoredRecord], _ header: KeptHeader) throws(KeptError) {
        guard header.floor <= header.position.seq else { throw KeptError("the floor is above the head") }
        guard max(header.position.epoch, header.position.seq) < 1 << 53 else {
            throw KeptError("no call gets as far as \(header.position)")
        }
        guard header.nextSlot >= .firstFree else {
            throw KeptError("the next slot is \(header.nextSlot), which no person or device ever has")
        }
        var live = Diff()
        for record in records {
            guard record.slot < header.nextSlot else { throw KeptError(slot: record.slot, "the slot was never given") }
            guard record.version <= header.position.seq else {
                throw KeptError(slot: record.slot, "a version is above the head")
            }
            guard record.isLive else {
                if record.slot < .firstFree { throw KeptError(slot: record.slot, "the call and its policy stay") }
                if !record.fields.isEmpty { throw KeptError(slot: record.slot, "a tombstone with fields") }
                continue
            }
            let start = live.fields.count
            for field in record.fields {
                guard field.version <= record.version else {
                    throw KeptError(slot: record.slot, "field \(field.number) is newer than its record")
                }
                // No difference would have it, and every copy another digest.
                guard field.version > 0 else {
                    throw KeptError(slot: record.slot, "field \(field.number) is older than its call")
                }
                live.fields.append(Diff.Field(number: field.number, key: field.key, value: field.value))
            }
            let fields = start..<live.fields.count
            live.records.append(Diff.Record(slot: record.slot, kind: record.kind, removal: nil, fields: fields))
        }
        do throws(ApplyError) {
            try CallState().check(live)
        } catch {
            throw KeptError(error)
        }
    }

    /// Puts a checked record back; in order of slots.
    private mutating func restore(_ record: StoredRecord, floor: UInt64) throws(KeptError) {
        var record = record
        record.fields.removeAll { !$0.key.isEmpty && $0.value == nil && $0.version <= floor }
        guard record.isLive else {
            let index = store.insert(record)
            indexBySlot[record.slot] = index
            linkSlot(index)
            totals.tombstones += 1
            return
        }
        let index = liveIndex(record.slot) ?? add(record.kind, at: record.slot, version: 0)
        store[index].version = record.version
        store[index].fields = record.fields
        for field in record.fields {
            totals.digest &+= field.term
            if !field.key.isEmpty, field.value == nil { totals.tombstones += 1 }
            register(field.number, was: nil, field.value, at: index)
        }
    }

    /// Puts all records into the order of their versions.
    private mutating func relinkVersions() {
        var indices: [Int32] = []
        var index = lowest
        while index != StoredRecord.none {
            indices.append(index)
            index = store[index].upper
        }
        // Slots break ties, so that equal parts make equal states.
        indices.sort { (store[$0].version, store[$0].slot) < (store[$1].version, store[$1].slot) }
        oldest = StoredRecord.none
        newest = StoredRecord.none
        for index in indices { linkVersion(index, after: newest) }
    }

    private mutating func restoreTombstones() {
        var found: [TombstoneQueue.Element] = []
        var index = lowest
        while index != StoredRecord.none {
            let record = store[index]
            if !record.isLive {
                found.append(.init(version: record.version, slot: record.slot, number: 0, key: .empty))
            }
            for field in record.fields where !field.key.isEmpty && field.value == nil {
                found.append(.init(version: field.version, slot: record.slot, number: field.number, key: field.key))
            }
            index = record.upper
        }
        found.sort { ($0.version, $0.slot, $0.number, $0.key) < ($1.version, $1.slot, $1.number, $1.key) }
        for tombstone in found { tombstones.append(tombstone) }
    }
}

extension KeptError {
    /// The same fault, found by the rules for copies.
    fileprivate init(_ error: ApplyError) {
        switch error {
        case .epoch, .gap: self.init("the records are of another position")
        case .unknownSlot(let slot): self.init(slot: slot, "the record has no identity")
        case .invalid(let slot, let reason): self.init(slot: slot, reason)
        }
    }
}
