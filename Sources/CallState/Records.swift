/// A raised hand.
///
/// Hands are ordered by ``version``, the same on every copy.
public struct Hand: Hashable, Sendable {
    /// seq of the commit in which it went up.
    public var version: UInt64
    /// When it went up, ms since 1970.
    public var at: UInt64

    /// A hand that went up in commit `version` at `at`.
    public init(version: UInt64, at: UInt64) {
        self.version = version
        self.at = at
    }
}

/// Who records, since when.
public struct Recording: Hashable, Sendable {
    /// Who started it.
    public var byUID: ByteString
    /// Their name at that time.
    public var byName: ByteString
    /// ms since 1970.
    public var since: UInt64

    /// A recording.
    public init(byUID: ByteString, byName: ByteString, since: UInt64) {
        self.byUID = byUID
        self.byName = byName
        self.since = since
    }
}

/// Somebody asks a person to unmute.
public struct UnmuteRequest: Hashable, Sendable {
    /// Who asks.
    public var byUID: ByteString
    /// The request lapses then, ms since 1970.
    public var until: UInt64

    /// A request.
    public init(byUID: ByteString, until: UInt64) {
        self.byUID = byUID
        self.until = until
    }
}

/// An attribute of a person or of the call.
public struct AttributeValue: Hashable, Sendable {
    /// 1..64 bytes of UTF-8.
    public var key: ByteString
    /// 0..1,024 bytes.
    public var value: [UInt8]

    /// An attribute.
    public init(key: ByteString, value: [UInt8]) {
        self.key = key
        self.value = value
    }
}

/// A device of a person, as a value.
public struct Device: Hashable, Sendable {
    /// The device's slot.
    public var slot: Slot
    /// The person's slot.
    public var person: Slot
    /// Stable id of the device, unique per uid.
    public var id: ByteString
    /// Active or reconnecting.
    public var link: LinkState
    /// While reconnecting: when its grace ends, ms since 1970; else nil.
    public var reconnectingUntil: UInt64?
    /// The microphone.
    public var isAudioMuted: Bool
    /// The camera.
    public var isVideoPaused: Bool
    /// The screen share.
    public var isPresenting: Bool
    /// When the device came, ms since 1970.
    public var joinedAt: UInt64
    /// Name of the client program.
    public var clientName: ByteString
}

/// A person in the call with their devices, as a value.
public struct Person: Hashable, Sendable {
    /// The person's slot; people are ordered by it, which is the order of joining.
    public var slot: Slot
    /// The identity.
    public var uid: ByteString
    /// The display name; empty when none was given.
    public var name: ByteString
    /// URL of a picture; empty when none was given.
    public var avatar: ByteString
    /// The role.
    public var role: Role
    /// The raised hand; nil is down.
    public var hand: Hand?
    /// Keeps the devices muted.
    public var isAudioLocked: Bool
    /// Keeps the cameras off.
    public var isVideoLocked: Bool
    /// Somebody asks the person to unmute.
    public var unmuteRequest: UnmuteRequest?
    /// When the person came, ms since 1970.
    public var joinedAt: UInt64
    /// Attributes, by key.
    public var attributes: [AttributeValue]
    /// The devices that have not left, by slot; never empty in a state.
    public var devices: [Device]
}

/// The call record, as a value.
public struct CallRecord: Hashable, Sendable {
    /// Names the meeting; nil when nobody is in.
    public var meetingID: ByteString?
    /// Begin of the meeting, ms since 1970; 0 without a meeting.
    public var startedAt: UInt64
    /// The title; empty when none was given.
    public var title: ByteString
    /// Who records; nil while nobody does.
    public var recording: Recording?
    /// Slot of the dominant speaker; nil is nobody.
    public var dominantSpeaker: Slot?
    /// Slots of the persons in the spotlight, in order.
    public var spotlight: [Slot]
    /// Whether new uids are kept out.
    public var isLocked: Bool
    /// Attributes, by key.
    public var attributes: [AttributeValue]
}

/// The policy record, as a value.
public struct CallPolicy: Hashable, Sendable {
    /// Who may moderate.
    public var moderation: Moderation
    /// Everybody is and joins muted.
    public var standingMute: Bool
    /// Everybody's camera is off.
    public var standingCameraOff: Bool
    /// Hands may be raised.
    public var handsEnabled: Bool
    /// How many may present at once.
    public var presenters: Presenters
    /// Grace in ms; 0 without a meeting.
    public var grace: UInt64
    /// Idle period in ms; 0 is never.
    public var idle: UInt64
}
