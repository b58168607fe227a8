import CallState
import RollcallProtocol

extension ServerFrame {
    /// The JSON mapping of the frame, without what the schema does not have.
    var json: [String: Any] {
        switch self {
        case .welcome(let welcome): ["welcome": welcome.json]
        case .joined(let joined): ["joined": joined.json]
        case .snapshot(let head): ["snapshot": head.json]
        case .part(let part): ["part": part.json]
        case .delta(let delta): ["delta": delta.json]
        case .ack(let ack): ["ack": ack.json]
        case .ping(let ping): ["ping": ping.json]
        case .notice(let code, let text): ["notice": Refusal(code: code, text: text).json()]
        case .closed(let refusal): ["closed": refusal.json()]
        case .error(let refusal, let request): ["error": refusal.json(request)]
        case .calls(let request, let calls, let more):
            ["calls": list(request, "calls", calls.map(\.json), more)]
        case .connections(let request, let connections, let more):
            ["connections": list(request, "connections", connections.map(\.json), more)]
        case .attendance(let request, let report): ["attendance": report.json(request)]
        case .unknown: [:]
        }
    }

    private func list(_ request: UInt64, _ name: String, _ items: [[String: Any]], _ more: Bool) -> [String: Any] {
        var body = JSONMessage()
        body.put("request", request)
        if !items.isEmpty { body.write(name, items) }
        body.put("more", more)
        return body.members
    }
}

extension Welcome {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.put("version", version)
        body.put("relayId", relayID)
        body.put("pingMs", pingInterval)
        body.put("deadAfterMs", deadAfter)
        var inner = JSONMessage()
        inner.put("frame", limits.frame)
        inner.put("unacknowledged", limits.unacknowledged)
        inner.put("settings", limits.settings)
        inner.put("attributes", limits.attributes)
        inner.put("attributeValue", limits.attributeValue)
        inner.put("people", limits.people)
        body.write("limits", inner.members)
        return body.members
    }
}

extension Joined {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.put("outcome", outcome.rawValue, Names.outcome)
        body.put("incarnation", incarnation)
        body.put("attachment", attachment)
        body.put("secret", bytes: secret)
        body.put("lastOp", lastOp)
        body.put("rights", rights.rawValue)
        body.put("personSlot", person)
        body.put("deviceSlot", device)
        body.put("position", position)
        body.put("follows", follows.rawValue, Names.follows)
        body.put("view", view)
        return body.members
    }
}

extension SnapshotHead {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.put("position", position)
        body.put("reason", reason.rawValue, Names.snapshot)
        body.put("request", request)
        return body.members
    }
}

extension SnapshotPart {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        if !records.isEmpty { body.write("records", records.json) }
        if let end {
            var inner = JSONMessage()
            inner.put("liveRecords", end.liveRecords)
            inner.put("digest", end.digest)
            body.write("end", inner.members)
        }
        return body.members
    }
}

extension Delta {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.put("toSeq", toSeq)
        body.put("toEpoch", toEpoch ?? 0)
        body.put("fromSeq", fromSeq ?? 0)
        body.put("fromEpoch", fromEpoch ?? 0)
        if !records.isEmpty { body.write("records", records.json) }
        body.write("actor", actor.map { Int($0) })
        body.put("op", op)
        body.write("digest", digest.map { "\($0)" })
        return body.members
    }
}

extension Ack {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.put("op", op)
        body.put("code", code.rawValue)
        body.put("position", position)
        body.put("text", text)
        body.put("afterMs", after)
        return body.members
    }
}

extension Ping {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.write("position", position.map { RollcallProtocolTests.json($0) })
        body.put("time", time)
        body.write("digest", digest.map { "\($0)" })
        return body.members
    }
}

extension Refusal {
    fileprivate func json(_ request: UInt64 = 0) -> [String: Any] {
        var body = JSONMessage()
        body.put("code", code.rawValue)
        body.put("text", text)
        body.put("advice", advice.rawValue, Names.advice)
        body.put("afterMs", after)
        body.put("request", request)
        return body.members
    }
}

extension CallSummary {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.put("sessionId", session)
        body.put("meetingId", meeting)
        body.put("position", position)
        body.put("people", people)
        body.put("devices", devices)
        body.put("observers", observers)
        body.put("hands", hands)
        body.put("recording", recording)
        body.put("startedAt", startedAt)
        body.put("title", title)
        return body.members
    }
}

extension ConnectionInfo {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.put("number", number)
        body.put("sessionId", session)
        body.put("uid", uid)
        body.put("device", device)
        body.put("mode", mode.rawValue, Names.joinMode)
        body.put("openedAt", openedAt)
        body.put("attachedAt", attachedAt)
        body.put("cursor", cursor)
        body.put("lag", lag)
        body.put("inFlight", inFlight)
        body.put("roundTripMs", roundTrip)
        body.put("writes", writes)
        body.put("merged", merged)
        body.put("clientName", clientName)
        body.put("turns", turns)
        body.put("heldMost", heldMost)
        return body.members
    }
}
