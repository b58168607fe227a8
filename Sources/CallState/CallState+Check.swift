// What a copy demands of a difference before it writes the first field of it. A peer is never trusted.

extension CallState {
    /// Throws when `diff` can't be written as a whole.
    func check(_ diff: Diff) throws(ApplyError) {
        var newcomers = Newcomers()
        var last: Slot?
        for record in diff.records {
            if let last, record.slot <= last { throw .invalid(record.slot, "records are not in order of slot") }
            last = record.slot
            // A state counts the slots it has seen: one more than this has no number.
            if record.slot == .max { throw .invalid(record.slot, "no slot is left after it") }
            guard record.fields.lowerBound >= 0, record.fields.upperBound <= diff.fields.count else {
                throw .invalid(record.slot, "fields out of range")
            }
            let fields = diff.fields[record.fields]
            if record.kind == .removed || record.removal != nil {
                try checkTombstone(record)
                continue
            }
            try checkKind(record)
            try checkFields(fields, of: record)
            if let index = liveIndex(record.slot) {
                try checkIdentity(fields, of: store[index])
            } else {
                try checkNewcomer(record, fields, diff, &newcomers)
            }
        }
        try checkOrphans(diff)
    }

    /// The identities that a difference brings in.
    ///
    /// Empty sets take no memory, so that ordinary changes take none.
    private struct Newcomers {
        struct DeviceKey: Hashable {
            var person: Slot
            var id: ByteString
        }
        var uids: Set<ByteString> = []
        var devices: Set<DeviceKey> = []
    }

    private func checkTombstone(_ record: Diff.Record) throws(ApplyError) {
        guard record.kind == .removed, record.removal != nil, record.fields.isEmpty else {
            throw .invalid(record.slot, "a tombstone with a body")
        }
        if record.slot < .firstFree { throw .invalid(record.slot, "the call and its policy can't be removed") }
    }

    private func checkKind(_ record: Diff.Record) throws(ApplyError) {
        switch record.kind {
        case .call where record.slot != .call, .policy where record.slot != .policy:
            throw .invalid(record.slot, "the call and its policy have slots of their own")
        case .call, .policy: break
        case _ where record.slot < .firstFree:
            throw .invalid(record.slot, "slots 0 and 1 are the call and its policy")
        case .person, .device: break
        default:
            guard RecordKind.later.contains(record.kind.rawValue) else {
                throw .invalid(record.slot, "\(record.kind.rawValue) is no kind of record")
            }
        }
        guard let index = indexBySlot[record.slot] else { return }
        if !store[index].isLive { throw .invalid(record.slot, "the slot was used before") }
        if store[index].kind != record.kind { throw .invalid(record.slot, "a record never changes its kind") }
    }

    private func checkFields(_ fields: ArraySlice<Diff.Field>, of record: Diff.Record) throws(ApplyError) {
        var last: Diff.Field?
        for field in fields {
            if let last, (field.number, field.key) <= (last.number, last.key) {
                throw .invalid(record.slot, "field \(field.number) is not in order")
            }
            last = field
            if field.number == 0 { throw .invalid(record.slot, "0 is no field") }
            guard let known = FieldTable.descriptor(record.kind, field.number) else { continue }
            if known.isKeyed == field.key.isEmpty {
                throw .invalid(record.slot, known.isKeyed ? "\(known.name) needs a key" : "\(known.name) has no key")
            }
            if let value = field.value, !known.type.accepts(value) {
                throw .invalid(record.slot, "\(known.name) has a value of another type")
            }
        }
    }

    private func checkIdentity(_ fields: ArraySlice<Diff.Field>, of record: StoredRecord) throws(ApplyError) {
        for field in fields where record.kind.isIdentity(field.number) {
            if field.value != record.value(field.number) {
                throw .invalid(record.slot, "an identity never changes")
            }
        }
    }

