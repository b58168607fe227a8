import CallState

extension [UInt8] {
    /// The fields of a setting.
    ///
    /// One without a change is written as its target alone; a relay refuses it.
    mutating func append(_ setting: Setting) {
        if let target = setting.target { write(1, target) }
        guard let change = setting.change else { return }
        switch change {
        case .audioMuted(let value): write(2, value)
        case .videoPaused(let value): write(3, value)
        case .presenting(let value): write(4, value)
        case .handRaised(let value): write(5, value)
        case .name(let value): write(6, value)
        case .avatar(let value): write(7, value)
        case .attribute(let value): write(8, value)
        case .role(let value): write(9, UInt64(value.rawValue))
        case .audioLocked(let value): write(10, value)
        case .videoLocked(let value): write(11, value)
        case .unmuteRequest(let value): write(12, value)
        case .removed(let value): write(13, value)
        case .recording(let value): write(14, value)
        case .spotlight(let uids):
            let mark = beginMessage(15)
            for uid in uids { write(1, uid) }
            endMessage(mark)
        case .title(let value): write(16, value)
        case .callAttribute(let value): write(17, value)
        case .callLocked(let value): write(18, value)
        case .moderation(let value): write(19, UInt64(value.rawValue))
        case .standingMute(let value): write(20, value)
        case .standingCameraOff(let value): write(21, value)
        case .handsEnabled(let value): write(22, value)
        case .presenters(let value): write(23, UInt64(value.rawValue))
        case .grace(let value): write(24, value)
        case .idle(let value): write(25, value)
        case .bringIn(let value): write(26, value)
        case .takeOut(let value): write(27, UInt64(value.rawValue))
        case .dominantSpeaker(let uid):
            let mark = beginMessage(28)
            put(1, uid)
            endMessage(mark)
        }
    }

    /// A target.
    mutating func write(_ field: UInt32, _ target: Target) {
        let mark = beginMessage(field)
        put(1, target.uid)
        put(2, target.device)
        put(3, target.everyone)
        endMessage(mark)
    }

    /// An attribute.
    mutating func write(_ field: UInt32, _ attribute: Attribute) {
        let mark = beginMessage(field)
        put(1, attribute.key)
        if let value = attribute.value { write(2, value) }
        endMessage(mark)
    }

    /// A device that is brought in.
    private mutating func write(_ field: UInt32, _ device: BringIn) {
        let mark = beginMessage(field)
        if let name = device.name { write(1, name) }
        if let avatar = device.avatar { write(2, avatar) }
        if let muted = device.audioMuted { write(3, muted) }
        if let paused = device.videoPaused { write(4, paused) }
        if let presenting = device.presenting { write(5, presenting) }
        if let role = device.role { write(6, UInt64(role.rawValue)) }
        endMessage(mark)
    }
}
