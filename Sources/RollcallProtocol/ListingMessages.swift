public import CallState

/// A call in short.
public struct CallSummary: Hashable, Sendable {
    /// The call.
    public var session: ByteString = .empty
    /// The meeting; empty when nobody is in.
    public var meeting: ByteString = .empty
    /// Its head.
    public var position = Position.zero
    /// Persons.
    public var people: UInt64 = 0
    /// Their devices.
    public var devices: UInt64 = 0
    /// Observers.
    public var observers: UInt64 = 0
    /// Raised hands.
    public var hands: UInt64 = 0
    /// Whether it is recorded.
    public var recording = false
    /// Begin of the meeting, ms since 1970.
    public var startedAt: UInt64 = 0
    /// Its title.
    public var title: ByteString = .empty

    /// With nothing said.
    public init() {}
}

/// A connection in short.
public struct ConnectionInfo: Hashable, Sendable {
    /// Names the connection while it lives.
    public var number: UInt64 = 0
    /// The call it attends; empty is none.
    public var session: ByteString = .empty
    /// The person.
    public var uid: ByteString = .empty
    /// The device.
    public var device: ByteString = .empty
    /// Participant or observer.
    public var mode = JoinMode.participant
    /// When it was accepted, ms since 1970.
    public var openedAt: UInt64 = 0
    /// When its join was accepted, ms since 1970; 0 is not attached.
    public var attachedAt: UInt64 = 0
    /// The last position written to it.
    public var cursor = Position.zero
    /// Commits between the cursor and the head.
    public var lag: UInt64 = 0
    /// Bytes handed over and not yet taken by the kernel.
    public var inFlight: UInt64 = 0
    /// Last round trip of a ping in ms, plus one; 0 is not known.
    public var roundTrip: UInt64 = 0
    /// Times that output was handed over.
    public var writes: UInt64 = 0
    /// Differences made for this connection alone.
    public var merged: UInt64 = 0
    /// From hello.
    public var clientName: ByteString = .empty
    /// Turns of the relay in which output was handed over.
    public var turns: UInt64 = 0
    /// The most bytes that were held for it alone at once, by the relay and, where it was slow, by the system.
    public var heldMost: UInt64 = 0

    /// With nothing said.
    public init() {}
}
