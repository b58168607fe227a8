public import CallState

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
