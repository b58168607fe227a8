import CallState
import RollcallProtocol

extension ClientFrame {
    /// The JSON mapping of the frame.
    var json: [String: Any] {
        var body = JSONMessage()
        switch self {
        case .hello(let hello):
            body.put("minVersion", hello.minVersion)
            body.put("maxVersion", hello.maxVersion)
            body.put("clientName", hello.clientName)
            body.put("instance", bytes: hello.instance)
            return ["hello": body.members]
        case .join(let join):
            return ["join": join.json]
        case .command(let command):
            body.put("op", command.op)
            if !command.settings.isEmpty { body.write("settings", command.settings.map(\.json)) }
            return ["command": body.members]
        case .speaking(let speaking):
            body.put("on", speaking.on)
            body.write("target", speaking.target?.json)
            return ["speaking": body.members]
        case .pong(let pong):
            body.put("position", pong.position)
            body.put("time", pong.time)
            return ["pong": body.members]
        case .resync(let resync):
            body.put("position", resync.position)
            body.put("reason", resync.reason.rawValue, Names.resync)
            return ["resync": body.members]
        case .leave(let reason):
            body.put("reason", reason.rawValue, Names.leave)
            return ["leave": body.members]
        case .authenticate(let token):
            body.put("token", token)
            return ["authenticate": body.members]
        case .peek(let session, let request):
            body.put("sessionId", session)
            body.put("request", request)
            return ["peek": body.members]
        case .list(let request, let after):
            body.put("request", request)
            body.put("after", after)
            return ["list": body.members]
        case .inspect(let request, let after):
            body.put("request", request)
            body.put("after", after)
            return ["inspect": body.members]
        case .attendance(let request, let query):
            body.put("request", request)
            if !query.filterJSON.isEmpty { body.write("filter", query.filterJSON) }
            if !query.pageJSON.isEmpty { body.write("page", query.pageJSON) }
            return ["attendance": body.members]
        }
    }
}

extension Join {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.put("sessionId", session)
        body.put("token", token)
        body.put("uid", uid)
        body.put("device", device)
        body.put("attempt", attempt)
        body.put("mode", mode.rawValue, Names.joinMode)
        body.write("name", name?.string)
        body.write("avatar", avatar?.string)
        body.write("audioMuted", audioMuted)
        body.write("videoPaused", videoPaused)
        body.write("presenting", presenting)
        if !attributes.isEmpty { body.write("attributes", attributes.map(\.json)) }
        if let resume {
            var inner = JSONMessage()
            inner.put("secret", bytes: resume.secret)
            inner.put("position", resume.position)
            inner.put("digest", resume.digest)
            body.write("resume", inner.members)
        }
        body.write("idleMs", idle.map { "\($0)" })
        body.write("graceMs", grace.map { "\($0)" })
        body.write("role", role.map { enumeration($0.rawValue, Names.role) })
        body.put("view", view)
        return body.members
    }
}

extension Target {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.put("uid", uid)
        body.put("device", device)
        body.put("everyone", everyone)
        return body.members
    }
}

extension Attribute {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.put("key", key)
        body.write("value", value.map(base64))
        return body.members
    }
}

extension Setting {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.write("target", target?.json)
        if let change {
            let (name, value) = change.json
            body.write(name, value)
        }
        return body.members
    }
}

extension Setting.Change {
    fileprivate var json: (String, Any) {
        switch self {
        case .audioMuted(let value): ("audioMuted", value)
        case .videoPaused(let value): ("videoPaused", value)
        case .presenting(let value): ("presenting", value)
        case .handRaised(let value): ("handRaised", value)
        case .name(let value): ("name", value.string)
        case .avatar(let value): ("avatar", value.string)
        case .attribute(let value): ("attribute", value.json)
        case .role(let value): ("role", enumeration(value.rawValue, Names.role))
        case .audioLocked(let value): ("audioLocked", value)
        case .videoLocked(let value): ("videoLocked", value)
        case .unmuteRequest(let value): ("unmuteRequestMs", "\(value)")
        case .removed(let value): ("removed", value)
        case .recording(let value): ("recording", value)
        case .spotlight(let uids): ("spotlight", uids.isEmpty ? [:] : ["uids": uids.map(\.string)])
        case .title(let value): ("title", value.string)
        case .callAttribute(let value): ("callAttribute", value.json)
        case .callLocked(let value): ("callLocked", value)
        case .moderation(let value): ("moderation", enumeration(value.rawValue, Names.moderation))
        case .standingMute(let value): ("standingMute", value)
        case .standingCameraOff(let value): ("standingCameraOff", value)
        case .handsEnabled(let value): ("handsEnabled", value)
        case .presenters(let value): ("presenters", enumeration(value.rawValue, Names.presenters))
        case .grace(let value): ("graceMs", "\(value)")
        case .idle(let value): ("idleMs", "\(value)")
        case .bringIn(let device): ("bringIn", device.json)
        case .takeOut(let value): ("takeOut", enumeration(value.rawValue, Names.leave))
        case .dominantSpeaker(let uid): ("dominantSpeaker", uid.isEmpty ? [:] : ["uid": uid.string])
        }
    }
}

extension BringIn {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.write("name", name?.string)
        body.write("avatar", avatar?.string)
        body.write("audioMuted", audioMuted)
        body.write("videoPaused", videoPaused)
        body.write("presenting", presenting)
        body.write("role", role.map { enumeration($0.rawValue, Names.role) })
        return body.members
    }
}
