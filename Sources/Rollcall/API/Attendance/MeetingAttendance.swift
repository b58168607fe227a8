/// Who was in a meeting, and when.
///
/// Times are ms since 1970 by the relay's clock.
public struct MeetingAttendance: Hashable, Sendable, Identifiable {
    /// The call's session id, which successive meetings share.
    public var session: String
    /// The meeting id.
    public var meeting: String
    /// The last title; empty when none was given.
    public var title: String
    /// When it began.
    public var startedAt: UInt64
    /// When it ended; nil while it runs.
    public var endedAt: UInt64?
    /// The number of people who were there, also of those without a row in ``participants``.
    public var participantCount: Int
    /// The number of their devices.
    public var deviceCount: Int
    /// The sum of all people's times.
    public var time: AttendanceTime
    /// The recordings in order.
    public var recordings: [MeetingRecording]
    /// Earlier recordings, of very many, that the relay does not keep.
    public var recordingsLeftOut: Int
    /// The people that were asked for, in order of first joining.
    public var participants: [ParticipantAttendance]
    /// Devices that came when the relay's log was full: they have no row and are in no time.
    public var devicesNotKept: Int
    /// Until when that which still runs is counted.
    public var countedUntil: UInt64

    /// The meeting id, which no other meeting has.
    public var id: String { meeting }
    /// Whether somebody is in.
    public var isRunning: Bool { endedAt == nil }
    /// Whether it was ever recorded.
    public var hasRecording: Bool { !recordings.isEmpty }
}

/// How long somebody was there, with and without a camera.
public struct AttendanceTime: Hashable, Sendable {
    /// Present with every camera off, in ms.
    public var audio: UInt64
    /// Present with a camera on, in ms.
    public var video: UInt64

    /// Lengths of time in ms.
    public init(audio: UInt64 = 0, video: UInt64 = 0) {
        self.audio = audio
        self.video = video
    }

    /// Present, in ms.
    public var duration: UInt64 {
        let (sum, isTooLong) = audio.addingReportingOverflow(video)
        return isTooLong ? .max : sum
    }
    /// ``audio`` in minutes.
    public var audioMinutes: Double { Double(audio) / 60_000 }
    /// ``video`` in minutes.
    public var videoMinutes: Double { Double(video) / 60_000 }
    /// ``duration`` in minutes.
    public var durationMinutes: Double { Double(duration) / 60_000 }
}

/// A person of a meeting: the union of their devices, so that two at once count once.
///
/// Times are ms since 1970 by the relay's clock.
public struct ParticipantAttendance: Hashable, Sendable, Identifiable {
    /// The person.
    public var uid: String
    /// The last name they had; empty when none was given.
    public var name: String
    /// URL of the last picture they had; empty when none was given.
    public var avatar: String
    /// When they first came.
    public var joinedAt: UInt64
    /// When they were last there; nil while they are in.
    ///
    /// Somebody whose link was lost and who did not come back was last there when it was lost.
    public var leftAt: UInt64?
    /// How long they were there.
    public var time: AttendanceTime
    /// A row for each device, in order of first joining.
    public var devices: [DeviceAttendance]
    /// Earlier devices, of very many, whose rows the relay does not keep; ``time`` has them.
    public var devicesLeftOut: Int

    /// The uid.
    public var id: String { uid }
    /// Whether they are in, also while every link is lost and may come back.
    public var isJoined: Bool { leftAt == nil }
}

/// A device of a person of a meeting.
///
/// Times are ms since 1970 by the relay's clock.
public struct DeviceAttendance: Hashable, Sendable, Identifiable {
    /// The id of the device, unique per uid.
    public var deviceID: String
    /// When it first came.
    public var joinedAt: UInt64
    /// Whether it is in, also while its link is lost and may come back.
    public var isJoined: Bool
    /// How long it was there.
    public var time: AttendanceTime
    /// When it was there, in order.
    public var intervals: [AttendanceInterval]
    /// Earlier intervals, of very many, that the relay does not keep; ``time`` has them.
    public var intervalsLeftOut: Int

    /// The id of the device.
    public var id: String { deviceID }
}

/// One stay of a device.
///
/// A lost link ends it at the loss; when the device comes back in time the gap is closed.
public struct AttendanceInterval: Hashable, Sendable {
    /// When it began, ms since 1970 by the relay's clock.
    public var from: UInt64
    /// When it ended, ms since 1970 by the relay's clock; nil while it lasts.
    public var to: UInt64?
}

/// A recording of a meeting.
public struct MeetingRecording: Hashable, Sendable {
    /// Who started it.
    public var uid: String
    /// Their name at that time; empty when none was given.
    public var name: String
    /// When it began, ms since 1970 by the relay's clock.
    public var from: UInt64
    /// When it ended, ms since 1970 by the relay's clock; nil while it runs.
    public var to: UInt64?
}
