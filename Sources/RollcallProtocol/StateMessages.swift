public import CallState

/// Why the relay sends a snapshot.
///
/// Open: an unknown number is kept.
public struct SnapshotReason: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt32
    /// The reason with that number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The client came with nothing.
    public static let join = SnapshotReason(rawValue: 0)
    /// What was removed since the client's position is not known any more.
    public static let belowFloor = SnapshotReason(rawValue: 1)
    /// The client's position belongs to an epoch that is not shared.
    public static let epoch = SnapshotReason(rawValue: 2)
    /// The relay never issued that position.
    public static let unknownPosition = SnapshotReason(rawValue: 3)
    /// The client's digest is not that of its position.
    public static let digest = SnapshotReason(rawValue: 4)
    /// The difference would be too large.
    public static let lagged = SnapshotReason(rawValue: 5)
    /// The client asked.
    public static let requested = SnapshotReason(rawValue: 6)
}

/// Part 0 of a snapshot.
public struct SnapshotHead: Hashable, Sendable {
    /// The position that the whole snapshot shows.
    public var position: Position
    /// Why a snapshot.
    public var reason: SnapshotReason
    /// Number of the peek that it answers; 0 otherwise.
    public var request: UInt64

    /// A head.
    public init(position: Position, reason: SnapshotReason, request: UInt64 = 0) {
        self.position = position
        self.reason = reason
        self.request = request
    }
}

/// Parts 1..n of a snapshot.
public struct SnapshotPart: Hashable, Sendable {
    /// Whole records.
    public var records: Diff
    /// In the last part only.
    public var end: SnapshotEnd?

    /// A part.
    public init(records: Diff, end: SnapshotEnd? = nil) {
        self.records = records
        self.end = end
    }
}

/// Closes a snapshot.
public struct SnapshotEnd: Hashable, Sendable {
    /// Count of live records in the whole snapshot.
    public var liveRecords: UInt64
    /// Digest of the whole snapshot.
    public var digest: UInt64

    /// An end.
    public init(liveRecords: UInt64, digest: UInt64) {
        self.liveRecords = liveRecords
        self.digest = digest
    }
}

/// The difference between two positions.
///
/// What the wire omits stays nil here: see the rules on positions.
public struct Delta: Hashable, Sendable {
    /// seq of `to`.
    public var toSeq: UInt64
    /// Epoch of `to`; nil: that of the last joined, snapshot or delta on this connection.
    public var toEpoch: UInt64?
    /// seq of `from`; nil: `toSeq` minus one.
    public var fromSeq: UInt64?
    /// Epoch of `from`; nil: that of `to`.
    public var fromEpoch: UInt64?
    /// The changed records.
    public var records: Diff
    /// Slot of the device that caused it; nil: the changed device itself; 0: the relay or a client without a slot.
    public var actor: Slot?
    /// Operation id, when it is one commit of a command; 0 is none.
    public var op: UInt64 = 0
    /// Digest at `to`, in a frame made for one receiver.
    public var digest: UInt64?

    /// A delta to `toSeq`.
    public init(toSeq: UInt64, records: Diff) {
        self.toSeq = toSeq
        self.records = records
    }
}
