public import CallState

extension CallSnapshot {
    /// A person in a call, with the aggregate of their devices.
    public struct Person: Hashable, Sendable, Identifiable {
        /// Number of the person in the call, in order of joining; never given to another while the call lives.
        public var slot: Slot
        /// The identity.
        ///
        /// Two uids are the same when their bytes are.
        public var uid: String
        /// Display name; empty when none was given.
        public var name: String
        /// URL of a picture; empty when none was given.
        public var avatar: String
        /// The role.
        public var role: Role
        /// Muted when all devices are.
        public var audio: AudioState
        /// Paused when all cameras are.
        public var video: VideoState
        /// Whether any device shares its screen.
        public var isPresenting: Bool
        /// Place in the queue of raised hands, from 1; nil is down.
        public var hand: Int?
        /// When the hand went up, ms since 1970 by the relay's clock; nil while it is down, and while the relay does
        /// not know of it yet.
        public var handRaisedAt: UInt64?
        /// Whether a moderator keeps the person muted.
        public var isAudioLocked: Bool
        /// Whether a moderator keeps the person's cameras off.
        public var isVideoLocked: Bool
        /// Who asks the person to unmute, and until when; nil is nobody.
        public var unmuteRequest: UnmuteRequest?
        /// When the person came, ms since 1970 by the relay's clock.
        public var joinedAt: UInt64
        /// The attributes, by key.
        public var attributes: [AttributeValue]
        /// The devices, in order of joining; never empty.
        public var devices: [Device]

        /// Stable while the person is in the call.
        public var id: Slot { slot }
        /// Whether every device has lost its link and may come back.
        public var isReconnecting: Bool { devices.allSatisfy(\.isReconnecting) }

        /// The value of an attribute; nil without it.
        public func attribute(_ key: String) -> [UInt8]? {
            let key = ByteString(key)
            return attributes.first { $0.key == key }?.value
        }
    }

    /// A device of a person.
    public struct Device: Hashable, Sendable, Identifiable {
        /// Number of the device in the call.
        public var slot: Slot
        /// Stable id, unique among the devices of the person.
        public var deviceID: String
        /// The microphone.
        public var audio: AudioState
        /// The camera.
        public var video: VideoState
        /// Whether it shares its screen.
        public var isPresenting: Bool
        /// Whether its link is lost; it may come back until ``reconnectingUntil``.
        public var isReconnecting: Bool
        /// When its grace ends, ms since 1970 by the relay's clock; nil while its link lives.
        public var reconnectingUntil: UInt64?
        /// When it came, ms since 1970 by the relay's clock.
        public var joinedAt: UInt64
        /// Name of the client program, for people.
        public var clientName: String

        /// Stable while the device is in the call.
        public var id: Slot { slot }
    }

    /// Somebody asks a person to unmute.
    public struct UnmuteRequest: Hashable, Sendable {
        /// Who asks.
        public var uid: String
        /// The request lapses then, ms since 1970 by the relay's clock.
        public var until: UInt64
    }
}

extension CallSnapshot.Person {
    /// The person of the copy, with what this client has asked for laid over its own.
    init(_ person: StatePerson, overlay: Overlay, own: OwnSlots, hands: [Slot: Int]) {
        let isOwn = person.slot == own.person && own.person != 0
        slot = person.slot
        uid = person.uid.string
        name = (isOwn ? overlay.name ?? person.name : person.name).string
        avatar = (isOwn ? overlay.avatar ?? person.avatar : person.avatar).string
        role = person.role
        hand = hands[person.slot]
        handRaisedAt = hand == nil ? nil : person.hand?.at
        isAudioLocked = person.isAudioLocked
        isVideoLocked = person.isVideoLocked
        unmuteRequest = person.unmuteRequest.map { .init(uid: $0.byUID.string, until: $0.until) }
        joinedAt = person.joinedAt
        attributes = isOwn ? overlay.applied(to: person.attributes) : person.attributes
        devices = person.devices.map { CallSnapshot.Device($0, overlay: $0.slot == own.device ? overlay : Overlay()) }
        audio = devices.allSatisfy { $0.audio == .muted } ? .muted : .on
        video = devices.allSatisfy { $0.video == .paused } ? .paused : .on
        isPresenting = devices.contains(where: \.isPresenting)
    }
}

extension CallSnapshot.Device {
    /// The device of the copy, with `overlay` laid over it.
    init(_ device: StateDevice, overlay: Overlay) {
        slot = device.slot
        deviceID = device.id.string
        audio = overlay.audioMuted ?? device.isAudioMuted ? .muted : .on
        video = overlay.videoPaused ?? device.isVideoPaused ? .paused : .on
        isPresenting = overlay.presenting ?? device.isPresenting
        isReconnecting = device.link == .reconnecting
        reconnectingUntil = device.reconnectingUntil
        joinedAt = device.joinedAt
        clientName = device.clientName.string
    }
}
