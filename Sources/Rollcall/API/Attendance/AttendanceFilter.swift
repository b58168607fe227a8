import CallState

/// Which meetings to ask for: those that meet every condition that is set.
public struct AttendanceFilter: Hashable, Sendable {
    /// Only meetings of this call; nil is any.
    public var session: String?
    /// Only the meeting with this id; nil is any.
    public var meeting: String?
    /// Only meetings in which this person was; nil is anybody.
    public var uid: String?
    /// Only meetings that were not over at this time, ms since 1970 by the relay's clock; nil is any time.
    public var from: UInt64?
    /// Only meetings that had begun before this time, ms since 1970 by the relay's clock; nil is any time.
    public var to: UInt64?
    /// Only meetings that are running (true) or over (false); nil is both.
    public var isRunning: Bool?
    /// Only meetings that were ever recorded (true) or never (false); nil is both.
    public var hasRecording: Bool?

    /// Every meeting that meets the given conditions.
    public init(
        session: String? = nil,
        meeting: String? = nil,
        uid: String? = nil,
        from: UInt64? = nil,
        to: UInt64? = nil,
        isRunning: Bool? = nil,
        hasRecording: Bool? = nil
    ) {
        self.session = session
        self.meeting = meeting
        self.uid = uid
        self.from = from
        self.to = to
        self.isRunning = isRunning
        self.hasRecording = hasRecording
    }

    /// The conditions as they are asked for.
    var query: AttendanceQuery {
        var query = AttendanceQuery()
        query.session = ByteString(session ?? "")
        query.meeting = ByteString(meeting ?? "")
        query.uid = ByteString(uid ?? "")
        query.from = from ?? 0
        query.to = to
        query.progress = isRunning.map { $0 ? .running : .ended } ?? .any
        query.recording = hasRecording.map { $0 ? .with : .without } ?? .any
        return query
    }
}

/// Whose rows come with a meeting.
public enum AttendancePeople: Hashable, Sendable, CaseIterable {
    /// Everybody's.
    case everybody
    /// Only those of the person that the filter names.
    case matching
    /// Nobody's: the meetings alone, which is quick also for huge ones.
    case nobody

    /// The choice as it is asked for.
    var choice: PeopleChoice {
        switch self {
        case .everybody: .all
        case .matching: .matching
        case .nobody: .none
        }
    }
}

/// Where a page begins.
public enum AttendancePlace: Hashable, Sendable {
    /// At the newest meeting, towards older ones.
    case newest
    /// At the oldest meeting, towards newer ones.
    case oldest
    /// Behind a place, towards older meetings.
    case older(than: AttendanceCursor)
    /// Before a place, towards newer meetings.
    case newer(than: AttendanceCursor)
}

/// A place between meetings, in the order of their begin.
///
/// It stays right while meetings begin, end and are forgotten. What its bytes mean is the relay's business; they may be
/// kept and used again later.
public struct AttendanceCursor: Hashable, Sendable {
    /// The bytes; at most 64.
    public var bytes: [UInt8]

    /// The cursor that had these bytes.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }
}
