public import CallState

/// A frame from the relay.
///
/// The cases and their members mirror `rollcall.proto`, which says what each means.
public enum ServerFrame: Hashable, Sendable {
    /// Answer to hello.
    case welcome(Welcome)
    /// Answer to join.
    case joined(Joined)
    /// Begin of a snapshot.
    case snapshot(SnapshotHead)
    /// Parts 1..n of a snapshot.
    case part(SnapshotPart)
    /// The difference between two positions.
    case delta(Delta)
    /// Answer to command.
    case ack(Ack)
    /// Heartbeat.
    case ping(Ping)
    /// Information.
    case notice(code: Code, text: String)
    /// Last frame of a connection.
    case closed(Refusal)
    /// A request was refused; the connection stays. The request's number, 0 is none.
    case error(Refusal, request: UInt64)
    /// Answer to list.
    case calls(request: UInt64, [CallSummary], more: Bool)
    /// Answer to inspect.
    case connections(request: UInt64, [ConnectionInfo], more: Bool)
    /// A frame that this version does not know: the number of its body. A client ignores it.
    case unknown(UInt32)
}

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

    /// With nothing said.
    public init() {}
}
