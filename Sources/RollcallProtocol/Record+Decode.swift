import CallState

extension Diff {
    /// Appends the record that `body` holds; it has to be above the records that are there.
    mutating func appendRecord(_ bytes: Span<UInt8>, _ body: WireCursor, _ tag: WireTag) throws(WireError) {
        var cursor = body
        let first = fields.count
        var record = Record(slot: 0, kind: RecordKind(rawValue: 0), fields: first..<first)
        while let tag = try cursor.nextTag(bytes, of: "Record") {
            switch tag.number {
            case 1: record.slot = try cursor.number32(bytes, tag, "Record.slot")
            case 2...14:
                let content = try cursor.message(bytes, tag, "Record.body")
                if record.kind.rawValue != 0 {
                    throw WireError(.duplicate, "Record.body", at: tag.offset, "a second body")
                }
                record.kind = RecordKind(rawValue: tag.number)
                if record.kind == .removed {
                    record.removal = try Removal.decode(bytes, content)
                } else {
                    try appendFields(bytes, content, of: record.kind, from: first)
                }
            case 15: try appendCleared(bytes, tag, &cursor, from: first)
            case 16:
                let entry = try cursor.elementMessage(bytes, tag, "Record.entries")
                try appendEntry(bytes, entry, tag, from: first)
            default: try cursor.unknown(bytes, tag, in: "Record")
            }
        }
        record.fields = first..<fields.count
        try finish(record, tag)
    }

    /// Checks the record as a whole, puts its fields in order and appends it.
    private mutating func finish(_ record: Record, _ tag: WireTag) throws(WireError) {
        if record.kind.rawValue == 0 {
            throw WireError(.missing, "Record.body", at: tag.offset, "a record without a body")
        }
        if record.removal != nil, !record.fields.isEmpty {
            throw WireError(.misplaced, "Record.removed", at: tag.offset, "a tombstone with fields")
        }
        if let last = records.last, last.slot >= record.slot {
            throw WireError(
                .order,
                "Record.slot",
                at: tag.offset,
                "slot \(record.slot) behind slot \(last.slot), where slots ascend"
            )
        }
        sortFields(record.fields)
        for index in record.fields.dropFirst() where !fields[index - 1].precedes(fields[index]) {
            throw WireError(
                .duplicate,
                FieldPath(record.kind, fields[index].number),
                at: tag.offset,
                "the field or entry a second time in one record"
            )
        }
        for index in record.fields { try check(fields[index], of: record.kind, tag) }
        records.append(record)
    }

    /// Demands that an entry belongs to a keyed field and everything else does not.
    private func check(_ field: Field, of kind: RecordKind, _ tag: WireTag) throws(WireError) {
        guard let known = FieldTable.descriptor(kind, field.number), known.isKeyed == field.key.isEmpty else { return }
        throw WireError(
            .misplaced,
            FieldPath(kind, field.number),
            at: tag.offset,
            known.isKeyed ? "a keyed field outside of the entries" : "an entry of a field that has none"
        )
    }

    /// Sorts what came in another order than ours: few by insertion, since a short record is nearly sorted.
    private mutating func sortFields(_ range: Range<Int>) {
        if range.count > 32 {
            if zip(range, range.dropFirst()).contains(where: { !fields[$0].precedes(fields[$1]) }) {
                fields[range].sort { $0.precedes($1) }
            }
            return
        }
        for end in range.dropFirst() {
            var index = end
            while index > range.lowerBound, fields[index].precedes(fields[index - 1]) {
                fields.swapAt(index, index - 1)
                index -= 1
            }
        }
    }

    /// Makes room for one more change of the record whose changes begin at `first`.
    private func room(_ path: FieldPath, _ tag: WireTag, from first: Int) throws(WireError) {
        if fields.count - first >= WireLimits.changesOfRecord {
            throw WireError(.limit, path, at: tag.offset, "more than \(WireLimits.changesOfRecord) changes in a record")
        }
    }

