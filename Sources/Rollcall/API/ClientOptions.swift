public import CallState
public import RollcallProtocol

/// How a client behaves; the defaults suit an app.
public struct ClientOptions: Sendable {
    /// Name and version of the program, for people who look at the relay; at most 64 bytes.
    public var clientName = "rollcall-swift"
    /// Tells this program from others that use the same device id: 8..32 random bytes, one value per process.
    public var instance: [UInt8] = ClientOptions.processInstance
    /// How long a connection may take to be made.
    public var connectTimeout: Duration = .seconds(10)
    /// How long the relay may take from the connection to the answer to the join.
    public var handshakeTimeout: Duration = .seconds(30)
    /// How a lost connection is made again.
    public var reconnect = ReconnectPolicy()
    /// The largest snapshot of a call that is taken, in bytes: a relay that sends more is not believed.
    public var maximumSnapshot = 64 * 1024 * 1024
    /// Sees every frame that the relay sends in a call, with the copy before and after; for tools.
    ///
    /// It runs on the library's own thread, in the order of the frames, and must be quick.
    public var onFrame: (@Sendable (FrameTrace) -> Void)?
    /// What serves the client's connections; tests that count what lives have one of their own.
    package var reactor = SocketReactor.shared

    /// The defaults.
    public init() {}

    /// The random instance of this process.
    public static let processInstance: [UInt8] = {
        var random = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }()
}

/// How a lost connection is made again: after a random time between 250 ms and a bound that doubles with each try.
public struct ReconnectPolicy: Hashable, Sendable {
    /// Whether a lost connection is made again at all.
    public var isEnabled = true
    /// The bound of the first delay.
    public var base: Duration = .milliseconds(500)
    /// The bound of every delay; a third of the call's grace bounds it further.
    public var cap: Duration = .seconds(30)
    /// The call is given up after so long without a connection; nil is never.
    public var giveUpAfter: Duration?
    /// Whether the first join also tries again while the relay can't be reached or has too much to do, instead of
    /// failing at once; the error has ``RollcallError/retryAfter``.
    public var retriesFirstJoin = false

    /// The defaults.
    public init() {}

    /// Never again: a lost connection ends the call.
    public static let never: ReconnectPolicy = {
        var policy = ReconnectPolicy()
        policy.isEnabled = false
        return policy
    }()
}

/// What a participant may say about the call when joining it.
public struct JoinOptions: Hashable, Sendable {
    /// How long a lost device may come back, up to 120 s; counted only from the first participant.
    ///
    /// nil is the relay's default.
    public var grace: Duration?
    /// How long a call with at most one person lives; zero is for ever.
    ///
    /// Counted only from the first participant.
    public var idle: Duration?
    /// The role to claim on an open relay; nil keeps what the person has.
    public var role: Role?

    /// What to say; nothing unless given.
    public init(grace: Duration? = nil, idle: Duration? = nil, role: Role? = nil) {
        self.grace = grace
        self.idle = idle
        self.role = role
    }
}

/// A frame from the relay and what it did to the copy of the call; for tools.
public struct FrameTrace: Sendable {
    /// The frame, as it was decoded.
    public var frame: ServerFrame
    /// The copy before the frame.
    public var before: CallState
    /// The copy after it; the same when the frame changed nothing, or is one of a snapshot's first parts.
    public var after: CallState
}