    private func checkNewcomer(
        _ record: Diff.Record,
        _ fields: ArraySlice<Diff.Field>,
        _ diff: Diff,
        _ newcomers: inout Newcomers
    ) throws(ApplyError) {
        if record.kind == .person {
            guard let uid = fields.text(PersonField.uid) else { throw .unknownSlot(record.slot) }
            if let slot = slotByUID[uid], !diff.removes(slot) { throw .invalid(record.slot, "the uid is in the call") }
            guard newcomers.uids.insert(uid).inserted else { throw .invalid(record.slot, "the uid comes twice") }
        } else if record.kind == .device {
            guard let id = fields.text(DeviceField.device), let person = fields.slot(DeviceField.person) else {
                throw .unknownSlot(record.slot)
            }
            if person >= record.slot { throw .invalid(record.slot, "a device came before its person") }
            let present = liveIndex(person).map { store[$0].kind == .person } ?? false
            guard !diff.removes(person), present || diff.has(person, .person) else {
                throw .invalid(record.slot, "the device's person is missing")
            }
            if present, let twin = deviceSlot(of: person, id: id), !diff.removes(twin) {
                throw .invalid(record.slot, "the device is in the call")
            }
            guard newcomers.devices.insert(.init(person: person, id: id)).inserted else {
                throw .invalid(record.slot, "the device comes twice")
            }
        }
    }

    /// A person that goes takes its devices along.
    private func checkOrphans(_ diff: Diff) throws(ApplyError) {
        for record in diff.records where record.removal != nil {
            guard let index = liveIndex(record.slot) else { continue }
            for device in store[index].devices where !diff.removes(device) {
                throw .invalid(device, "the device's person is missing")
            }
        }
    }
}

extension RecordKind {
    /// Whether the field is one of those that tell who or what the record is, and never change.
    func isIdentity(_ field: UInt32) -> Bool {
        switch self {
        case .person: field == PersonField.uid
        case .device: field == DeviceField.person || field == DeviceField.device
        default: false
        }
    }
}

extension FieldType {
    /// Whether `value` has the shape and the range of this type.
    public func accepts(_ value: FieldValue) -> Bool {
        switch (self, value) {
        case (.bytes, .bytes), (.text, .bytes): true
        case (.boolean, .number(let number)), (.number, .number(let number)), (.slot, .number(let number)),
            (.enumeration, .number(let number)):
            number <= highest
        case (.message(.hand), .bytes(let bytes)): Hand(encoded: bytes) != nil
        case (.message(.recording), .bytes(let bytes)): Recording(encoded: bytes) != nil
        case (.message(.unmuteRequest), .bytes(let bytes)): UnmuteRequest(encoded: bytes) != nil
        case (.message(.slotList), .bytes(let bytes)): SlotList(encoded: bytes) != nil
        case (.boolean, .bytes), (.number, .bytes), (.slot, .bytes), (.enumeration, .bytes): false
        case (.bytes, .number), (.text, .number), (.message, .number): false
        }
    }
}

extension ArraySlice<Diff.Field> {
    fileprivate func text(_ number: UInt32) -> ByteString? {
        guard case .bytes(let bytes)? = first(where: { $0.number == number })?.value else { return nil }
        return ByteString(bytes)
    }

    fileprivate func slot(_ number: UInt32) -> Slot? {
        guard case .number(let slot)? = first(where: { $0.number == number })?.value else { return nil }
        return Slot(exactly: slot)
    }
}

extension Diff {
    /// The record of `slot`, by bisection.
    func record(_ slot: Slot) -> Record? {
        var low = 0
        var high = records.count
        while low < high {
            let middle = (low + high) / 2
            if records[middle].slot == slot { return records[middle] }
            if records[middle].slot < slot { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    fileprivate func removes(_ slot: Slot) -> Bool { record(slot)?.removal != nil }

    fileprivate func has(_ slot: Slot, _ kind: RecordKind) -> Bool { record(slot)?.kind == kind }
}
