/// The state of one call: its records, each field with the number of the commit that last changed it.
///
/// The relay changes it by commits (``beginCommit()`` ... ``endCommit()``); a client's copy changes it by
/// ``apply(_:from:to:)`` and ``replace(with:at:)``. Both sides read it in the same way. It is a value.
public struct CallState: Sendable {
    /// Where in its history this state is.
    public private(set) var position: Position = .zero

    /// 64 bits over all live fields: equal on two copies at the same position. Kept in O(1) per changed field.
    public var digest: UInt64 { fatalError("pending") }

    /// The highest version of a tombstone that was dropped; a diff from below it is impossible.
    public var floor: UInt64 { fatalError("pending") }

    /// The number of live records, the call and the policy included.
    public var liveRecordCount: Int { fatalError("pending") }

    /// The slot that the next person or device will have.
    public var nextSlot: Slot { fatalError("pending") }

    /// An empty call at (0, 0): a call and a policy record without fields.
    public init() {}

    // MARK: Commits (the relay)

    /// Begins a commit: every change until ``endCommit()`` has the version `position.seq + 1`.
    public mutating func beginCommit() { fatalError("pending") }

    /// Ends the commit. True when something changed: seq grew by one. A commit that changed nothing makes none.
    public mutating func endCommit() -> Bool { fatalError("pending") }

    /// Undoes every change since ``beginCommit()``, to the last bit: a command happens whole or not at all.
    public mutating func rollbackCommit() { fatalError("pending") }

    /// The version that the running commit gives: `position.seq + 1`.
    public var commitVersion: UInt64 { position.seq + 1 }

    /// Moves to another epoch: `seq`, slots and versions go on; nothing else changes. For a new meeting and a restart.
    public mutating func beginEpoch(_ epoch: UInt64) { fatalError("pending") }

    /// Sets a field; true when the value is a new one. Inside a commit. The record must exist.
    @discardableResult
    public mutating func set(_ field: UInt32, of slot: Slot, to value: FieldValue) -> Bool { fatalError("pending") }

    /// Clears a field; true when it had a value.
    @discardableResult
    public mutating func clear(_ field: UInt32, of slot: Slot) -> Bool { fatalError("pending") }

    /// Sets (or with nil removes) an entry of a keyed field; true when that changes something.
    @discardableResult
    public mutating func setEntry(_ field: UInt32, key: ByteString, of slot: Slot, to value: [UInt8]?) -> Bool {
        fatalError("pending")
    }

    /// Adds a record with a new slot.
    public mutating func append(_ kind: RecordKind) -> Slot { fatalError("pending") }

    /// Removes a record and keeps its tombstone.
    public mutating func remove(_ slot: Slot, at: UInt64, reason: LeaveReason) { fatalError("pending") }

    /// Drops the tombstones with versions up to `version`, oldest first, and raises the floor.
    public mutating func dropTombstones(through version: UInt64) { fatalError("pending") }

    /// The number of tombstones (records and entries) that are held.
    public var tombstoneCount: Int { fatalError("pending") }

    // MARK: Differences

    /// Fills `diff` with every field whose version is above `seq` (0: everything), in O(what changed).
    public func diff(from seq: UInt64, into diff: inout Diff) { fatalError("pending") }

    /// Applies a difference to a copy; whole or, with a thrown ``ApplyError``, not at all.
    public mutating func apply(_ diff: Diff, from: Position, to: Position) throws(ApplyError) { fatalError("pending") }

    // MARK: Reading

    /// The call record.
    public var call: CallRecord { fatalError("pending") }
    /// The policy record.
    public var policy: CallPolicy { fatalError("pending") }
    /// The people, in order of joining. O(people).
    public var people: [Person] { fatalError("pending") }
    /// The number of people. O(1).
    public var peopleCount: Int { fatalError("pending") }
    /// The number of devices. O(1).
    public var deviceCount: Int { fatalError("pending") }
    /// The person in `slot`; nil when that is no live person.
    public func person(_ slot: Slot) -> Person? { fatalError("pending") }
    /// The device in `slot`; nil when that is no live device.
    public func device(_ slot: Slot) -> Device? { fatalError("pending") }
    /// The slot of the person `uid`. O(1).
    public func personSlot(uid: ByteString) -> Slot? { fatalError("pending") }
    /// The slot of the device `id` of a person. O(devices of the person).
    public func deviceSlot(of person: Slot, id: ByteString) -> Slot? { fatalError("pending") }
    /// The slots of the devices of a person, ascending.
    public func deviceSlots(of person: Slot) -> [Slot] { fatalError("pending") }
    /// The slots of all live persons, ascending.
    public var personSlots: [Slot] { fatalError("pending") }
    /// The kind of the live record in `slot`.
    public func kind(of slot: Slot) -> RecordKind? { fatalError("pending") }
    /// The value of a field; nil without one.
    public func value(_ field: UInt32, of slot: Slot) -> FieldValue? { fatalError("pending") }
    /// The number in a field; nil without one.
    public func number(_ field: UInt32, of slot: Slot) -> UInt64? { fatalError("pending") }
    /// Whether a boolean field is true.
    public func flag(_ field: UInt32, of slot: Slot) -> Bool { fatalError("pending") }
    /// The raised hands in the order of the queue. O(people) or better.
    public var raisedHands: [Person] { fatalError("pending") }
}

/// Why a difference can't be applied to a copy: the client asks for a snapshot.
public enum ApplyError: Error, Hashable, Sendable {
    /// `from` is of an epoch that is not the copy's.
    case epoch
    /// `from` is above the copy's position.
    case gap
    /// A change of a record that the copy does not have, without its identity.
    case unknownSlot(Slot)
    /// A record that breaks a rule, and which.
    case invalid(Slot, String)
}

/// How a difference ended that was applied.
public enum ApplyOutcome: Hashable, Sendable {
    /// The copy is at `to` now.
    case applied
    /// `to` is at or below the copy's position in the same epoch: nothing to do.
    case ignored
}
