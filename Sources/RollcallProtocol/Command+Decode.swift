import CallState

// A command is put together where it stays: a value of its size that is returned beside an error is copied.
extension Command {
    /// Reads the fields of a command into an empty one.
    ///
    /// What breaks a limit becomes its fault: the relay refuses it by an Ack.
    mutating func read(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) {
        var cursor = body
        while let tag = try cursor.nextTag(bytes, of: "Command") {
            switch tag.number {
            case 1: op = try cursor.number(bytes, tag, "Command.op")
            case 2: try readSetting(bytes, tag, try cursor.elementMessage(bytes, tag, "Command.settings"))
            default: try cursor.unknown(bytes, tag, in: "Command")
            }
        }
        if settings.isEmpty {
            fault = WireError(.limit, "Command.settings", at: cursor.end, "a command without settings")
        }
    }

    @inline(__always)
    private mutating func readSetting(
        _ bytes: Span<UInt8>,
        _ tag: WireTag,
        _ body: WireCursor
    ) throws(WireError) {
        guard settings.count < WireLimits.settings.upperBound else {
            let limit = WireLimits.settings.upperBound
            fault = fault ?? WireError(.limit, "Command.settings", at: tag.offset, "more than \(limit) settings")
            return
        }
        do throws(WireError) {
            try settings.append { setting throws(WireError) in try setting.read(bytes, body) }
        } catch {
            guard error.code == .limit else { throw error }
            fault = fault ?? error
        }
    }
}

extension Setting {
    /// Reads the fields of a setting into an empty one.
    ///
    /// A change of a later version makes `change` nil, whatever else is there.
    fileprivate mutating func read(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) {
        var cursor = body
        var hasChange = false
        var hasUnknown = false
        while let tag = try cursor.nextTag(bytes, of: "Setting") {
            switch tag.number {
            case 1: target = try Target.decode(bytes, try cursor.message(bytes, tag, "Setting.target"))
            case 2...28:
                if hasChange {
                    throw WireError(.duplicate, "Setting.change", at: tag.offset, "a second change")
                }
                change = try Setting.Change.decode(bytes, tag, &cursor)
                hasChange = true
            default:
                try cursor.skip(bytes, tag, FieldPath("Setting", tag.number))
                hasUnknown = true
            }
        }
        if hasUnknown { change = nil }
    }
}

extension Setting.Change {
    fileprivate static func decode(
        _ bytes: Span<UInt8>,
        _ tag: WireTag,
        _ cursor: inout WireCursor
    ) throws(WireError) -> Setting.Change? {
        switch tag.number {
        case 2: .audioMuted(try cursor.flag(bytes, tag, "Setting.audio_muted"))
        case 3: .videoPaused(try cursor.flag(bytes, tag, "Setting.video_paused"))
        case 4: .presenting(try cursor.flag(bytes, tag, "Setting.presenting"))
        case 5: .handRaised(try cursor.flag(bytes, tag, "Setting.hand_raised"))
        case 6: .name(try cursor.text(bytes, tag, "Setting.name", WireLimits.name))
        case 7: .avatar(try cursor.text(bytes, tag, "Setting.avatar", WireLimits.avatar))
        case 8: .attribute(try Attribute.decode(bytes, try cursor.message(bytes, tag, "Setting.attribute")))
        case 9: .role(Role(rawValue: try cursor.enumeration(bytes, tag, "Setting.role")))
        case 10: .audioLocked(try cursor.flag(bytes, tag, "Setting.audio_locked"))
        case 11: .videoLocked(try cursor.flag(bytes, tag, "Setting.video_locked"))
        case 12: .unmuteRequest(try cursor.number(bytes, tag, "Setting.unmute_request_ms"))
        case 13: .removed(try cursor.flag(bytes, tag, "Setting.removed"))
        case 14: .recording(try cursor.flag(bytes, tag, "Setting.recording"))
        case 15: .spotlight(try decodeUIDs(bytes, try cursor.message(bytes, tag, "Setting.spotlight")))
        case 16: .title(try cursor.text(bytes, tag, "Setting.title", WireLimits.title))
        case 17: .callAttribute(try Attribute.decode(bytes, try cursor.message(bytes, tag, "Setting.call_attribute")))
        case 18: .callLocked(try cursor.flag(bytes, tag, "Setting.call_locked"))
        case 19: .moderation(Moderation(rawValue: try cursor.enumeration(bytes, tag, "Setting.moderation")))
        case 20: .standingMute(try cursor.flag(bytes, tag, "Setting.standing_mute"))
        case 21: .standingCameraOff(try cursor.flag(bytes, tag, "Setting.standing_camera_off"))
        case 22: .handsEnabled(try cursor.flag(bytes, tag, "Setting.hands_enabled"))
        case 23: .presenters(Presenters(rawValue: try cursor.enumeration(bytes, tag, "Setting.presenters")))
        case 24: .grace(try cursor.number(bytes, tag, "Setting.grace_ms", through: WireLimits.grace))
        case 25: .idle(try cursor.number(bytes, tag, "Setting.idle_ms"))
        case 26: .bringIn(try BringIn.decode(bytes, try cursor.message(bytes, tag, "Setting.bring_in")))
        case 27: .takeOut(LeaveReason(rawValue: try cursor.enumeration(bytes, tag, "Setting.take_out")))
        case 28: .dominantSpeaker(try decodeUID(bytes, try cursor.message(bytes, tag, "Setting.dominant_speaker")))
        default: nil
        }
    }

