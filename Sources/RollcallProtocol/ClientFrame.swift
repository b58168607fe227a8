public import CallState

/// A frame from a client.
///
/// The cases and their members mirror `rollcall.proto`, which says what each means.
public enum ClientFrame: Hashable, Sendable {
    /// First frame of every connection.
    case hello(Hello)
    /// Attend a call.
    case join(Join)
    /// Change something.
    case command(Command)
    /// A device speaks or has stopped.
    case speaking(Speaking)
    /// Answer to a ping.
    case pong(Pong)
    /// The copy is wrong.
    case resync(Resync)
    /// Leave the call.
    case leave(LeaveReason)
    /// A new token.
    case authenticate(token: ByteString)
    /// One snapshot of a call, without attending it.
    case peek(session: ByteString, request: UInt64)
    /// The relay's calls.
    case list(request: UInt64, after: ByteString)
    /// The relay's connections.
    case inspect(request: UInt64, after: UInt64)
    /// Call logs.
    case attendance(request: UInt64, AttendanceQuery)
}

/// Opens the conversation.
public struct Hello: Hashable, Sendable {
    /// Lowest protocol version that the client speaks.
    public var minVersion: UInt32
    /// Highest protocol version that the client speaks.
    public var maxVersion: UInt32
    /// Name and version of the client, for people.
    public var clientName: ByteString
    /// Random per process.
    public var instance: [UInt8]

    /// A hello.
    public init(minVersion: UInt32 = 1, maxVersion: UInt32 = 1, clientName: ByteString, instance: [UInt8]) {
        self.minVersion = minVersion
        self.maxVersion = maxVersion
        self.clientName = clientName
        self.instance = instance
    }
}

/// A report that a device speaks.
public struct Speaking: Hashable, Sendable {
    /// Whether it speaks.
    public var on: Bool
    /// Whose device; nil is the sender's own.
    public var target: Target?

    /// A report.
    public init(on: Bool, target: Target? = nil) {
        self.on = on
        self.target = target
    }
}

/// Answer to a ping.
public struct Pong: Hashable, Sendable {
    /// Position of the client's copy.
    public var position: Position
    /// `time` of the ping.
    public var time: UInt64

    /// A pong.
    public init(position: Position, time: UInt64) {
        self.position = position
        self.time = time
    }
}

/// The client's copy is wrong.
public struct Resync: Hashable, Sendable {
    /// Position of the client's copy.
    public var position: Position
    /// What the client saw.
    public var reason: ResyncReason

    /// A resync.
    public init(position: Position, reason: ResyncReason) {
        self.position = position
        self.reason = reason
    }
}

/// Why a client asks for a snapshot.
///
/// Open: an unknown number is kept.
public struct ResyncReason: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt32
    /// The reason with that number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// No reason given.
    public static let unspecified = ResyncReason(rawValue: 0)
    /// A delta begins above the client's position.
    public static let gap = ResyncReason(rawValue: 1)
    /// A delta of another epoch.
    public static let epoch = ResyncReason(rawValue: 2)
    /// Same position, other digest.
    public static let digest = ResyncReason(rawValue: 3)
    /// A change of a record that the client does not have.
    public static let unknownSlot = ResyncReason(rawValue: 4)
    /// A ping above the client's position.
    public static let ahead = ResyncReason(rawValue: 5)
    /// A record that breaks a rule.
    public static let invalid = ResyncReason(rawValue: 6)
}
