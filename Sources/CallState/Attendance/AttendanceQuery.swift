/// What is asked of call logs: which meetings, how many of them, and what of their people.
public struct AttendanceQuery: Hashable, Sendable {
    /// Only meetings of this session id; empty is any.
    public var session: ByteString = .empty
    /// Only this meeting; empty is any.
    public var meeting: ByteString = .empty
    /// Only meetings in which this person was; empty is anybody.
    public var uid: ByteString = .empty
    /// Only meetings that were not over at this time, ms since 1970.
    public var from: UInt64 = 0
    /// Only meetings that had begun before this time, ms since 1970; nil is any time.
    public var to: UInt64?
    /// Running or ended ones.
    public var progress = MeetingProgress.any
    /// With or without a recording.
    public var recording = RecordingChoice.any
    /// Meetings in the answer, up to ``maximumLimit``; 0 is ``defaultLimit``.
    public var limit: UInt32 = 0
    /// Where to go on, from an answer; empty begins at the newest meeting or, with ``isNewer``, at the oldest.
    public var cursor: [UInt8] = []
    /// Towards newer meetings.
    public var isNewer = false
    /// Whose rows are in the answer.
    public var people = PeopleChoice.all
    /// With ``meeting``: the first person in the answer, counted from 0 in order of first joining.
    public var firstPerson: UInt64 = 0

    /// Everything, newest first.
    public init() {}

    /// Meetings of an answer unless said otherwise.
    public static let defaultLimit: UInt32 = 30
    /// The most meetings of an answer.
    public static let maximumLimit: UInt32 = 100
}

/// Which meetings by whether they are over.
///
/// Open: an unknown number is kept.
public struct MeetingProgress: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt32
    /// The choice with that number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Both.
    public static let any = MeetingProgress(rawValue: 0)
    /// Somebody is in.
    public static let running = MeetingProgress(rawValue: 1)
    /// Over.
    public static let ended = MeetingProgress(rawValue: 2)
}

/// Which meetings by whether they were ever recorded.
///
/// Open: an unknown number is kept.
public struct RecordingChoice: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt32
    /// The choice with that number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Both.
    public static let any = RecordingChoice(rawValue: 0)
    /// With a recording, also one that still runs.
    public static let with = RecordingChoice(rawValue: 1)
    /// Without any.
    public static let without = RecordingChoice(rawValue: 2)
}

/// Whose rows an answer has.
///
/// Open: an unknown number is kept.
public struct PeopleChoice: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: UInt32
    /// The choice with that number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Everybody's.
    public static let all = PeopleChoice(rawValue: 0)
    /// Only of the person asked for.
    public static let matching = PeopleChoice(rawValue: 1)
    /// Nobody's: the meetings alone.
    public static let none = PeopleChoice(rawValue: 2)
}

/// A place between meetings in the order of their begin, opaque to who asks.
///
/// It names no place in a list that could move: meetings that begin, end or are forgotten leave it right. Numbers grow
/// with the time of the begin, also from one run of a relay to the next, so that a cursor of an earlier run finds what
/// is newer than that.
struct AttendanceCursor: Hashable, Sendable {
    /// The number of the meeting that it stands behind; 0 is before all.
    var number: UInt64

    /// A cursor at that meeting.
    init(number: UInt64) {
        self.number = number
    }

    private static let version: UInt8 = 1

    /// The cursor as bytes.
    var bytes: [UInt8] {
        [Self.version] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// The cursor that ``bytes`` gave; nil for other bytes.
    init?(bytes: [UInt8]) {
        guard bytes.count == 9, bytes[0] == Self.version else { return nil }
        number = bytes.dropFirst().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
