/// Who was in a meeting and when: a projection of the commits, kept beside the state.
///
/// A device is present from joining to leaving. When its link is lost its interval ends there; a resume closes the gap
/// as if the link had never been lost. A person is present in the union of the devices' intervals, so two devices at
/// once count once. Times are ms since 1970 and never go back.
public struct Attendance: Hashable, Sendable {
    /// A time from `from` to just before `to`, in ms since 1970.
    public struct Interval: Hashable, Sendable {
        /// The begin.
        public var from: UInt64
        /// The end.
        public var to: UInt64
        /// The length in ms.
        public var length: UInt64 { to - from }

        /// An interval; one that would end before it begins is empty.
        public init(from: UInt64, to: UInt64) {
            self.from = from
            self.to = max(from, to)
        }
    }

    /// A span that may still be running or, after a lost link, may run on.
    struct Span: Hashable, Sendable {
        var from: UInt64
        var to: UInt64?
    }

    /// One device of a person.
    public struct DeviceLog: Hashable, Sendable {
        /// The id of the device.
        public let id: ByteString
        var present: [Span] = []
        var camera: [Span] = []
        var isPresent = false
        var isLost = false
        var isCameraOn = false

        /// When the device was there; what runs still is counted up to `now`.
        public func intervals(now: UInt64) -> [Interval] { Attendance.close(present, now) }
        /// When the device was there with its camera on; what runs still is counted up to `now`.
        public func cameraIntervals(now: UInt64) -> [Interval] { Attendance.close(camera, now) }
    }

    /// One person with their devices, in order of first joining.
    public struct PersonLog: Hashable, Sendable {
        /// The person.
        public let uid: ByteString
        /// The last name they had; empty when none was given.
        public internal(set) var name: ByteString
        /// Their devices.
        public internal(set) var devices: [DeviceLog] = []

        /// When any device was there.
        public func intervals(now: UInt64) -> [Interval] {
            Attendance.union(devices.flatMap { $0.intervals(now: now) })
        }
        /// When any device was there with its camera on.
        public func cameraIntervals(now: UInt64) -> [Interval] {
            Attendance.union(devices.flatMap { $0.cameraIntervals(now: now) })
        }
        /// Time present, in ms.
        public func duration(now: UInt64) -> UInt64 { Attendance.length(intervals(now: now)) }
        /// Time present with a camera on, in ms.
        public func video(now: UInt64) -> UInt64 { Attendance.length(cameraIntervals(now: now)) }
        /// Time present with every camera off, in ms.
        public func audio(now: UInt64) -> UInt64 {
            // Times that went back, which no relay sends, may make the cameras' time the longer one.
            let duration = duration(now: now)
            return duration - min(duration, video(now: now))
        }
    }

    /// One recording.
    public struct RecordingLog: Hashable, Sendable {
        /// Who started it.
        public let byUID: ByteString
        /// When it began, ms since 1970.
        public let from: UInt64
        /// When it ended, ms since 1970; nil while it runs.
        public internal(set) var to: UInt64?
    }

    /// The meeting; nil before it began.
    public private(set) var meetingID: ByteString?
    /// When it began, ms since 1970.
    public private(set) var startedAt: UInt64 = 0
    /// When it ended, ms since 1970; nil while it goes on.
    public private(set) var endedAt: UInt64?
    /// Everybody who was there, in order of first joining.
    public private(set) var people: [PersonLog] = []
    /// The recordings in order.
    public private(set) var recordings: [RecordingLog] = []

    /// Nobody was there yet.
    public init() {}

    /// What was recorded of a person.
    public func person(uid: ByteString) -> PersonLog? { people.first { $0.uid == uid } }

    // MARK: What happens

    /// A meeting began; what was recorded of one before is forgotten.
    public mutating func beginMeeting(_ id: ByteString, at: UInt64) {
        self = Attendance()
        meetingID = id
        startedAt = at
    }

    /// The meeting ended: whoever is still there went, a running recording stopped.
    public mutating func endMeeting(at: UInt64) {
        endedAt = at
        for person in people.indices {
            for device in people[person].devices.indices { people[person].devices[device].leave(at: at) }
        }
        stopRecording(at: at)
    }

