public import CallState

/// A microphone, or the aggregate of a person's microphones.
public enum AudioState: Hashable, Sendable {
    /// Silent.
    case muted
    /// Open.
    case on
}

/// A camera, or the aggregate of a person's cameras.
public enum VideoState: Hashable, Sendable {
    /// Off.
    case paused
    /// On.
    case on
}

/// Who joins a call, and from which device.
public struct Identity: Hashable, Sendable {
    /// The person, 1..128 bytes of UTF-8.
    ///
    /// Two uids are the same when their bytes are.
    public var uid: String
    /// Display name, at most 256 bytes; nil keeps what the person has in the call.
    public var name: String?
    /// URL of a picture, at most 2,048 bytes; nil keeps what the person has in the call.
    public var avatar: String?
    /// Stable id of the device, 1..64 bytes, unique among the devices of the person.
    public var device: String
    /// Attributes of the person to set, at most 32.
    public var attributes: [AttributeValue]
    /// Proof of identity for a relay that asks for tokens.
    public var token: String?

    /// An identity.
    ///
    /// Without a `device` the id is ``processDevice``: good for one process, but a restarted app is then another
    /// device. Keep an id of your own to be recognised after a restart.
    public init(
        uid: String,
        name: String? = nil,
        avatar: String? = nil,
        device: String? = nil,
        attributes: [AttributeValue] = [],
        token: String? = nil
    ) {
        self.uid = uid
        self.name = name
        self.avatar = avatar
        self.device = device ?? Identity.processDevice
        self.attributes = attributes
        self.token = token
    }

    /// A device id that is random and the same as long as this process runs.
    public static let processDevice = "process-" + String(UInt64.random(in: .min ... .max), radix: 36)
}

/// What a device is like when it joins.
public struct Status: Hashable, Sendable {
    /// The microphone.
    public var audio: AudioState
    /// The camera.
    public var video: VideoState
    /// Whether the device shares its screen.
    public var isPresenting: Bool

    /// A status; unless said otherwise muted, with the camera off and not presenting.
    public init(audio: AudioState = .muted, video: VideoState = .paused, isPresenting: Bool = false) {
        self.audio = audio
        self.video = video
        self.isPresenting = isPresenting
    }
}
