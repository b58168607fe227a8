import CallState
import RollcallProtocol

// Frames in a trace, for people: what decides, on one line.

extension ServerFrame {
    var line: String {
        switch self {
        case .welcome: "Welcome"
        case .joined(let joined):
            "Joined \(joined.outcome.rawValue) at \(joined.position), follows \(joined.follows.rawValue), op \(joined.lastOp)"
        case .snapshot(let head): "Snapshot of \(head.position), reason \(head.reason.rawValue)"
        case .part(let part): "part of \(part.records.records.count) records\(part.end == nil ? "" : ", the last")"
        case .delta(let delta):
            "Delta \(delta.fromEpoch.map { "\($0)." } ?? "")\(delta.fromSeq ?? delta.toSeq &- 1) -> "
                + "\(delta.toEpoch.map { "\($0)." } ?? "")\(delta.toSeq)"
        case .ack(let ack): "Ack \(ack.op): \(ack.code.rawValue) at \(ack.position) \(ack.text)"
        case .ping(let ping): "Ping \(ping.position.map { "\($0)" } ?? "")\(ping.digest == nil ? "" : " with digest")"
        case .notice(let code, _): "Notice \(code.rawValue)"
        case .closed(let refusal): "Closed \(refusal.code.rawValue), advice \(refusal.advice.rawValue): \(refusal.text)"
        case .error(let refusal, _): "Error \(refusal.code.rawValue)"
        case .calls: "Calls"
        case .connections: "Connections"
        case .attendance: "Attendance"
        case .unknown(let number): "frame \(number)"
        }
    }
}

extension ClientFrame {
    var line: String {
        switch self {
        case .hello: "Hello"
        case .join(let join):
            "Join \(join.uid)/\(join.device) attempt \(join.attempt)\(join.mode == .observer ? " as observer" : "")"
                + (join.resume.map { " from \($0.position)\($0.secret.isEmpty ? "" : " with a secret")" } ?? "")
        case .command(let command):
            "Command \(command.op): "
                + command.settings.map { $0.change.map { "\($0)" } ?? "nothing" }
                .joined(separator: ", ").prefix(150)
        case .speaking(let speaking): "Speaking \(speaking.on)"
        case .pong(let pong): "Pong \(pong.position)"
        case .resync(let resync): "Resync at \(resync.position), reason \(resync.reason.rawValue)"
        case .leave(let reason): "Leave \(reason.rawValue)"
        case .authenticate: "Authenticate"
        case .peek: "Peek"
        case .list: "List"
        case .inspect: "Inspect"
        case .attendance: "Attendance"
        }
    }
}
