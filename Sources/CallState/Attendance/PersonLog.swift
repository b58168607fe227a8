extension Attendance {
    /// One person with their devices, in order of first joining.
    public struct PersonLog: Hashable, Sendable {
        /// The person.
        public let uid: ByteString
        /// When they first came, ms since 1970.
        public let joinedAt: UInt64
        /// The last name they had; empty when none was given.
        public internal(set) var name = ByteString.empty
        /// URL of the last picture they had; empty when none was given.
        public internal(set) var avatar = ByteString.empty
        /// Their devices; see ``maximumDevices``.
        public internal(set) var devices: [DeviceLog] = []
        /// Devices whose rows are not kept; the times have them.
        public internal(set) var devicesLeftOut: UInt64 = 0
        var presence = Presence()

        /// Rows of devices that are kept of a person; those of devices that are in always are.
        public static let maximumDevices = 32

        init(uid: ByteString, at: UInt64) {
            self.uid = uid
            joinedAt = at
        }

        /// Whether a device has not left, also while its link is lost.
        public var isPresent: Bool { presence.devices > 0 }
        /// When they were last there, ms since 1970; nil while they are in.
        public var leftAt: UInt64? { isPresent ? nil : presence.presence.since }
        /// Time present, in ms.
        public func duration(now: UInt64) -> UInt64 { presence.presence.length(at: now) }
        /// Time present with a camera on, in ms.
        public func video(now: UInt64) -> UInt64 { presence.camera.length(at: now) }
        /// Time present with every camera off, in ms.
        public func audio(now: UInt64) -> UInt64 { duration(now: now) - min(duration(now: now), video(now: now)) }
    }

    /// What the devices of a person come to.
    struct Presence: Hashable, Sendable {
        /// Devices that have not left.
        var devices = 0
        var presence = Coverage()
        var camera = Coverage()
    }
}
