/// The answer to an ``AttendanceQuery``.
public struct AttendanceReport: Hashable, Sendable {
    /// Until when that which still runs is counted, ms since 1970.
    public var at: UInt64 = 0
    /// The meetings, the newest first.
    public var meetings: [MeetingReport] = []
    /// Where to go on towards older meetings.
    public var older: [UInt8] = []
    /// Where to go on towards newer ones.
    public var newer: [UInt8] = []
    /// Whether there may be more in the direction that was asked for.
    public var hasMore = false
    /// Meetings that were looked at for it: what it has cost; not sent.
    public internal(set) var looks = 0

    /// An empty answer.
    public init() {}
}

/// A meeting in an answer.
///
/// Times are ms since 1970, lengths of time ms.
public struct MeetingReport: Hashable, Sendable {
    /// The call's session id.
    public var session: ByteString = .empty
    /// The meeting id.
    public var meeting: ByteString = .empty
    /// The last title; empty when none was given.
    public var title: ByteString = .empty
    /// When it began.
    public var startedAt: UInt64 = 0
    /// When it ended; nil while it runs.
    public var endedAt: UInt64?
    /// Everybody who was there.
    public var participants: UInt64 = 0
    /// Their devices.
    public var devices: UInt64 = 0
    /// The sum of all people's ``PersonReport/audio``.
    public var audio: UInt64 = 0
    /// The sum of all people's ``PersonReport/video``.
    public var video: UInt64 = 0
    /// The sum of all people's ``PersonReport/duration``.
    public var duration: UInt64 = 0
    /// The recordings in order; the last ones when there were too many.
    public var recordings: [RecordingReport] = []
    /// Earlier recordings that are not kept.
    public var recordingsLeftOut: UInt64 = 0
    /// People in order of first joining, from ``firstPerson`` on.
    public var people: [PersonReport] = []
    /// The place of the first of ``people``, from 0.
    public var firstPerson: UInt64 = 0
    /// Whether people follow that did not fit: ask for this meeting from the next person on.
    public var hasMorePeople = false
    /// Devices that came when the log was full and have no row; the totals are without them.
    public var devicesNotKept: UInt64 = 0

    /// With nothing said.
    public init() {}
}

/// A recording of a meeting.
public struct RecordingReport: Hashable, Sendable {
    /// Who started it.
    public var byUID: ByteString = .empty
    /// Their name at that time.
    public var byName: ByteString = .empty
    /// When it began, ms since 1970.
    public var from: UInt64 = 0
    /// When it ended, ms since 1970; nil while it runs.
    public var to: UInt64?

    /// With nothing said.
    public init() {}
}

/// A person of a meeting: the union of their devices.
public struct PersonReport: Hashable, Sendable {
    /// The person.
    public var uid: ByteString = .empty
    /// The last name; empty when none was given.
    public var name: ByteString = .empty
    /// URL of the last picture; empty when none was given.
    public var avatar: ByteString = .empty
    /// When they first came, ms since 1970.
    public var joinedAt: UInt64 = 0
    /// When they were last there, ms since 1970; nil while they are in.
    public var leftAt: UInt64?
    /// Time with every camera off, in ms.
    public var audio: UInt64 = 0
    /// Time with a camera on, in ms.
    public var video: UInt64 = 0
    /// Time present, in ms.
    public var duration: UInt64 = 0
    /// A row for each device, in order of first joining; the last ones when there were too many.
    public var devices: [DeviceReport] = []
    /// Devices whose rows are not kept; the times of the person have them.
    public var devicesLeftOut: UInt64 = 0

    /// With nothing said.
    public init() {}
}

/// A device of a person of a meeting.
public struct DeviceReport: Hashable, Sendable {
    /// The device.
    public var device: ByteString = .empty
    /// When it first came, ms since 1970.
    public var joinedAt: UInt64 = 0
    /// Whether it has not left, also while its link is lost.
    public var isPresent = false
    /// Time with the camera off, in ms.
    public var audio: UInt64 = 0
    /// Time with the camera on, in ms.
    public var video: UInt64 = 0
    /// When it was there, in order; the last ones when there were too many.
    public var intervals: [PresenceReport] = []
    /// Earlier intervals that are not kept; the times of the device have them.
    public var intervalsLeftOut: UInt64 = 0

    /// With nothing said.
    public init() {}
}

/// One stay of a device.
public struct PresenceReport: Hashable, Sendable {
    /// When it began, ms since 1970.
    public var from: UInt64
    /// When it ended, ms since 1970; nil while it lasts.
    public var to: UInt64?

    /// A stay.
    public init(from: UInt64, to: UInt64? = nil) {
        self.from = from
        self.to = to
    }
}

// MARK: Weight

extension MeetingReport {
    /// The most bytes that the meeting takes on the wire.
    public var weight: Int {
        recordings.reduce(people.reduce(frame) { $0 + $1.weight }) { $0 + $1.weight }
    }

    /// The meeting without its recordings and people: a tag and a length for each text, eleven bytes for each number.
    private var frame: Int { 16 + 14 * 11 + session.count + meeting.count + title.count }
}

extension RecordingReport {
    /// The most bytes that the recording takes on the wire.
    var weight: Int { 12 + 2 * 11 + byUID.count + byName.count }
}

extension PersonReport {
    /// The most bytes that the person takes on the wire.
    public var weight: Int {
        devices.reduce(16 + 6 * 11 + uid.count + name.count + avatar.count) { $0 + $1.weight }
    }
}

extension DeviceReport {
    /// The most bytes that the device takes on the wire.
    var weight: Int { 8 + 5 * 11 + device.count + intervals.count * 24 }
}
