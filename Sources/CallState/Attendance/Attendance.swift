/// Who was in a meeting and when: a projection of the commits, kept beside the state.
///
/// A device is present from joining to leaving. When its link is lost its interval ends there; a resume closes the gap
/// as if the link had never been lost. A person is present in the union of the devices' intervals, so two devices at
/// once count once. Times are ms since 1970; one that goes back counts as the latest before it.
///
/// Each event costs O(devices of the person). The memory of a person is bounded, whatever they do: of very many stays
/// or devices the last ones are kept, and the lengths of time have all of them.
public struct Attendance: Hashable, Sendable {
    /// One recording.
    public struct RecordingLog: Hashable, Sendable {
        /// Who started it.
        public let byUID: ByteString
        /// Their name at that time.
        public let byName: ByteString
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
    /// The last title; empty when none was given.
    public private(set) var title = ByteString.empty
    /// Everybody who was there, in order of first joining.
    public private(set) var people: [PersonLog] = []
    /// The recordings in order; see ``maximumRecordings``.
    public private(set) var recordings: [RecordingLog] = []
    /// Earlier recordings that are not kept.
    public private(set) var recordingsLeftOut: UInt64 = 0
    /// Devices of everybody that were there.
    public private(set) var deviceCount: UInt64 = 0
    /// Devices that came when there was no room and were not taken in.
    public private(set) var devicesNotKept: UInt64 = 0
    /// Rows of devices that are kept.
    public private(set) var rowCount = 0
    /// The bytes of people and recordings in memory; see ``size``.
    private(set) var sizeOfParts = 0

    /// Recordings that are kept of a meeting.
    public static let maximumRecordings = 32

    private var places: [ByteString: Int] = [:]
    private var presence = CoverageSum()
    private var camera = CoverageSum()
    /// The latest time that was seen.
    private var clock: UInt64 = 0
    /// Who is in which slot, while the meeting runs.
    private var slots: [Slot: DeviceName] = [:]

    private struct DeviceName: Hashable, Sendable {
        var uid: ByteString
        var device: ByteString
    }

    /// Nobody was there yet.
    public init() {}

    /// What was recorded of a person.
    ///
    /// O(1).
    public func person(uid: ByteString) -> PersonLog? { place(of: uid).map { people[$0] } }

    /// The place of a person in ``people``.
    ///
    /// O(1).
    public func place(of uid: ByteString) -> Int? { places[uid] }

    /// The sum of everybody's time present, in ms; O(1).
    public func duration(now: UInt64) -> UInt64 { presence.length(at: counted(until: now)) }
    /// The sum of everybody's time present with a camera on, in ms; O(1).
    public func video(now: UInt64) -> UInt64 { camera.length(at: counted(until: now)) }
    /// The sum of everybody's time present with every camera off, in ms; O(1).
    public func audio(now: UInt64) -> UInt64 { duration(now: now) - min(duration(now: now), video(now: now)) }

    // MARK: What happens

    /// A meeting began; what was recorded of one before is forgotten.
    public mutating func beginMeeting(_ id: ByteString, at: UInt64) {
        self = Attendance()
        meetingID = id
        startedAt = at
        clock = at
    }

    /// The meeting ended: whoever is still there went, a running recording stopped.
    public mutating func endMeeting(at: UInt64) {
        guard meetingID != nil, endedAt == nil else { return }
        let at = tell(at)
        endedAt = at
        for index in people.indices where people[index].isPresent {
            change(index) { person in
                for device in person.devices.indices {
                    person.devices[device].leave(&person.presence, at: at)
                }
            }
        }
        stopRecording(at: at)
        slots = [:]
    }

    /// A device came.
    ///
    /// Without `hasRoom` a new one is only counted; without `canGrow` its interval takes the place of the first.
    public mutating func join(
        uid: ByteString,
        name: ByteString,
        device: ByteString,
        videoPaused: Bool,
        at: UInt64,
        hasRoom: Bool = true,
        canGrow: Bool = true
    ) {
        guard endedAt == nil else { return }
        let at = tell(at)
        let known = place(of: uid)
        let isNew = known.map { index in !people[index].devices.contains { $0.id == device } } ?? true
        guard hasRoom || !isNew else {
            devicesNotKept += 1
            return
        }
        let index = known ?? people.endIndex
        if known == nil {
            people.append(PersonLog(uid: uid, at: at))
            sizeOfParts += people[index].size
            places[uid] = index
        }
        if isNew { addRow(device, to: index, at: at) }
        setProfile(uid: uid, name: name, avatar: .empty, canGrow: canGrow)
        change(uid, device) { device, person in
            device.join(&person, at: at, canGrow: canGrow)
            device.setCamera(on: !videoPaused, &person, at: at)
        }
    }

    /// A device went; after a lost link its interval has ended there.
    public mutating func leave(uid: ByteString, device: ByteString, at: UInt64) {
        let at = tell(at)
        change(uid, device) { $0.leave(&$1, at: at) }
    }

