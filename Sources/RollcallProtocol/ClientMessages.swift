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

/// How somebody attends.
public enum JoinMode: UInt32, Hashable, Sendable {
    /// In the roster.
    case participant = 0
    /// Sees all and is not in the roster.
    case observer = 1
}

/// Attends a call.
public struct Join: Hashable, Sendable {
    /// The call.
    public var session: ByteString
    /// Proof of identity; empty on an open relay.
    public var token: ByteString = .empty
    /// The person.
    public var uid: ByteString
    /// Stable id of the device.
    public var device: ByteString
    /// Counts up with each join of one instance.
    public var attempt: UInt64 = 1
    /// Participant or observer.
    public var mode: JoinMode = .participant
    /// Display name; nil keeps what the person has.
    public var name: ByteString?
    /// URL of a picture; nil keeps what the person has.
    public var avatar: ByteString?
    /// Microphone as the client wants it; nil is muted.
    public var audioMuted: Bool?
    /// Camera as the client wants it; nil is off.
    public var videoPaused: Bool?
    /// Screen share; nil is not presenting.
    public var presenting: Bool?
    /// The person's attributes to set.
    public var attributes: [Attribute] = []
    /// What the client still has of an earlier attachment.
    public var resume: Resume?
    /// Idle period in ms, from the first participant.
    public var idle: UInt64?
    /// Grace in ms, from the first participant.
    public var grace: UInt64?
    /// Role claimed on an open relay.
    public var role: Role?
    /// Kept for views; 0.
    public var view: UInt32 = 0

    /// A join of `device` of `uid`.
    public init(session: ByteString, uid: ByteString, device: ByteString) {
        self.session = session
        self.uid = uid
        self.device = device
    }
}

/// What a resuming client proves and has.
public struct Resume: Hashable, Sendable {
    /// The secret of the incarnation.
    public var secret: [UInt8]
    /// Position of the client's copy.
    public var position: Position
    /// Digest of the client's copy.
    public var digest: UInt64

    /// A resume.
    public init(secret: [UInt8], position: Position, digest: UInt64) {
        self.secret = secret
        self.position = position
        self.digest = digest
    }
}

/// One atomic list of absolute settings.
public struct Command: Hashable, Sendable {
    /// Operation id.
    public var op: UInt64
    /// The settings, applied in order.
    public var settings: [Setting]
    /// What the decoder found that breaks a limit; the relay refuses the whole command with it.
    public var fault: WireError?

    /// A command.
    public init(op: UInt64, settings: [Setting]) {
        self.op = op
        self.settings = settings
    }
}

/// One absolute setting.
public struct Setting: Hashable, Sendable {
    /// Whose; nil is the sender's own device and person.
    public var target: Target?
    /// What; nil is a change that this version does not know (the whole command is refused).
    public var change: Change?

    /// A setting.
    public init(target: Target? = nil, _ change: Change?) {
        self.target = target
        self.change = change
    }

    /// What a setting changes; `rollcall.proto` says who may and what it means.
    public enum Change: Hashable, Sendable {
        case audioMuted(Bool)
        case videoPaused(Bool)
        case presenting(Bool)
        case handRaised(Bool)
        case name(ByteString)
        case avatar(ByteString)
        case attribute(Attribute)
        case role(Role)
        case audioLocked(Bool)
        case videoLocked(Bool)
        /// In ms; 0 withdraws.
        case unmuteRequest(UInt64)
        case removed(Bool)
        case recording(Bool)
        case spotlight([ByteString])
        case title(ByteString)
        case callAttribute(Attribute)
        case callLocked(Bool)
        case moderation(Moderation)
        case standingMute(Bool)
        case standingCameraOff(Bool)
        case handsEnabled(Bool)
        case presenters(Presenters)
        /// In ms.
        case grace(UInt64)
        /// In ms; 0 is never.
        case idle(UInt64)
        case bringIn(BringIn)
        case takeOut(LeaveReason)
        /// Empty is nobody.
        case dominantSpeaker(ByteString)
    }
}

/// Whom a setting is about.
public struct Target: Hashable, Sendable {
    /// The person; empty with `everyone`.
    public var uid: ByteString
    /// One device; empty means all of them.
    public var device: ByteString
    /// Everybody in the call but the sender.
    public var everyone: Bool

    /// A person, or one device of a person.
    public init(uid: ByteString, device: ByteString = .empty) {
        self.uid = uid
        self.device = device
        self.everyone = false
    }

    /// Everybody but the sender.
    public static let everyone: Target = {
        var target = Target(uid: .empty)
        target.everyone = true
        return target
    }()
}

/// An attribute to set or, without a value, to remove.
public struct Attribute: Hashable, Sendable {
    /// The key.
    public var key: ByteString
    /// The value; nil removes.
    public var value: [UInt8]?

    /// An attribute.
    public init(key: ByteString, value: [UInt8]?) {
        self.key = key
        self.value = value
    }
}

/// A device that somebody who acts for others brings in.
public struct BringIn: Hashable, Sendable {
    /// Name of the person.
    public var name: ByteString?
    /// Picture of the person.
    public var avatar: ByteString?
    /// nil is muted.
    public var audioMuted: Bool?
    /// nil is off.
    public var videoPaused: Bool?
    /// nil is not presenting.
    public var presenting: Bool?
    /// nil is participant.
    public var role: Role?

    /// Nothing said: muted, camera off.
    public init() {}
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
