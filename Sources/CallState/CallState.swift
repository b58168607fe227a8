/// The state of one call: its records, each field with the number of the commit that last changed it.
///
/// The relay changes it by commits (``beginCommit()`` ... ``endCommit()``); a client's copy changes it by
/// ``apply(_:from:to:)`` and ``replace(with:at:)``. Both sides read it in the same way. It is a value; a change after a
/// copy costs little, since records are kept in chunks.
///
/// Records hang in two linked lists: by slot, which is the order of joining, and by version, so that the records
/// changed above any seq are found from the end in O(what changed).
public struct CallState: Sendable {
    /// Where in its history this state is.
    public internal(set) var position: Position = .zero

    /// 64 bits over all live fields: equal on two copies at the same position.
    ///
    /// Kept in O(1) per changed field.
    @inlinable
    public var digest: UInt64 { totals.digest }

    /// The highest version of a tombstone that was dropped; a diff from below it is impossible.
    public internal(set) var floor: UInt64 = 0

    /// The number of live records, the call and the policy included.
    ///
    /// O(1).
    @inlinable
    public var liveRecordCount: Int { totals.liveRecords }

    /// The slot that the next person or device will have.
    @inlinable
    public var nextSlot: Slot { totals.nextSlot }

    /// The number of tombstones (records and entries) that are held.
    ///
    /// O(1).
    @inlinable
    public var tombstoneCount: Int { totals.tombstones }

    /// What a commit changes besides records; small, so that a rollback is an assignment.
    @usableFromInline
    struct Totals: Sendable {
        @usableFromInline var digest: UInt64 = 0
        @usableFromInline var nextSlot: Slot = .firstFree
        @usableFromInline var liveRecords = 0
        @usableFromInline var people = 0
        @usableFromInline var devices = 0
        @usableFromInline var tombstones = 0
        /// The version of the last commit that changed what call logs show.
        @usableFromInline var attendanceChange: UInt64 = 0
    }

    // What is asked for all the time is inlined, also in other modules: the state is then read where it is, else all of
    // it is copied to be asked.

    @usableFromInline var totals = Totals()
    var store = RecordStore()
    /// Live records and tombstones by slot.
    var indexBySlot = SlotTable()
    /// Live persons by uid.
    @usableFromInline var slotByUID = UIDTable()
    var oldest = StoredRecord.none
    var newest = StoredRecord.none
    var lowest = StoredRecord.none
    var highest = StoredRecord.none
    var tombstones = TombstoneQueue()
    var journal = Journal()
    /// Counts the snapshots that this copy was replaced by: two values are steps of one history only when it is equal.
    var lineage: UInt64 = 0

    /// An empty call at (0, 0): a call and a policy record without fields.
    public init() {
        add(.call, at: .call, version: 0)
        add(.policy, at: .policy, version: 0)
    }
}
