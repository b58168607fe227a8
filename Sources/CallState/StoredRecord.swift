/// A field as the state keeps it: a value, or the memory of one that was cleared.
struct StoredField {
    // In this order there are the fewest gaps between them, in what a call has most of.
    var key: ByteString
    var number: UInt32
    /// seq of the commit that last changed it.
    var version: UInt64
    /// Its part of the digest, kept so that the next change need not work it out again; 0 without a value.
    var term: UInt64
    /// nil: cleared; kept so that a difference tells it.
    var value: FieldValue?

    /// Whether it has a value; to compare that with nil would copy it.
    @inline(__always)
    var hasValue: Bool {
        switch value {
        case nil: false
        case .some: true
        }
    }

    init(number: UInt32, key: ByteString, version: UInt64, value: FieldValue?, term: UInt64) {
        self.key = key
        self.number = number
        self.version = version
        self.term = term
        self.value = value
    }
}

/// A record as the state keeps it, with its places in two linked lists.
struct StoredRecord {
    /// The index that means no record.
    static let none: Int32 = -1

    var slot: Slot
    var kind: RecordKind
    /// The highest version of its fields, or the version of its removal.
    var version: UInt64
    /// Ascending by number, then key.
    var fields: ContiguousArray<StoredField> = []
    /// Of a person: the slots of its devices, ascending.
    var devices: ContiguousArray<Slot> = []
    /// Of a tombstone: when and why.
    var removal: Diff.Removal?

    /// Neighbours by version.
    var older = StoredRecord.none
    var newer = StoredRecord.none
    /// Neighbours by slot.
    var lower = StoredRecord.none
    var upper = StoredRecord.none

    var isLive: Bool { removal == nil }

    // Inlined, all that look for a field: the record of a call is then read where it is, else it is copied to be asked.

    /// Where the field is, or where it would go.
    @inline(__always)
    func place(of number: UInt32, key: ByteString) -> (index: Int, found: Bool) {
        Self.place(of: number, key: key, in: fields)
    }

    /// The same in the fields of a record.
    @inline(__always)
    static func place(
        of number: UInt32,
        key: ByteString,
        in fields: ContiguousArray<StoredField>
    ) -> (index: Int, found: Bool) {
        var low = 0
        var high = fields.count
        while low < high {
            let middle = (low + high) / 2
            // In place, since a copy of the field would count references.
            let known = fields[middle].number
            let isBefore: Bool
            if known != number {
                isBefore = known < number
            } else if fields[middle].key == key {
                return (middle, true)
            } else {
                isBefore = fields[middle].key < key
            }
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return (low, false)
    }

    /// The value of a field that is not keyed.
    @inline(__always)
    func value(_ number: UInt32) -> FieldValue? {
        let (index, found) = place(of: number, key: .empty)
        return found ? fields[index].value : nil
    }

    /// The number in a field; nil without one.
    @inline(__always)
    func number(_ field: UInt32) -> UInt64? {
        let (index, found) = place(of: field, key: .empty)
        if found, case .number(let number)? = fields[index].value { return number }
        return nil
    }

    /// The bytes in a field; nil without any.
    func bytes(_ field: UInt32) -> [UInt8]? {
        if case .bytes(let bytes)? = value(field) { bytes } else { nil }
    }

    /// The text in a field; empty without one.
    func text(_ field: UInt32) -> ByteString {
        bytes(field).map { ByteString($0) } ?? .empty
    }

    /// Whether a boolean field is true.
    func flag(_ field: UInt32) -> Bool {
        number(field) ?? 0 != 0
    }

    /// How many live entries a keyed field has.
    func entryCount(_ number: UInt32) -> Int {
        fields.count { $0.number == number && $0.hasValue }
    }

    /// The live entries of a keyed field.
    func entries(_ number: UInt32) -> [AttributeValue] {
        var entries: [AttributeValue] = []
        for field in fields where field.number == number {
            if case .bytes(let bytes)? = field.value { entries.append(AttributeValue(key: field.key, value: bytes)) }
        }
        return entries
    }
}

/// The records of a state, in chunks: a state that changes after it was copied copies a chunk, not the whole call.
struct RecordStore {
    private static let shift = 5
    private static let mask = 31

    private var chunks: ContiguousArray<ContiguousArray<StoredRecord>> = []
    private var free: ContiguousArray<Int32> = []

    subscript(index: Int32) -> StoredRecord {
        _read { yield chunks[Int(index) >> Self.shift][Int(index) & Self.mask] }
        _modify { yield &chunks[Int(index) >> Self.shift][Int(index) & Self.mask] }
    }

    /// Where a field of a record is, or where it would go.
    ///
    /// Asks its fields alone: a record is copied to be asked.
    @inline(__always)
    func place(of number: UInt32, key: ByteString, at index: Int32) -> (index: Int, found: Bool) {
        let fields = chunks[Int(index) >> Self.shift][Int(index) & Self.mask].fields
        return StoredRecord.place(of: number, key: key, in: fields)
    }

    // What follows asks the fields alone too.

    /// The number in a field of a record; nil without one.
    @inline(__always)
    func number(_ field: UInt32, at index: Int32) -> UInt64? {
        let (place, found) = place(of: field, key: .empty, at: index)
        if found, case .number(let number)? = self[index].fields[place].value { return number }
        return nil
    }

    /// Whether a field of a record has a value.
    @inline(__always)
    func hasValue(_ field: UInt32, at index: Int32) -> Bool {
        let (place, found) = place(of: field, key: .empty, at: index)
        return found && self[index].fields[place].hasValue
    }

    /// Whether a field of a record holds the bytes of `text`.
    @inline(__always)
    func holds(_ text: ByteString, in field: UInt32, at index: Int32) -> Bool {
        let (place, found) = place(of: field, key: .empty, at: index)
        if found, case .bytes(let bytes)? = self[index].fields[place].value { return text.holds(bytes) }
        return false
    }

    /// Changes several parts of a record at the price of one.
    @inline(__always)
    mutating func update(_ index: Int32, _ body: (inout StoredRecord) -> Void) {
        body(&self[index])
    }

    /// Keeps a record; its index stays while it is kept.
    mutating func insert(_ record: StoredRecord) -> Int32 {
        if let index = free.popLast() {
            self[index] = record
            return index
        }
        if chunks.last.map({ $0.count > Self.mask }) ?? true {
            var chunk: ContiguousArray<StoredRecord> = []
            // The first chunk grows as needed, since most calls are small.
            if !chunks.isEmpty { chunk.reserveCapacity(Self.mask + 1) }
            chunks.append(chunk)
        }
        let last = chunks.count - 1
        chunks[last].append(record)
        return Int32(last << Self.shift + chunks[last].count - 1)
    }

    /// Forgets a record.
    mutating func free(_ index: Int32) {
        self[index].fields = []
        self[index].devices = []
        free.append(index)
    }
}
