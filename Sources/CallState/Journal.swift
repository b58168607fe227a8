/// What a running commit has done, so that it can be undone from the end.
struct Journal {
    /// One step; what it needs besides numbers is apart, so that steps are cheap to forget.
    enum Step {
        /// A record was added.
        case added(Int32)
        /// A record became the newest; its version and its older neighbour before.
        case touched(Int32, version: UInt64, older: Int32)
        /// A field got another value; what it was is the last of ``Journal/fields``.
        case changed(Int32)
        /// A field came; it is the last of ``Journal/fields``.
        case inserted(Int32)
        /// A record became a tombstone; the record is the last of ``Journal/records``.
        case buried(Int32)
    }

    /// Whether a commit is running.
    var isOpen = false
    var steps: ContiguousArray<Step> = []
    /// The fields that were written, as they were.
    var fields: ContiguousArray<StoredField> = []
    /// The records that were buried, apart since they are large.
    var records: ContiguousArray<StoredRecord> = []
    var totals = CallState.Totals()
    var tombstones = 0

    /// Adds a step that wrote a field.
    @inline(__always)
    mutating func note(_ step: Step, _ field: StoredField) {
        steps.append(step)
        fields.append(field)
    }

    /// Forgets the steps; what was allocated stays.
    mutating func close() {
        isOpen = false
        // There are few: one by one costs less than a range of them.
        while !steps.isEmpty { steps.removeLast() }
        while !fields.isEmpty { fields.removeLast() }
        if !records.isEmpty { records.removeAll(keepingCapacity: true) }
    }
}

/// The tombstones in order of version.
///
/// An entry whose key was set again stays until its turn and is then passed over.
struct TombstoneQueue {
    /// A tombstone of an entry or, with field number 0, of a record.
    struct Element {
        var version: UInt64
        var slot: Slot
        var number: UInt32
        var key: ByteString
    }

    private var elements: ContiguousArray<Element> = []
    private var head = 0

    /// The end; only what was appended behind it is undone.
    var end: Int { elements.count }

    var first: Element? { head < elements.count ? elements[head] : nil }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    mutating func removeFirst() {
        head += 1
        // Half of it is spent: one move for as many removals.
        if head >= 64, head * 2 >= elements.count {
            elements.removeSubrange(..<head)
            head = 0
        }
    }

    mutating func truncate(to end: Int) {
        elements.removeSubrange(end...)
    }
}
