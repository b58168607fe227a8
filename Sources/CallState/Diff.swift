/// What changed in a call between two positions: for each changed record its changed fields as they are at the end.
///
/// The same value is made by ``CallState/diff(from:into:)``, encoded, decoded and applied, so that live deltas, merged
/// deltas, resumes and snapshots are one thing. It is flat and meant to be reused: two arrays whatever the number of
/// records, so that at steady state neither making nor decoding one allocates for numbers.
public struct Diff: Hashable, Sendable {
    /// One changed record.
    public struct Record: Hashable, Sendable {
        /// The record's slot.
        public var slot: Slot
        /// The record's kind; ``RecordKind/removed`` for a tombstone.
        public var kind: RecordKind
        /// For a tombstone: when and why the record went; else nil.
        public var removal: Removal?
        /// The record's changed fields, a range of ``Diff/fields``: ascending by number, keyed ones by key.
        public var fields: Range<Int>

        /// A changed record.
        public init(slot: Slot, kind: RecordKind, removal: Removal? = nil, fields: Range<Int>) {
            self.slot = slot
            self.kind = kind
            self.removal = removal
            self.fields = fields
        }
    }

    /// One changed field, or one changed entry of a keyed field.
    public struct Field: Hashable, Sendable {
        /// The number of the field in its record's body.
        public var number: UInt32
        /// The key of the entry; empty for a field that is not keyed.
        public var key: ByteString
        /// The value; nil when the field was cleared or the entry removed.
        public var value: FieldValue?

        /// A changed field.
        public init(number: UInt32, key: ByteString = .empty, value: FieldValue?) {
            self.number = number
            self.key = key
            self.value = value
        }
    }

    /// When and why a record went.
    public struct Removal: Hashable, Sendable {
        /// ms since 1970.
        public var at: UInt64
        /// Why.
        public var reason: LeaveReason

        /// A removal.
        public init(at: UInt64, reason: LeaveReason) {
            self.at = at
            self.reason = reason
        }
    }

    /// The changed records, ascending by slot.
    public var records: [Record] = []
    /// The changed fields of all records.
    public var fields: [Field] = []

    /// Nothing changed.
    public init() {}

    /// Whether nothing changed.
    public var isEmpty: Bool { records.isEmpty }

    /// Empties the value for reuse; what was allocated stays.
    public mutating func removeAll() {
        records.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
    }
}
