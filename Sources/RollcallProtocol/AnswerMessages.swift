public import CallState

/// Answer to command.
public struct Ack: Hashable, Sendable {
    /// The command.
    public var op: UInt64
    /// ``Code/ok``, also when nothing changed; else why it was refused.
    public var code: Code
    /// The relay's position after the command.
    public var position: Position
    /// Why it was refused, for people.
    public var text: String
    /// With ``Code/rate``: try again after so many ms.
    public var after: UInt64

    /// An answer.
    public init(op: UInt64, code: Code = .ok, position: Position, text: String = "", after: UInt64 = 0) {
        self.op = op
        self.code = code
        self.position = position
        self.text = text
        self.after = after
    }
}

/// Heartbeat.
public struct Ping: Hashable, Sendable {
    /// The last position written to this connection; nil without an attachment.
    public var position: Position?
    /// The relay's clock, ms since 1970.
    public var time: UInt64
    /// Digest at `position`, when it is the head.
    public var digest: UInt64?

    /// A ping.
    public init(position: Position?, time: UInt64, digest: UInt64? = nil) {
        self.position = position
        self.time = time
        self.digest = digest
    }
}

/// What the client shall do after a refusal or a close.
///
/// Open: an unknown number is kept.
public struct Advice: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt32
    /// The advice with that number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Do not come back by yourself.
    public static let never = Advice(rawValue: 0)
    /// Come back, with the usual jitter.
    public static let now = Advice(rawValue: 1)
    /// Come back after the time given.
    public static let after = Advice(rawValue: 2)
    /// Come back with a new token.
    public static let reauthenticate = Advice(rawValue: 3)
}

/// Why a connection ends or a request was refused, and what to do.
public struct Refusal: Hashable, Sendable {
    /// Why.
    public var code: Code
    /// For people: what happened, why, what to do.
    public var text: String
    /// What to do.
    public var advice: Advice
    /// With ``Advice/after``, in ms.
    public var after: UInt64

    /// A refusal.
    public init(code: Code, text: String, advice: Advice = .never, after: UInt64 = 0) {
        self.code = code
        self.text = text
        self.advice = advice
        self.after = after
    }
}
