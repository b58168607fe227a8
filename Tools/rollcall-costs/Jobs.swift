import CallState
import RelayCore
import RollcallProtocol

/// What is done over and over.
enum Job: String, CaseIterable {
    /// One attribute of 64 bytes of each of 256 people in turn.
    case attributes
    /// The microphone of each of 256 people in turn.
    case mutes
    /// Somebody joins a call in which one thing has changed since the last join, and goes.
    case joins
    /// Somebody joins a call in which nothing has changed, and goes.
    case rejoins
    /// Somebody joins a second after one person in 16 has changed something long, and goes: there is a new snapshot.
    case patches
    /// A snapshot of the call is encoded from nothing.
    case snapshots
    /// Connections that watch a call in which nothing happens.
    case idle
    /// The microphone of somebody in one of many calls after the other; `people` says how many, with one person each.
    case calls
}

/// A job and its numbers.
struct Plan {
    var job = Job.attributes
    /// Who watches.
    var subscribers = 50
    /// Who is in the call.
    var people = 256
    /// Changes of a turn.
    var window = 256
    /// The tick in turns, since a turn takes 1 ms; 0 is none.
    var tick = 0
    /// Changes, or joins, after the start; a multiple of the window.
    var count = 1_024

    /// Does the job; nil when all went well, else what did not.
    func run() -> String? {
        var stage = Stage(tick: tick)
        if job == .calls { return changeCalls(&stage) }
        let publisher = stage.observe(isTrusted: true)
        stage.endTurn()
        stage.bringIn(0..<people, by: publisher)
        for _ in 0..<subscribers { _ = stage.observe(isTrusted: false) }
        stage.endTurn()
        let begin = stage.received
        switch job {
        case .attributes:
            let templates = (0..<people).map { person in
                CommandTemplate { byte in
                    let value = [UInt8](repeating: 0x2E, count: 63) + [byte]
                    return Setting(
                        target: Target(uid: Stage.target(person).uid),
                        .attribute(Attribute(key: "status", value: value))
                    )
                }
            }
            change(templates, on: publisher, &stage)
        case .mutes:
            let templates = (0..<people).map { person in
                CommandTemplate { Setting(target: Stage.target(person), .audioMuted($0 == 0)) }
            }
            change(templates, on: publisher, &stage)
        case .joins: join(publisher, after: 1, &stage)
        case .rejoins: join(publisher, after: 0, &stage)
        case .patches: join(publisher, after: max(16, people / 16), &stage)
        case .snapshots:
            var bytes = 0
            let state = Self.state(of: people)
            for _ in 0..<count {
                let encoder = SnapshotEncoder()
                bytes += encoder.encode(state).bytes.count
            }
            if bytes < count * people * 32 { return "a snapshot is too short" }
        case .idle, .calls: break
        }
        for _ in 0..<tick { stage.endTurn() }
        if let trouble = stage.trouble { return trouble }
        return check(stage, since: begin)
    }

    /// A call as the jobs have it, without a relay around it.
    private static func state(of people: Int) -> CallState {
        var state = CallState()
        state.beginEpoch(1)
        state.beginCommit()
        for index in 0..<people {
            let target = Stage.target(index)
            let person = state.append(.person)
            state.set(PersonField.uid, of: person, to: .bytes(target.uid.bytes))
            state.set(PersonField.name, of: person, to: .bytes(Array("Person \(target.uid)".utf8)))
            state.set(PersonField.joinedAt, of: person, to: .number(1_700_000_000_000))
            let device = state.append(.device)
            state.set(DeviceField.person, of: device, to: .number(UInt64(person)))
            state.set(DeviceField.device, of: device, to: .bytes(target.device.bytes))
            state.set(DeviceField.audioMuted, of: device, to: .number(1))
            state.set(DeviceField.videoPaused, of: device, to: .number(1))
            state.set(DeviceField.joinedAt, of: device, to: .number(1_700_000_000_000))
        }
        _ = state.endCommit()
        return state
    }

    private func change(_ templates: [CommandTemplate], on publisher: ConnectionID, _ stage: inout Stage) {
        var templates = templates
        for change in 0..<count {
            let person = change % people
            // A microphone goes on in one round and off in the next.
            let value = UInt8(truncatingIfNeeded: job == .mutes ? 1 - change / people % 2 : change / people + 1)
            templates[person].set(op: CommandTemplate.firstOp + UInt64(change), value: value)
            let frame = templates[person].bytes
            stage.read(frame.span, from: publisher)
            if change % window == window - 1 { stage.endTurn() }
        }
    }

    /// Each call has a bot that brought somebody in and changes them.
    private func changeCalls(_ stage: inout Stage) -> String? {
        var bots: [ConnectionID] = []
        for call in 0..<people {
            bots.append(stage.observe(ByteString("call-\(call)"), isTrusted: true))
            stage.endTurn()
            stage.bringIn(0..<1, by: bots[call])
        }
        let begin = stage.received
        var template = CommandTemplate { Setting(target: Stage.target(0), .audioMuted($0 == 0)) }
        for change in 0..<count {
            template.set(op: CommandTemplate.firstOp + UInt64(change), value: UInt8(1 - change / people % 2))
            let frame = template.bytes
            stage.read(frame.span, from: bots[change % people])
            if change % window == window - 1 { stage.endTurn() }
        }
        if let trouble = stage.trouble { return trouble }
        let given = (0..<people).reduce(0) { $0 + stage.received[$1] - begin[$1] }
        return given < count * 6 ? "the bots were given \(given) bytes for \(count) changes" : nil
    }

    private func join(_ publisher: ConnectionID, after changes: Int, _ stage: inout Stage) {
        var templates = (0..<max(1, changes)).map { place in
            CommandTemplate { byte in
                let target = Stage.target(place * people / max(1, changes))
                if changes == 1 { return Setting(target: target, .audioMuted(byte == 0)) }
                let value = [UInt8](repeating: 0x2E, count: 255) + [byte]
                return Setting(target: Target(uid: target.uid), .attribute(Attribute(key: "status", value: value)))
            }
        }
        var op = CommandTemplate.firstOp
        for join in 0..<count {
            for change in 0..<changes {
                templates[change].set(op: op, value: UInt8(1 - join % 2))
                op += 1
                let frame = templates[change].bytes
                stage.read(frame.span, from: publisher)
            }
            stage.endTurn()
            if changes > 1 { stage.rest(1_000) }
            let joiner = stage.observe(isTrusted: false)
            stage.endTurn()
            stage.disconnect(joiner)
        }
    }

    /// Every subscriber was given the same since the start, and no less than the changes' own bytes.
    private func check(_ stage: Stage, since begin: [Int]) -> String? {
        let watchers = begin.indices.dropFirst().map { stage.received[$0] - begin[$0] }
        guard let first = watchers.first else { return nil }
        if watchers.contains(where: { $0 != first }) { return "the subscribers were not given the same" }
        let least: Int
        switch job {
        case .attributes: least = count * 64
        case .mutes, .joins: least = count * 6
        case .patches: least = count * max(16, people / 16) * 256
        case .rejoins, .snapshots, .idle, .calls: least = 0
        }
        return first < least ? "a subscriber was given \(first) bytes, where \(least) belong at least" : nil
    }
}