    /// A device's link was lost.
    public mutating func loseLink(uid: ByteString, device: ByteString, at: UInt64) {
        let at = tell(at)
        change(uid, device) { $0.loseLink(&$1, at: at) }
    }

    /// A device's link lives again.
    public mutating func restoreLink(uid: ByteString, device: ByteString, at: UInt64) {
        let at = tell(at)
        guard let index = place(of: uid) else { return }
        change(index) { person in
            guard let device = person.devices.firstIndex(where: { $0.id == device }),
                let closed = person.devices[device].restoreLink(&person.presence, at: at)
            else { return }
            for other in person.devices.indices { person.devices[other].hasClosed(closed) }
        }
    }

    /// A device's camera went off or on.
    public mutating func setVideoPaused(_ paused: Bool, uid: ByteString, device: ByteString, at: UInt64) {
        let at = tell(at)
        change(uid, device) { $0.setCamera(on: !paused, &$1, at: at) }
    }

    /// A person's name and picture; empty when there is none now, which leaves the last one.
    ///
    /// Without `canGrow` what is longer than the last one leaves that too.
    public mutating func setProfile(uid: ByteString, name: ByteString, avatar: ByteString, canGrow: Bool = true) {
        guard let index = place(of: uid), endedAt == nil else { return }
        change(index) { person in
            if Self.takes(name, for: person.name, canGrow) { person.name = name }
            if Self.takes(avatar, for: person.avatar, canGrow) { person.avatar = avatar }
        }
    }

    /// The title; an empty one leaves the last, and without `canGrow` a longer one too.
    public mutating func setTitle(_ title: ByteString, canGrow: Bool = true) {
        if endedAt == nil, Self.takes(title, for: self.title, canGrow) { self.title = title }
    }

    private static func takes(_ text: ByteString, for last: ByteString, _ canGrow: Bool) -> Bool {
        !text.isEmpty && (canGrow || text.count <= last.count)
    }

    /// A recording began; one that runs ends.
    ///
    /// Without `canGrow` it takes the place of the first one that is kept.
    public mutating func startRecording(byUID: ByteString, byName: ByteString, at: UInt64, canGrow: Bool = true) {
        guard meetingID != nil, endedAt == nil else { return }
        let at = tell(at)
        stopRecording(at: at)
        let recording = RecordingLog(byUID: byUID, byName: byName, from: at, to: nil)
        recordings.append(recording)
        sizeOfParts += recording.size
        guard recordings.count > (canGrow ? Self.maximumRecordings : 1) else { return }
        sizeOfParts -= recordings.removeFirst().size
        recordingsLeftOut += 1
    }

    /// The running recording ended.
    public mutating func stopRecording(at: UInt64) {
        guard let last = recordings.indices.last, recordings[last].to == nil else { return }
        recordings[last].to = tell(at)
    }

    /// `now`, or the latest time that was seen when that is later: until when that which runs is counted.
    func counted(until now: UInt64) -> UInt64 { max(now, clock) }

    // MARK: Slots

    /// How many slots somebody is in.
    var slotCount: Int { slots.count }

    /// Who is in a slot.
    func device(in slot: Slot) -> (uid: ByteString, device: ByteString)? {
        slots[slot].map { ($0.uid, $0.device) }
    }

    /// Notes who is in a slot, or with nil that nobody is any more.
    mutating func setDevice(in slot: Slot, to name: (uid: ByteString, device: ByteString)?) {
        slots[slot] = name.map { DeviceName(uid: $0.uid, device: $0.device) }
    }

    // MARK: Changing

    /// A time that does not go back.
    private mutating func tell(_ at: UInt64) -> UInt64 {
        clock = max(clock, at)
        return clock
    }

    /// Adds a row for a device, and gives up one of the oldest that have left when there are too many.
    private mutating func addRow(_ device: ByteString, to index: Int, at: UInt64) {
        deviceCount += 1
        rowCount += 1
        sizeOfParts -= people[index].size
        if people[index].devices.count >= PersonLog.maximumDevices,
            let gone = people[index].devices.firstIndex(where: { !$0.isPresent })
        {
            people[index].devices.remove(at: gone)
            people[index].devicesLeftOut += 1
            rowCount -= 1
        }
        people[index].devices.append(DeviceLog(id: device, at: at))
        sizeOfParts += people[index].size
    }

    private mutating func change(
        _ uid: ByteString,
        _ device: ByteString,
        _ body: (inout DeviceLog, inout Presence) -> Void
    ) {
        guard let index = place(of: uid) else { return }
        change(index) { person in
            guard let device = person.devices.firstIndex(where: { $0.id == device }) else { return }
            body(&person.devices[device], &person.presence)
        }
    }

    /// Changes a person and keeps the sums true.
    private mutating func change(_ index: Int, _ body: (inout PersonLog) -> Void) {
        presence.remove(people[index].presence.presence)
        camera.remove(people[index].presence.camera)
        sizeOfParts -= people[index].size
        body(&people[index])
        sizeOfParts += people[index].size
        presence.add(people[index].presence.presence)
        camera.add(people[index].presence.camera)
    }
}
