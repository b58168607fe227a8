/// What the relay has kept of one meeting: who was there and for how long.
///
/// A session id that is used again has a log for each of its meetings; ``mid`` tells them apart. Times are the relay's.
/// Who called whom is not in it: Rollcall does not ring.
///
/// Minutes are counted so: somebody with a camera on has *video* minutes, somebody present without has *audio* minutes,
/// and the duration is both. A person with two devices counts once at a time. A device whose link is lost is absent
/// from then on, unless it comes back within the grace: then it was never away.
public struct CallLog: Sendable, Identifiable {
    /// The session id.
    public let sessionID: String
    /// The id of the meeting.
    public let mid: String
    /// The last title of the meeting; nil when it had none.
    public let title: String?
    /// ``CallStatus/ongoing`` or ``CallStatus/ended``.
    public let status: CallStatus
    /// When the meeting began, in seconds since 1970.
    public let initiatedAt: Int
    /// When the meeting ended, in seconds since 1970; nil while it goes on.
    public let endedAt: Int?
    /// Everybody who was there, in order of first joining, with the minutes of the person: several devices at the same
    /// time count once.
    ///
    /// ``Participant/deviceID`` names the device of a person who had one only, and is nil of others.
    public let participants: [Participant]
    /// Each device of everybody who was there, person by person, with the minutes of the device: the rows that other
    /// call SDKs give as participants.
    public let participantDevices: [Participant]
    /// The recordings, in order.
    public let recordings: [Recording]
    /// The length of the meeting, in minutes; until now while it goes on.
    public let totalDurationInMinutes: Double
    /// The length of the meeting, for people: `m:ss`, or `h:mm:ss` from an hour on; until now while it goes on.
    public let totalDuration: String
    /// The sums of all people's minutes.
    public let participantMinutes: ParticipantMinutes
    /// How many people were there.
    public let totalParticipants: Int

    /// When the meeting began, in seconds since 1970; never nil.
    public var startedAt: Int? { initiatedAt }
    /// The sum of all people's minutes without a camera.
    public var totalAudioMinutes: Double { participantMinutes.audio }
    /// The sum of all people's minutes with a camera on.
    public var totalVideoMinutes: Double { participantMinutes.video }
    /// Whether the meeting was recorded, at least for a part.
    public var hasRecording: Bool { !recordings.isEmpty }
    /// The ``mid``.
    public var id: String { mid }
}
