/// One call as a store keeps it: what a relay that starts anew needs to go on with it.
///
/// A store knows nothing of fields: records and what is private to the relay are bytes to it. What is kept of a call is
/// made of batches alone (``apply(_:)``), so that every store is held to one meaning.
public struct KeptCall: Hashable, Sendable {
    /// What there is one of.
    public var header: KeptHeader
    /// The records and tombstones, by slot.
    public var records: [Slot: KeptRecord] = [:]
    /// What is private to the relay, by key.
    public var privates: [UInt64: [UInt8]] = [:]

    /// A call of which nothing but this is known yet.
    public init(header: KeptHeader = KeptHeader()) {
        self.header = header
    }

    /// Takes a batch in; the caller has seen to it that it follows: ``CallBatch/from`` is at or below what is kept.
    ///
    /// O(what changed).
    public mutating func apply(_ batch: CallBatch) {
        header = batch.header
        for slot in batch.gone { records[slot] = nil }
        for record in batch.records { records[record.slot] = record }
        for entry in batch.privates { privates[entry.key] = entry.bytes }
    }
}

/// What is kept once for each call.
public struct KeptHeader: Hashable, Sendable {
    /// Where the call is in its history.
    public var position = Position.zero
    /// The highest version of a tombstone that was dropped.
    public var floor: UInt64 = 0
    /// The slot that the next person or device will have.
    public var nextSlot = Slot.firstFree
    /// The time of the last commit in the call, ms since 1970.
    public var clock: UInt64 = 0
    /// Whether somebody is in: only then the call is worth claiming at a start.
    public var isOccupied = false
    /// Whether the relay has stopped by plan after this: nothing that it has shown is missing.
    public var isClean = false
    /// The earlier epochs of the running meeting, oldest first, and up to which seq each is part of this history.
    public var history: [Position] = []
    /// What else the relay's rules need of the call, as they wrote it.
    public var rules: [UInt8] = []

    /// The digest of the state, by which a store's damage is found; nil when it was not told.
    public var digest: UInt64?

    /// The header of a call without history.
    public init() {}

    /// What a state tells of itself.
    public init(_ state: CallState) {
        position = state.position
        floor = state.floor
        nextSlot = state.nextSlot
        digest = state.digest
    }
}

/// A record or a tombstone with the versions of its fields, as bytes.
public struct KeptRecord: Hashable, Sendable {
    /// The record's slot.
    public var slot: Slot
    /// The message `KeptRecord`; see ``CallState/appendKept(since:to:)``.
    public var bytes: [UInt8]

    /// A record.
    public init(slot: Slot, bytes: [UInt8]) {
        self.slot = slot
        self.bytes = bytes
    }
}
