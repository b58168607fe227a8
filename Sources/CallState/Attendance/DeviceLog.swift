extension Attendance {
    /// One device of a person.
    public struct DeviceLog: Hashable, Sendable {
        /// The id of the device.
        public let id: ByteString
        /// When it first came.
        public let joinedAt: UInt64
        /// Whether it has not left, also while its link is lost.
        public private(set) var isPresent = false
        /// Its last stays; see ``maximumIntervals``.
        private var stays: [PresenceReport] = []
        /// Earlier stays that are not kept; the times have them.
        public private(set) var intervalsLeftOut: UInt64 = 0

        private var isLost = false
        private var isCameraOn = false
        private var presence = Coverage()
        private var camera = Coverage()
        /// Where the gap of a lost link began, of this device and of the person.
        private var gap = Gap()

        /// Stays that are kept of a device.
        public static let maximumIntervals = 32

        /// What did not count before a gap.
        struct Gap: Hashable, Sendable {
            var presence: UInt64 = 0
            var camera: UInt64 = 0
            var ofPerson = PersonGap()
        }

        /// What did not count of a person before a gap.
        struct PersonGap: Hashable, Sendable {
            var presence: UInt64 = 0
            var camera: UInt64 = 0
        }

        init(id: ByteString, at: UInt64) {
            self.id = id
            joinedAt = at
        }

        /// When the device was there, in order; what lasts has no end.
        public var intervals: [PresenceReport] { stays }
        /// Time present, in ms.
        public func duration(now: UInt64) -> UInt64 { presence.length(at: now) }
        /// Time present with the camera on, in ms.
        public func video(now: UInt64) -> UInt64 { camera.length(at: now) }
        /// Time present with the camera off, in ms.
        public func audio(now: UInt64) -> UInt64 { duration(now: now) - min(duration(now: now), video(now: now)) }
    }
}

// What happens to a device, counted for it and for its person.
extension Attendance.DeviceLog {
    mutating func join(_ person: inout Attendance.Presence, at: UInt64, canGrow: Bool) {
        if isPresent { leave(&person, at: at) }
        isPresent = true
        person.devices += 1
        begin(&person, at: at)
        stays.append(PresenceReport(from: at))
        guard stays.count > (canGrow ? Self.maximumIntervals : 1) else { return }
        stays.removeFirst()
        intervalsLeftOut += 1
    }

    mutating func leave(_ person: inout Attendance.Presence, at: UInt64) {
        guard isPresent else { return }
        if !isLost { end(&person, at: at) }
        person.devices -= 1
        isPresent = false
        isLost = false
        isCameraOn = false
    }

    mutating func loseLink(_ person: inout Attendance.Presence, at: UInt64) {
        guard isPresent, !isLost else { return }
        end(&person, at: at)
        isLost = true
        gap.presence = presence.uncovered(at: at)
        gap.camera = camera.uncovered(at: at)
        gap.ofPerson.presence = person.presence.uncovered(at: at)
        gap.ofPerson.camera = person.camera.uncovered(at: at)
    }

    /// Closes the gap; with the camera on it was on all the time, since nobody saw it in between.
    ///
    /// What is not open any more of the person's time, for the gaps of the other devices.
    mutating func restoreLink(_ person: inout Attendance.Presence, at: UInt64) -> PersonGap? {
        guard isLost else { return nil }
        isLost = false
        var closed = PersonGap(presence: gap.ofPerson.presence, camera: .max)
        presence.close(gapFrom: gap.presence, at: at)
        person.presence.close(gapFrom: gap.ofPerson.presence, at: at)
        if isCameraOn {
            closed.camera = gap.ofPerson.camera
            camera.close(gapFrom: gap.camera, at: at)
            person.camera.close(gapFrom: gap.ofPerson.camera, at: at)
        }
        begin(&person, at: at)
        stays[stays.count - 1].to = nil
        return closed
    }

    /// Another device's gap was closed: what it covered now is not open in this one's gap any more.
    mutating func hasClosed(_ closed: PersonGap) {
        gap.ofPerson.presence = min(gap.ofPerson.presence, closed.presence)
        gap.ofPerson.camera = min(gap.ofPerson.camera, closed.camera)
    }

    mutating func setCamera(on: Bool, _ person: inout Attendance.Presence, at: UInt64) {
        guard isPresent, on != isCameraOn else { return }
        isCameraOn = on
        // While the link is lost it counts with the resume, from the loss.
        guard !isLost else { return }
        if on {
            camera.begin(at: at)
            person.camera.begin(at: at)
        } else {
            camera.end(at: at)
            person.camera.end(at: at)
        }
    }

    private mutating func begin(_ person: inout Attendance.Presence, at: UInt64) {
        presence.begin(at: at)
        person.presence.begin(at: at)
        guard isCameraOn else { return }
        camera.begin(at: at)
        person.camera.begin(at: at)
    }

    private mutating func end(_ person: inout Attendance.Presence, at: UInt64) {
        presence.end(at: at)
        person.presence.end(at: at)
        stays[stays.count - 1].to = at
        guard isCameraOn else { return }
        camera.end(at: at)
        person.camera.end(at: at)
    }
}