    /// The fields of a body, known or not, as they are.
    private mutating func appendFields(
        _ bytes: Span<UInt8>,
        _ body: WireCursor,
        of kind: RecordKind,
        from first: Int
    ) throws(WireError) {
        var cursor = body
        let message = kind.message
        while let tag = try cursor.nextTag(bytes, of: message) {
            let path = FieldPath(kind, tag.number)
            try room(path, tag, from: first)
            let type = FieldTable.descriptor(kind, tag.number)?.type
            if let type { try cursor.expect(type.isNumber ? WireType.varint : WireType.lengthDelimited, tag, path) }
            let value: FieldValue
            switch tag.type {
            case WireType.varint:
                value = .number(try cursor.element(bytes, path, through: type?.highest ?? .max))
            case WireType.lengthDelimited:
                let range = try cursor.content(bytes, path)
                if type == .text { try cursor.checkUTF8(bytes, range, path) }
                value = .bytes(bytes.copy(range))
            default:
                throw WireError(
                    .wrongWireType,
                    path,
                    at: tag.offset,
                    "wire type \(tag.type) in a record, where only 0 and 2 can be"
                )
            }
            fields.append(Field(number: tag.number, value: value))
        }
    }

    /// The numbers of fields without a value, packed or one of them.
    private mutating func appendCleared(
        _ bytes: Span<UInt8>,
        _ tag: WireTag,
        _ cursor: inout WireCursor,
        from first: Int
    ) throws(WireError) {
        let path: FieldPath = "Record.cleared"
        guard tag.type != WireType.varint else {
            try appendCleared(try cursor.fieldNumber(bytes, path), path, tag, from: first)
            return
        }
        try cursor.expect(WireType.lengthDelimited, tag, path)
        var packed = WireCursor(try cursor.content(bytes, path), from: cursor.sender)
        while packed.offset < packed.end {
            try appendCleared(try packed.fieldNumber(bytes, path), path, tag, from: first)
        }
    }

    private mutating func appendCleared(
        _ number: UInt32,
        _ path: FieldPath,
        _ tag: WireTag,
        from first: Int
    ) throws(WireError) {
        try room(path, tag, from: first)
        fields.append(Field(number: number, value: nil))
    }

    /// One entry of a keyed field.
    private mutating func appendEntry(
        _ bytes: Span<UInt8>,
        _ body: WireCursor,
        _ tag: WireTag,
        from first: Int
    ) throws(WireError) {
        try room("Record.entries", tag, from: first)
        var cursor = body
        var field = Field(number: 0, value: nil)
        while let tag = try cursor.nextTag(bytes, of: "Entry") {
            switch tag.number {
            case 1:
                try cursor.expect(WireType.varint, tag, "Entry.field")
                try cursor.once(tag, "Entry.field")
                field.number = try cursor.fieldNumber(bytes, "Entry.field")
            case 2: field.key = try cursor.text(bytes, tag, "Entry.key", WireLimits.key)
            case 3: field.value = .bytes(try cursor.data(bytes, tag, "Entry.value", WireLimits.value))
            default: try cursor.unknown(bytes, tag, in: "Entry")
            }
        }
        if field.number == 0 { throw WireError(.missing, "Entry.field", at: tag.offset, "an entry of no field") }
        try cursor.require(2, "Entry.key", WireLimits.key)
        fields.append(field)
    }
}

extension Diff.Removal {
    fileprivate static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> Diff.Removal {
        var cursor = body
        var removal = Diff.Removal(at: 0, reason: .unspecified)
        while let tag = try cursor.nextTag(bytes, of: "Removed") {
            switch tag.number {
            case 1: removal.at = try cursor.number(bytes, tag, "Removed.at")
            case 2: removal.reason.rawValue = try cursor.enumeration(bytes, tag, "Removed.reason")
            default: try cursor.unknown(bytes, tag, in: "Removed")
            }
        }
        return removal
    }
}

extension WireCursor {
    /// One number of a repeated field, or of a body whose fields are told apart later.
    fileprivate mutating func element(
        _ bytes: Span<UInt8>,
        _ path: FieldPath,
        through limit: UInt64
    ) throws(WireError) -> UInt64 {
        let start = offset
        let value = try varint(bytes, path)
        if value > limit { throw WireError(.limit, path, at: start, "\(value), which is above \(limit)") }
        return value
    }

    /// The number of a record's field.
    fileprivate mutating func fieldNumber(_ bytes: Span<UInt8>, _ path: FieldPath) throws(WireError) -> UInt32 {
        let start = offset
        let number = try element(bytes, path, through: (1 << 29) - 1)
        if number == 0 { throw WireError(.limit, path, at: start, "0, which is no number of a field") }
        return UInt32(number)
    }
}

extension Diff.Field {
    /// Whether the field is before another in a record: by number, then by key.
    fileprivate func precedes(_ other: Diff.Field) -> Bool {
        number != other.number ? number < other.number : key < other.key
    }
}
