/// Numbers of the fields of the call record.
public enum CallField {
    /// Names the meeting.
    public static let meetingID: UInt32 = 1
    /// Begin of the meeting, ms since 1970.
    public static let startedAt: UInt32 = 2
    /// The title.
    public static let title: UInt32 = 3
    /// Who records, since when; absent while nobody does.
    public static let recording: UInt32 = 4
    /// Slot of the dominant speaker; absent is nobody.
    public static let dominantSpeaker: UInt32 = 5
    /// Slots of the persons in the spotlight, in order; absent is nobody.
    public static let spotlight: UInt32 = 6
    /// Whether new uids are kept out.
    public static let locked: UInt32 = 7
    /// Attributes of the call; keyed.
    public static let attributes: UInt32 = 8
}

/// Numbers of the fields of the policy record.
public enum PolicyField {
    /// Who may moderate.
    public static let moderation: UInt32 = 1
    /// Everybody is and joins muted.
    public static let standingMute: UInt32 = 2
    /// Everybody's camera is off.
    public static let standingCameraOff: UInt32 = 3
    /// Hands may be raised; absent is yes.
    public static let handsEnabled: UInt32 = 4
    /// How many may present at once.
    public static let presenters: UInt32 = 5
    /// Grace in ms.
    public static let grace: UInt32 = 6
    /// Idle period in ms; 0 is never.
    public static let idle: UInt32 = 7
}

/// Numbers of the fields of a person record.
public enum PersonField {
    /// The identity; never changes.
    public static let uid: UInt32 = 1
    /// The display name.
    public static let name: UInt32 = 2
    /// URL of a picture.
    public static let avatar: UInt32 = 3
    /// The role; absent is participant.
    public static let role: UInt32 = 4
    /// The raised hand; absent is down.
    public static let hand: UInt32 = 5
    /// Keeps the devices muted.
    public static let audioLocked: UInt32 = 6
    /// Keeps the cameras off.
    public static let videoLocked: UInt32 = 7
    /// Somebody asks the person to unmute.
    public static let unmuteRequest: UInt32 = 8
    /// When the person came, ms since 1970.
    public static let joinedAt: UInt32 = 9
    /// Attributes of the person; keyed.
    public static let attributes: UInt32 = 10
}

/// Numbers of the fields of a device record.
public enum DeviceField {
    /// Slot of the person; never changes.
    public static let person: UInt32 = 1
    /// The stable id of the device; never changes.
    public static let device: UInt32 = 2
    /// Active or reconnecting; absent is active.
    public static let connection: UInt32 = 3
    /// The microphone; always set.
    public static let audioMuted: UInt32 = 4
    /// The camera; always set.
    public static let videoPaused: UInt32 = 5
    /// The screen share; absent is not presenting.
    public static let presenting: UInt32 = 6
    /// When the device came, ms since 1970.
    public static let joinedAt: UInt32 = 7
    /// Name of the client program.
    public static let clientName: UInt32 = 8
    /// While reconnecting: when the grace ends, ms since 1970.
    public static let reconnectingUntil: UInt32 = 9
}
