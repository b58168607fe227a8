public import CallState

/// One atomic list of absolute settings.
public struct Command: Hashable, Sendable {
    /// Operation id.
    public var op: UInt64
    /// The settings, applied in order.
    public var settings: SettingList
    /// What the decoder found that breaks a limit; the relay refuses the whole command with it.
    public var fault: WireError?

    /// A command.
    public init(op: UInt64, settings: SettingList) {
        self.op = op
        self.settings = settings
    }

    /// A command without settings, which is none yet.
    @inline(__always)
    init() {
        op = 0
        settings = SettingList()
    }

    /// A command.
    public init(op: UInt64, settings: some Sequence<Setting>) {
        self.init(op: op, settings: SettingList(settings))
    }
}

/// One absolute setting.
public struct Setting: Hashable, Sendable {
    /// Whose; nil is the sender's own device and person.
    public var target: Target?
    /// What; nil is a change that this version does not know (the whole command is refused).
    public var change: Change?

    /// A setting.
    @inline(__always)
    public init(target: Target? = nil, _ change: Change?) {
        self.target = target
        self.change = change
    }

    /// What a setting changes; `rollcall.proto` says who may and what it means.
    public enum Change: Hashable, Sendable {
        case audioMuted(Bool)
        case videoPaused(Bool)
        case presenting(Bool)
        case handRaised(Bool)
        case name(ByteString)
        case avatar(ByteString)
        case attribute(Attribute)
        case role(Role)
        case audioLocked(Bool)
        case videoLocked(Bool)
        /// In ms; 0 withdraws.
        case unmuteRequest(UInt64)
        case removed(Bool)
        case recording(Bool)
        case spotlight([ByteString])
        case title(ByteString)
        case callAttribute(Attribute)
        case callLocked(Bool)
        case moderation(Moderation)
        case standingMute(Bool)
        case standingCameraOff(Bool)
        case handsEnabled(Bool)
        case presenters(Presenters)
        /// In ms.
        case grace(UInt64)
        /// In ms; 0 is never.
        case idle(UInt64)
        // In a box: it is several times as large as the others.
        indirect case bringIn(BringIn)
        case takeOut(LeaveReason)
        /// Empty is nobody.
        case dominantSpeaker(ByteString)
    }
}

/// Whom a setting is about.
public struct Target: Hashable, Sendable {
    /// The person; empty with `everyone`.
    public var uid: ByteString
    /// One device; empty means all of them.
    public var device: ByteString
    /// Everybody in the call but the sender.
    public var everyone: Bool

    /// A person, or one device of a person.
    public init(uid: ByteString, device: ByteString = .empty) {
        self.uid = uid
        self.device = device
        self.everyone = false
    }

    /// Everybody but the sender.
    public static let everyone: Target = {
        var target = Target(uid: .empty)
        target.everyone = true
        return target
    }()
}

/// An attribute to set or, without a value, to remove.
public struct Attribute: Hashable, Sendable {
    /// The key.
    public var key: ByteString
    /// The value; nil removes.
    public var value: [UInt8]?

    /// An attribute.
    public init(key: ByteString, value: [UInt8]?) {
        self.key = key
        self.value = value
    }
}

/// A device that somebody who acts for others brings in.
public struct BringIn: Hashable, Sendable {
    /// Name of the person.
    public var name: ByteString?
    /// Picture of the person.
    public var avatar: ByteString?
    /// nil is muted.
    public var audioMuted: Bool?
    /// nil is off.
    public var videoPaused: Bool?
    /// nil is not presenting.
    public var presenting: Bool?
    /// nil is participant.
    public var role: Role?

    /// Nothing said: muted, camera off.
    public init() {}
}
