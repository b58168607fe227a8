/// What a commit changed of what call logs show: facts as they are now, so that one told twice does no harm.
public enum AttendanceChange: Hashable, Sendable {
    /// The device that was in the slot has left.
    case left(Slot)
    /// A meeting began.
    case began(meeting: ByteString, at: UInt64)
    /// A device came, or its link or its camera changed.
    case device(DeviceFacts)
    /// A person's name and picture.
    case profile(uid: ByteString, name: ByteString, avatar: ByteString)
    /// The title; empty is none.
    case title(ByteString)
    /// Who records; nil is nobody.
    case recording(Recording?)
    /// The meeting ended.
    case ended

    /// A device as it is now.
    public struct DeviceFacts: Hashable, Sendable {
        /// Its slot.
        public var slot: Slot
        /// The person.
        public var uid: ByteString
        /// The device.
        public var device: ByteString
        /// Whether its link lives.
        public var isLinked: Bool
        /// Whether its camera is off.
        public var isVideoPaused: Bool

        /// Facts.
        public init(slot: Slot, uid: ByteString, device: ByteString, isLinked: Bool, isVideoPaused: Bool) {
            self.slot = slot
            self.uid = uid
            self.device = device
            self.isLinked = isLinked
            self.isVideoPaused = isVideoPaused
        }
    }
}

extension Attendance {
    /// Takes in a change of a commit at `at`, ms since 1970.
    ///
    /// Without `hasRoom` devices that are new are only counted; without `canGrow` nothing that is kept grows.
    public mutating func record(
        _ change: AttendanceChange,
        at: UInt64,
        hasRoom: Bool = true,
        canGrow: Bool = true
    ) {
        switch change {
        case .left(let slot):
            guard let name = device(in: slot) else { return }
            setDevice(in: slot, to: nil)
            leave(uid: name.uid, device: name.device, at: at)
        case .began(let meeting, let startedAt): beginMeeting(meeting, at: startedAt)
        case .device(let facts): record(facts, at: at, hasRoom: hasRoom, canGrow: canGrow)
        case .profile(let uid, let name, let avatar):
            setProfile(uid: uid, name: name, avatar: avatar, canGrow: canGrow)
        case .title(let title): setTitle(title, canGrow: canGrow)
        case .recording(let recording):
            if let recording {
                guard !isRecorded(recording) else { return }
                startRecording(
                    byUID: recording.byUID,
                    byName: recording.byName,
                    at: recording.since,
                    canGrow: canGrow
                )
            } else {
                stopRecording(at: at)
            }
        case .ended: endMeeting(at: at)
        }
    }

    private func isRecorded(_ recording: Recording) -> Bool {
        guard let last = recordings.last, last.to == nil else { return false }
        return last.byUID == recording.byUID && last.byName == recording.byName && last.from == recording.since
    }

    private mutating func record(
        _ facts: AttendanceChange.DeviceFacts,
        at: UInt64,
        hasRoom: Bool,
        canGrow: Bool
    ) {
        if device(in: facts.slot) == nil {
            join(
                uid: facts.uid,
                name: .empty,
                device: facts.device,
                videoPaused: facts.isVideoPaused,
                at: at,
                hasRoom: hasRoom,
                canGrow: canGrow
            )
            guard endedAt == nil else { return }
            setDevice(in: facts.slot, to: (facts.uid, facts.device))
            if !facts.isLinked { loseLink(uid: facts.uid, device: facts.device, at: at) }
            return
        }
        // The camera first: one that changes with the resume is as it is now in all of the gap.
        setVideoPaused(facts.isVideoPaused, uid: facts.uid, device: facts.device, at: at)
        if facts.isLinked {
            restoreLink(uid: facts.uid, device: facts.device, at: at)
        } else {
            loseLink(uid: facts.uid, device: facts.device, at: at)
        }
    }
}
