import CallState

extension [UInt8] {
    /// All records of a diff, as elements of a repeated field.
    mutating func appendRecords(of diff: borrowing Diff, field: UInt32) {
        for index in diff.records.indices {
            appendRecord(diff.records[index], fields: diff.fields, field: field)
        }
    }

    /// One record whose fields are in `fields`, as an element of a repeated field.
    mutating func appendRecord(_ record: Diff.Record, fields: [Diff.Field], field: UInt32) {
        let mark = beginMessage(field)
        put(1, record.slot)
        let body = beginMessage(record.kind.rawValue)
        if let removal = record.removal {
            put(1, removal.at)
            put(2, removal.reason.rawValue)
            endMessage(body)
            endMessage(mark)
            return
        }
        var clearedCount = 0
        var entryCount = 0
        for index in record.fields {
            if !fields[index].key.isEmpty {
                entryCount += 1
                continue
            }
            switch fields[index].value {
            case .number(let number): write(fields[index].number, number)
            case .bytes(let content): write(fields[index].number, content)
            case nil: clearedCount += 1
            }
        }
        endMessage(body)
        if clearedCount > 0 { appendCleared(of: record, fields: fields) }
        if entryCount > 0 { appendEntries(of: record, fields: fields) }
        endMessage(mark)
    }

    /// The numbers of the fields without a value, packed.
    private mutating func appendCleared(of record: Diff.Record, fields: [Diff.Field]) {
        let mark = beginMessage(15)
        for index in record.fields where fields[index].key.isEmpty && fields[index].value == nil {
            appendVarint(UInt64(fields[index].number))
        }
        endMessage(mark)
    }

    /// The changed entries of keyed fields.
    private mutating func appendEntries(of record: Diff.Record, fields: [Diff.Field]) {
        for index in record.fields where !fields[index].key.isEmpty {
            let number = UInt64(fields[index].number)
            let key = fields[index].key.count
            let content: [UInt8]? = if case .bytes(let bytes) = fields[index].value { bytes } else { nil }
            let entry = putLength(number) + fieldLength(key) + (content.map { fieldLength($0.count) } ?? 0)
            append(addingCapacity: 32) { out in
                out.append(16, length: entry)
                out.put(1, number)
                out.append(2, length: key)
            }
            append(contentsOf: fields[index].key)
            guard let content else { continue }
            append(addingCapacity: 16) { out in out.append(3, length: content.count) }
            append(contentsOf: content)
        }
    }
}
