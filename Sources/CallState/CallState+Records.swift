// The changes that everything else is made of. They keep digest, counts, indices and lists true; who calls them sees to
// it that the change is lawful.

extension CallState {
    /// Adds a record.
    @discardableResult
    mutating func add(_ kind: RecordKind, at slot: Slot, version: UInt64) -> Int32 {
        let index = store.insert(StoredRecord(slot: slot, kind: kind, version: version))
        indexBySlot[slot] = index
        linkVersion(index, after: newest)
        linkSlot(index)
        totals.liveRecords += 1
        totals.nextSlot = max(totals.nextSlot, slot + 1)
        if kind == .person { totals.people += 1 }
        if kind == .device { totals.devices += 1 }
        if journal.isOpen { journal.steps.append(.added(index)) }
        return index
    }

    /// Makes a record the newest.
    mutating func touch(_ index: Int32, version: UInt64) {
        let was = store[index].version
        if was == version { return }
        if journal.isOpen { journal.steps.append(.touched(index, version: was, older: store[index].older)) }
        if newest == index {
            store[index].version = version
        } else {
            makeNewest(index, version: version)
        }
    }

    /// Gives a field a value, or with nil takes it away; true when that was a change.
    ///
    /// `always`: the version counts even when the value is what it was, as a copy needs it.
    @discardableResult
    mutating func write(
        _ number: UInt32,
        key: ByteString,
        _ value: FieldValue?,
        at index: Int32,
        version: UInt64,
        always: Bool = false
    ) -> Bool {
        put(
            number,
            key: key,
            value,
            at: index,
            in: store.place(of: number, key: key, at: index),
            version: version,
            always: always
        )
    }

    /// The same where the field was looked for already: `in` is the place that it has or gets.
    @inline(__always)
    mutating func put(
        _ number: UInt32,
        key: ByteString,
        _ value: FieldValue?,
        at index: Int32,
        in spot: (index: Int, found: Bool),
        version: UInt64,
        always: Bool = false
    ) -> Bool {
        let (place, found) = spot
        let slot = store[index].slot
        var term: UInt64 = 0
        if let value { term = CallDigest.hash(slot: slot, field: number, key: key, value: value) }
        let termBefore = found ? store[index].fields[place].term : 0
        // Values that count differently in the digest are different ones: nearly always that settles it.
        if !always, termBefore == term, (found ? store[index].fields[place].value : nil) == value { return false }
        touch(index, version: version)
        totals.digest &+= term &- termBefore
        // Changes places with what was: neither is copied.
        var field = StoredField(number: number, key: key, version: version, value: value, term: term)
        if found {
            swap(&store[index].fields[place], &field)
        } else {
            store[index].fields.insert(field, at: place)
        }
        if !key.isEmpty {
            let isCleared = value == nil
            if isCleared { tombstones.append(.init(version: version, slot: slot, number: number, key: key)) }
            totals.tombstones += (isCleared ? 1 : 0) - (found && !field.hasValue ? 1 : 0)
        }
        if Self.isIndexed(number) { register(number, was: found ? field.value : nil, value, at: index) }
        if journal.isOpen {
            if showsInAttendance(store[index].kind, number) { totals.attendanceChange = version }
            journal.note(found ? .changed(index) : .inserted(index), field)
        }
        return true
    }

    /// Turns a record into its tombstone.
    mutating func bury(_ index: Int32, version: UInt64, removal: Diff.Removal) {
        touch(index, version: version)
        if journal.isOpen {
            journal.steps.append(.buried(index))
            journal.records.append(store[index])
            if store[index].kind == .device { totals.attendanceChange = version }
        }
        let record = store[index]
        for field in record.fields {
            totals.digest &-= field.term
            if field.value == nil, !field.key.isEmpty { totals.tombstones -= 1 }
        }
        deregister(record)
        totals.liveRecords -= 1
        if record.kind == .person { totals.people -= 1 }
        if record.kind == .device { totals.devices -= 1 }
        store[index].fields = []
        store[index].devices = []
        store[index].kind = .removed
        store[index].removal = removal
        addTombstone(slot: record.slot, version: version)
    }

    /// Notes that a record's tombstone is held.
    mutating func addTombstone(slot: Slot, version: UInt64) {
        totals.tombstones += 1
        tombstones.append(.init(version: version, slot: slot, number: 0, key: .empty))
    }

    // MARK: Indices

    /// Whether a field of a person or of a device is one by which it is found.
    private static func isIndexed(_ number: UInt32) -> Bool {
        number == PersonField.uid || number == DeviceField.person
    }

    /// Keeps the indices true when an identity is written.
    mutating func register(_ number: UInt32, was: FieldValue?, _ value: FieldValue?, at index: Int32) {
        let kind = store[index].kind
        if kind == .person, number == PersonField.uid {
            precondition(was == nil || was == value, "a uid never changes")
            if case .bytes(let uid)? = value { slotByUID[ByteString(uid)] = store[index].slot }
        } else if kind == .device, number == DeviceField.person {
            precondition(was == nil || was == value, "a device never changes its person")
            if was == nil, let person = store.number(number, at: index) {
                enroll(device: store[index].slot, with: Slot(truncatingIfNeeded: person))
            }
        }
    }

    private mutating func enroll(device: Slot, with person: Slot) {
        guard let index = liveIndex(person) else { return }
        var place = store[index].devices.count
        while place > 0, store[index].devices[place - 1] > device { place -= 1 }
        store[index].devices.insert(device, at: place)
    }

    /// Takes a record out of the indices; the record itself is not changed.
    mutating func deregister(_ record: StoredRecord) {
        if record.kind == .person, let uid = record.bytes(PersonField.uid) {
            let key = ByteString(uid)
            if slotByUID[key] == record.slot { slotByUID[key] = nil }
        } else if record.kind == .device, let person = record.number(DeviceField.person) {
            guard let index = liveIndex(Slot(truncatingIfNeeded: person)) else { return }
            store[index].devices.removeAll { $0 == record.slot }
        }
    }
}
