// Records as they are on the wire, straight from where they are kept: a difference as a value in between would cost
// several times what writing them does.

extension CallState {
    /// Appends the record in `slot`, live or a tombstone, as an element of the repeated field `element`: of its fields
    /// those whose version is above `seq` (0: all that have a value).
    ///
    /// Gives the slot of the record above it; nil when there is none, or no record in `slot`. O(the record).
    @discardableResult
    public func appendRecord(
        _ slot: Slot,
        changedSince seq: UInt64,
        as element: UInt32,
        to bytes: inout [UInt8]
    ) -> Slot? {
        guard let index = indexBySlot[slot] else { return nil }
        let fields = store[index].fields
        let kind = store[index].kind.rawValue
        let removal = store[index].removal
        var lengths = RecordLengths()
        if let removal {
            lengths.body = putLength(removal.at) + putLength(UInt64(removal.reason.rawValue))
        } else {
            for place in fields.indices where fields[place].version > seq {
                lengths.add(fields[place], isWhole: seq == 0)
            }
        }
        let content = lengths.content(slot: slot, kind: kind)
        let room = tagLength(element) + varintLength(UInt64(content)) + content
        bytes.append(addingCapacity: room) { out in
            out.append(element, length: content)
            out.put(1, UInt64(slot))
            out.append(kind, length: lengths.body)
            if let removal {
                out.put(1, removal.at)
                out.put(2, UInt64(removal.reason.rawValue))
                return
            }
            if lengths.body > 0 {
                for place in fields.indices where fields[place].version > seq && fields[place].key.isEmpty {
                    switch fields[place].value {
                    case .number(let number): out.write(fields[place].number, number)
                    case .bytes(let content):
                        out.append(fields[place].number, length: content.count)
                        out.append(all: content)
                    case nil: break
                    }
                }
            }
            if lengths.cleared > 0 {
                out.append(15, length: lengths.cleared)
                for place in fields.indices
                where fields[place].version > seq && fields[place].key.isEmpty && fields[place].value == nil {
                    out.append(varint: UInt64(fields[place].number))
                }
            }
            if lengths.entries > 0 {
                for place in fields.indices where fields[place].version > seq && !fields[place].key.isEmpty {
                    out.append(entry: fields[place], isWhole: seq == 0)
                }
            }
        }
        let upper = store[index].upper
        return upper == StoredRecord.none ? nil : store[upper].slot
    }
}

/// The lengths of the parts of a record that are told before the parts.
private struct RecordLengths {
    /// The fields that have a value.
    var body = 0
    /// The numbers of those that were cleared.
    var cleared = 0
    /// The entries of keyed fields, with their tags.
    var entries = 0

    @inline(__always)
    mutating func add(_ field: borrowing StoredField, isWhole: Bool) {
        if field.key.isEmpty {
            switch field.value {
            case .number(let number): body += tagLength(field.number) + varintLength(number)
            case .bytes(let content):
                body += tagLength(field.number) + varintLength(UInt64(content.count)) + content.count
            case nil: cleared += isWhole ? 0 : varintLength(UInt64(field.number))
            }
        } else if let length = field.entryLength(isWhole: isWhole) {
            entries += tagLength(16) + varintLength(UInt64(length)) + length
        }
    }

    @inline(__always)
    func content(slot: Slot, kind: UInt32) -> Int {
        putLength(UInt64(slot)) + tagLength(kind) + varintLength(UInt64(body)) + body
            + (cleared > 0 ? fieldLength(cleared) : 0) + entries
    }
}

extension StoredField {
    /// The length of an entry; nil when it is not told, since all of the record is and the entry is removed.
    @inline(__always)
    fileprivate func entryLength(isWhole: Bool) -> Int? {
        let begin = putLength(UInt64(number)) + fieldLength(key.count)
        if case .bytes(let content) = value { return begin + fieldLength(content.count) }
        return isWhole ? nil : begin
    }
}

extension OutputSpan<UInt8> {
    @inline(__always)
    fileprivate mutating func append(entry field: borrowing StoredField, isWhole: Bool) {
        guard let length = field.entryLength(isWhole: isWhole) else { return }
        append(16, length: length)
        put(1, UInt64(field.number))
        append(2, length: field.key.count)
        append(all: field.key)
        guard case .bytes(let content) = field.value else { return }
        append(3, length: content.count)
        append(all: content)
    }
}