    private static func decodeUIDs(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> [ByteString] {
        var cursor = body
        var uids: [ByteString] = []
        while let tag = try cursor.nextTag(bytes, of: "UidList") {
            switch tag.number {
            case 1:
                try cursor.expect(WireType.lengthDelimited, tag, "UidList.uids")
                try cursor.room(tag, "UidList.uids", count: uids.count, limit: WireLimits.spotlight)
                uids.append(try cursor.element(bytes, "UidList.uids", WireLimits.uid))
            default: try cursor.unknown(bytes, tag, in: "UidList")
            }
        }
        return uids
    }

    private static func decodeUID(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> ByteString {
        var cursor = body
        var uid = ByteString.empty
        while let tag = try cursor.nextTag(bytes, of: "DominantSpeaker") {
            switch tag.number {
            case 1: uid = try cursor.text(bytes, tag, "DominantSpeaker.uid", 0...WireLimits.uid.upperBound)
            default: try cursor.unknown(bytes, tag, in: "DominantSpeaker")
            }
        }
        return uid
    }
}

extension Target {
    /// The fields of a target.
    static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> Target {
        var cursor = body
        var target = Target(uid: .empty)
        while let tag = try cursor.nextTag(bytes, of: "Target") {
            switch tag.number {
            case 1: target.uid = try cursor.text(bytes, tag, "Target.uid", 0...WireLimits.uid.upperBound)
            case 2: target.device = try cursor.text(bytes, tag, "Target.device", 0...WireLimits.device.upperBound)
            case 3: target.everyone = try cursor.flag(bytes, tag, "Target.everyone")
            default: try cursor.unknown(bytes, tag, in: "Target")
            }
        }
        return target
    }
}

extension Attribute {
    /// The fields of an attribute.
    static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> Attribute {
        var cursor = body
        var attribute = Attribute(key: .empty, value: nil)
        while let tag = try cursor.nextTag(bytes, of: "Attribute") {
            switch tag.number {
            case 1: attribute.key = try cursor.text(bytes, tag, "Attribute.key", WireLimits.key)
            case 2: attribute.value = try cursor.data(bytes, tag, "Attribute.value", WireLimits.value)
            default: try cursor.unknown(bytes, tag, in: "Attribute")
            }
        }
        try cursor.require(1, "Attribute.key", WireLimits.key)
        return attribute
    }
}

extension BringIn {
    fileprivate static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> BringIn {
        var cursor = body
        var device = BringIn()
        while let tag = try cursor.nextTag(bytes, of: "BringIn") {
            switch tag.number {
            case 1: device.name = try cursor.text(bytes, tag, "BringIn.name", WireLimits.name)
            case 2: device.avatar = try cursor.text(bytes, tag, "BringIn.avatar", WireLimits.avatar)
            case 3: device.audioMuted = try cursor.flag(bytes, tag, "BringIn.audio_muted")
            case 4: device.videoPaused = try cursor.flag(bytes, tag, "BringIn.video_paused")
            case 5: device.presenting = try cursor.flag(bytes, tag, "BringIn.presenting")
            case 6: device.role = Role(rawValue: try cursor.enumeration(bytes, tag, "BringIn.role"))
            default: try cursor.unknown(bytes, tag, in: "BringIn")
            }
        }
        return device
    }
}
