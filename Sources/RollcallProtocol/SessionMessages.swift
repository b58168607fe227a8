public import CallState

/// Answer to hello.
public struct Welcome: Hashable, Sendable {
    /// The protocol version of this connection.
    public var version: UInt32 = 1
    /// Names the relay process.
    public var relayID: ByteString = .empty
    /// The relay sends a ping this often, in ms.
    public var pingInterval: UInt64 = 0
    /// Silence after which a side gives the other up, in ms.
    public var deadAfter: UInt64 = 0
    /// What the relay accepts.
    public var limits = Limits()

    /// A welcome with nothing said.
    public init() {}
}

/// What the relay accepts from a client, in bytes or counts.
public struct Limits: Hashable, Sendable {
    /// Largest frame from a client, in bytes.
    public var frame: UInt64 = 64 * 1024
    /// Commands in flight.
    public var unacknowledged: UInt64 = 64
    /// Settings in a command.
    public var settings: UInt64 = 64
    /// Attributes of a person or of the call.
    public var attributes: UInt64 = 32
    /// Bytes of an attribute's value.
    public var attributeValue: UInt64 = 1024
    /// People in a call.
    public var people: UInt64 = 50_000

    /// The defaults.
    public init() {}

    /// The limits that hold when a relay has said these: 0 is the default.
    public var inForce: Limits {
        var limits = self
        let standard = Limits()
        if frame == 0 { limits.frame = standard.frame }
        if unacknowledged == 0 { limits.unacknowledged = standard.unacknowledged }
        if settings == 0 { limits.settings = standard.settings }
        if attributes == 0 { limits.attributes = standard.attributes }
        if attributeValue == 0 { limits.attributeValue = standard.attributeValue }
        if people == 0 { limits.people = standard.people }
        return limits
    }
}

/// How a join ended.
///
/// Open: an unknown number is kept.
public struct Outcome: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt32
    /// The outcome with that number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A fresh join.
    public static let new = Outcome(rawValue: 0)
    /// The incarnation goes on.
    public static let resumed = Outcome(rawValue: 1)
    /// The resume was too late or unknown: a fresh join.
    public static let expired = Outcome(rawValue: 2)
    /// A fresh join that took over the same device in place.
    public static let replaced = Outcome(rawValue: 3)
    /// An observer.
    public static let observer = Outcome(rawValue: 4)
}

/// What follows `Joined` for the client's copy.
///
/// Open: an unknown number is kept.
public struct Follows: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt32
    /// What has that number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The copy is at J.
    public static let nothing = Follows(rawValue: 0)
    /// Deltas from the client's position.
    public static let delta = Follows(rawValue: 1)
    /// A snapshot; the old position is void until it is applied.
    public static let snapshot = Follows(rawValue: 2)
}

/// What a client may do.
public struct Rights: OptionSet, Hashable, Sendable {
    /// The bits on the wire.
    public var rawValue: UInt32
    /// The rights with those bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Change its own device and person.
    public static let participate = Rights(rawValue: 1)
    /// Moderate.
    public static let moderate = Rights(rawValue: 2)
    /// State facts of others and bring them in and out.
    public static let actForOthers = Rights(rawValue: 4)
    /// Inspect the relay.
    public static let admin = Rights(rawValue: 8)
}

/// Answer to join.
public struct Joined: Hashable, Sendable {
    /// How the join ended.
    public var outcome = Outcome.new
    /// Number of the fresh join.
    public var incarnation: UInt64 = 0
    /// Number of this accepted join.
    public var attachment: UInt64 = 0
    /// Proves the incarnation in a resume.
    public var secret: [UInt8] = []
    /// Highest operation id that was answered in this incarnation.
    public var lastOp: UInt64 = 0
    /// What the client may do.
    public var rights: Rights = []
    /// The client's person; 0 for an observer.
    public var person: Slot = 0
    /// The client's device; 0 for an observer.
    public var device: Slot = 0
    /// J: the join is complete when the copy has reached it.
    public var position = Position.zero
    /// What comes next for the copy.
    public var follows = Follows.nothing
    /// Kept for views; 0.
    public var view: UInt32 = 0

    /// With nothing said.
    public init() {}
}
