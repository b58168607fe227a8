/// What a store is given of one call at once: everything that has changed since what it has.
///
/// It is kept whole or not at all. Rows replace rows, so that a batch which is tried again, larger by what has happened
/// since, needs no knowledge of the one that failed.
public struct CallBatch: Hashable, Sendable {
    /// Names the call.
    public var session: ByteString
    /// seq that the store is known to have; 0 before the first batch.
    public var from: UInt64
    /// Replaces the header; its position is what the store has afterwards.
    public var header: KeptHeader
    /// The records that have changed, whole, and the tombstones; ascending by slot.
    public var records: [KeptRecord] = []
    /// The slots whose tombstones were dropped since ``from``; the store may know them as records that live.
    public var gone: [Slot] = []
    /// What has changed of what is private to the relay; ascending by key.
    public var privates: [KeptPrivate] = []
    /// What has changed of what call logs show, in order.
    public var attendance: [TimedAttendanceChange] = []

    /// A batch without changes.
    public init(session: ByteString, from: UInt64, header: KeptHeader) {
        self.session = session
        self.from = from
        self.header = header
    }
}

/// Something that the relay keeps of a call and never shows.
public struct KeptPrivate: Hashable, Sendable {
    /// Names it within its call.
    public var key: UInt64
    /// What it is now; nil when it is gone.
    public var bytes: [UInt8]?

    /// A value, or with nil its end.
    public init(key: UInt64, bytes: [UInt8]?) {
        self.key = key
        self.bytes = bytes
    }
}

/// A change of what call logs show, and when it was.
public struct TimedAttendanceChange: Hashable, Sendable {
    /// ms since 1970.
    public var at: UInt64
    /// The change.
    public var change: AttendanceChange

    /// A change at a time.
    public init(at: UInt64, _ change: AttendanceChange) {
        self.at = at
        self.change = change
    }
}