    /// A device came.
    public mutating func join(uid: ByteString, name: ByteString, device: ByteString, videoPaused: Bool, at: UInt64) {
        let index = people.firstIndex { $0.uid == uid } ?? people.endIndex
        if index == people.endIndex { people.append(PersonLog(uid: uid, name: name)) }
        if !name.isEmpty { people[index].name = name }
        change(uid, device) { $0.join(isCameraOn: !videoPaused, at: at) }
    }

    /// A device went; after a lost link its interval has ended there.
    public mutating func leave(uid: ByteString, device: ByteString, at: UInt64) {
        change(uid, device) { $0.leave(at: at) }
    }

    /// A device's link was lost.
    public mutating func loseLink(uid: ByteString, device: ByteString, at: UInt64) {
        change(uid, device) { $0.loseLink(at: at) }
    }

    /// A device's link lives again.
    public mutating func restoreLink(uid: ByteString, device: ByteString) {
        change(uid, device) { $0.restoreLink() }
    }

    /// A device's camera went off or on.
    public mutating func setVideoPaused(_ paused: Bool, uid: ByteString, device: ByteString, at: UInt64) {
        change(uid, device) { $0.setCamera(on: !paused, at: at) }
    }

    /// A recording began.
    public mutating func startRecording(byUID: ByteString, at: UInt64) {
        recordings.append(RecordingLog(byUID: byUID, from: at, to: nil))
    }

    /// The running recording ended.
    public mutating func stopRecording(at: UInt64) {
        guard let last = recordings.indices.last, recordings[last].to == nil else { return }
        recordings[last].to = at
    }

    private mutating func change(_ uid: ByteString, _ device: ByteString, _ body: (inout DeviceLog) -> Void) {
        guard let person = people.firstIndex(where: { $0.uid == uid }) else { return }
        let index = people[person].devices.firstIndex { $0.id == device } ?? people[person].devices.endIndex
        if index == people[person].devices.endIndex { people[person].devices.append(DeviceLog(id: device)) }
        body(&people[person].devices[index])
    }

    // MARK: Intervals

    /// The union of intervals: ascending, apart from each other, none empty.
    public static func union(_ intervals: [Interval]) -> [Interval] {
        var union: [Interval] = []
        for interval in intervals.sorted(by: { $0.from < $1.from }) where interval.length > 0 {
            if let last = union.indices.last, interval.from <= union[last].to {
                union[last].to = max(union[last].to, interval.to)
            } else {
                union.append(interval)
            }
        }
        return union
    }

    /// The length of intervals that are apart from each other, in ms.
    public static func length(_ intervals: [Interval]) -> UInt64 {
        intervals.reduce(0) { $0 + $1.length }
    }

    fileprivate static func close(_ spans: [Span], _ now: UInt64) -> [Interval] {
        union(spans.map { Interval(from: $0.from, to: $0.to ?? now) })
    }
}

extension Attendance.DeviceLog {
    fileprivate init(id: ByteString) {
        self.id = id
    }

    fileprivate mutating func join(isCameraOn: Bool, at: UInt64) {
        if isPresent { leave(at: at) }
        isPresent = true
        present.append(.init(from: at))
        setCamera(on: isCameraOn, at: at)
    }

    fileprivate mutating func leave(at: UInt64) {
        if isPresent, !isLost { end(at: at) }
        isPresent = false
        isLost = false
        isCameraOn = false
    }

    fileprivate mutating func loseLink(at: UInt64) {
        guard isPresent, !isLost else { return }
        end(at: at)
        isLost = true
    }

    fileprivate mutating func restoreLink() {
        guard isLost else { return }
        isLost = false
        present[present.count - 1].to = nil
        if isCameraOn { camera[camera.count - 1].to = nil }
    }

    fileprivate mutating func setCamera(on: Bool, at: UInt64) {
        guard isPresent, on != isCameraOn else { return }
        isCameraOn = on
        if isLost { return restateCamera() }
        if on { camera.append(.init(from: at)) } else { camera[camera.count - 1].to = at }
    }

    /// A change while the link is lost counts from the end of the interval, since nobody saw the camera in between.
    private mutating func restateCamera() {
        guard isCameraOn, let end = present[present.count - 1].to else { return }
        camera.append(.init(from: end, to: end))
    }

    private mutating func end(at: UInt64) {
        present[present.count - 1].to = at
        if isCameraOn { camera[camera.count - 1].to = at }
    }
}
