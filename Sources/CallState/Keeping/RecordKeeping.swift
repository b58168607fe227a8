// A record with its versions as bytes: the message
//
//     message KeptRecord {
//       uint32 kind = 1;                // as in Record; 14 is a tombstone
//       uint64 version = 2;             // of the newest field, or of the removal
//       uint64 removed_at = 3;          // of a tombstone: ms since 1970, and why
//       uint32 removal_reason = 4;
//       repeated KeptField fields = 5;  // ascending by number, then key
//     }
//     message KeptField {
//       uint32 number = 1;
//       bytes key = 2;                  // absent without a key
//       uint64 version = 3;
//       oneof value { uint64 number_value = 4; bytes bytes_value = 5; }  // neither: the field was cleared
//     }

extension StoredRecord {
    /// The record as a store keeps it.
    var kept: KeptRecord {
        var bytes: [UInt8] = []
        bytes.appendField(1, varint: UInt64(kind.rawValue))
        bytes.appendField(2, varint: version)
        if let removal {
            bytes.appendField(3, varint: removal.at)
            bytes.appendField(4, varint: UInt64(removal.reason.rawValue))
        }
        var scratch: [UInt8] = []
        for field in fields {
            scratch.removeAll(keepingCapacity: true)
            field.append(to: &scratch)
            bytes.appendField(5, bytes: scratch)
        }
        return KeptRecord(slot: slot, bytes: bytes)
    }

    /// Reads what a store has kept; a store is believed no more than a peer.
    init(_ kept: KeptRecord) throws(KeptError) {
        self.init(slot: kept.slot, kind: RecordKind(rawValue: 0), version: 0)
        var removedAt: UInt64 = 0
        var reason: UInt64 = 0
        var reader = MessageReader(kept.bytes)
        while let (number, value) = reader.next() {
            switch (number, value) {
            case (1, .number(let kind)): self.kind = RecordKind(rawValue: UInt32(truncatingIfNeeded: kind))
            case (2, .number(let version)): self.version = version
            case (3, .number(let at)): removedAt = at
            case (4, .number(let number)): reason = number
            case (5, .bytes(let range)):
                fields.append(try StoredField(Array(kept.bytes[range]), of: kept.slot))
            default: throw KeptError(slot: kept.slot, "field \(number) of the kept record is not known")
            }
        }
        if reader.failed { throw KeptError(slot: kept.slot, "the kept record can't be read") }
        guard kind == .removed else { return }
        removal = Diff.Removal(at: removedAt, reason: LeaveReason(rawValue: UInt32(truncatingIfNeeded: reason)))
    }
}

extension StoredField {
    fileprivate func append(to bytes: inout [UInt8]) {
        bytes.appendField(1, varint: UInt64(number))
        if !key.isEmpty { bytes.appendField(2, text: key) }
        bytes.appendField(3, varint: version)
        switch value {
        case .number(let number)?: bytes.appendField(4, varint: number)
        case .bytes(let value)?: bytes.appendField(5, bytes: value)
        case nil: break
        }
    }

    fileprivate init(_ bytes: [UInt8], of slot: Slot) throws(KeptError) {
        self.init(number: 0, key: .empty, version: 0, value: nil, term: 0)
        var reader = MessageReader(bytes)
        while let (number, value) = reader.next() {
            switch (number, value) {
            case (1, .number(let number)):
                guard let number = UInt32(exactly: number) else {
                    throw KeptError(slot: slot, "\(number) is no field")
                }
                self.number = number
            case (2, .bytes(let range)): key = ByteString(bytes.span.extracting(range))
            case (3, .number(let version)): self.version = version
            case (4, .number(let number)): self.value = .number(number)
            case (5, .bytes(let range)): self.value = .bytes(Array(bytes[range]))
            default: throw KeptError(slot: slot, "field \(number) of the kept field is not known")
            }
        }
        if reader.failed { throw KeptError(slot: slot, "a kept field can't be read") }
        if let value { term = CallDigest.hash(slot: slot, field: number, key: key, value: value) }
    }
}
