import CallState
import RelayCore
import RollcallProtocol

/// A relay's rules under a program of inputs: a few connections that do what clients do and what no client does.
enum RelayProgram {
    static func run(_ bytes: [UInt8]) throws(FuzzFinding) {
        var choices = ChoiceReader(bytes)
        var world = FuzzRelay(configuration: configuration(&choices), seed: UInt64(choices.byte()))
        while !choices.isAtEnd, world.verdict.finding == nil { step(&world, &choices) }
        if world.verdict.finding == nil { world.end() }
        try world.verdict.end()
    }

    /// The tick of those relays that have one, in ms.
    static let tick: UInt64 = 5

    /// Small limits, so that a short program meets them.
    private static func configuration(_ choices: inout ChoiceReader) -> RelayConfiguration {
        var configuration = RelayConfiguration()
        configuration.ringBytes = choices.pick([64, 1_024, 256 * 1024])
        configuration.maximumDelta = choices.pick([400, 4_096, 256 * 1024])
        configuration.maximumTombstones = choices.pick([2, 8, 4_096])
        configuration.maximumConnections = choices.pick([16_000, 5])
        configuration.maximumCalls = choices.pick([20_000, 2])
        configuration.maximumUnsentAnswers = choices.pick([64, 3])
        configuration.maximumDevicesPerPerson = choices.pick([16, 2])
        configuration.limits.people = choices.pick([50_000, 3])
        configuration.isAdminOpen = choices.flag()
        configuration.durability = choices.pick([.none, .async, .sync])
        // Not a choice of its own, so that programs which were found stay what they are.
        configuration.tick = configuration.isAdminOpen ? 0 : tick
        configuration.maximumTickWrites = 4
        return configuration
    }

    private static func step(_ world: inout FuzzRelay, _ choices: inout ChoiceReader) {
        switch choices.below(32) {
        case 0...4: world.join(&choices)
        case 5: world.open(isTrusted: choices.flag())
        case 6: world.send(choices.byte(), rawFrame(&choices))
        case 7...13: world.command(choices.byte(), settings(&choices), op: choices.byte())
        case 14, 15: world.slow(choices.byte(), choices.pickOrNil([0, 1, 100, 300]))
        case 16, 17: world.drain(choices.byte())
        case 18: world.cut(choices.byte())
        case 19...22: world.endTurn()
        case 23: world.advance(UInt64(choices.byte()))
        case 24: world.advance(UInt64(choices.byte()) * 250)
        case 25: world.resync(choices.byte(), choices.pickOrNil([0, 1, 5]))
        case 26: world.send(choices.byte(), .leave(LeaveReason(rawValue: UInt32(choices.below(7)))))
        case 27: world.speak(choices.byte(), choices.flag(), target(&choices))
        case 28: world.send(choices.byte(), query(&choices))
        case 29: world.pong(choices.byte())
        case 30: world.strange(choices.byte(), &choices)
        default: world.rare(choices.byte(), &choices)
        }
    }

    /// Whatever the decoder accepts.
    private static func rawFrame(_ choices: inout ChoiceReader) -> ClientFrame? {
        let bytes = choices.take(1 + Int(choices.byte()))
        return try? ClientFrame.decode(bytes.span)
    }

    private static func query(_ choices: inout ChoiceReader) -> ClientFrame {
        let request = choices.number()
        switch choices.below(4) {
        case 0: return .peek(session: Names.session(&choices), request: request)
        case 1: return .list(request: request, after: choices.text())
        case 2: return .inspect(request: request, after: choices.number())
        default:
            var query = AttendanceQuery()
            query.session = choices.flag() ? Names.session(&choices) : .empty
            return .attendance(request: request, query)
        }
    }

    private static func target(_ choices: inout ChoiceReader) -> Target? {
        switch choices.below(8) {
        case 0...3: nil
        case 4: .everyone
        case 5: Target(uid: Names.uid(&choices), device: Names.device(&choices))
        default: Target(uid: Names.uid(&choices))
        }
    }

    private static func settings(_ choices: inout ChoiceReader) -> [Setting] {
        (0...choices.below(3)).map { _ in Setting(target: target(&choices), change(&choices)) }
    }

    private static func change(_ choices: inout ChoiceReader) -> Setting.Change? {
        let flag = choices.flag()
        switch choices.below(30) {
        case 0, 1: return .audioMuted(flag)
        case 2: return .videoPaused(flag)
        case 3, 4: return .presenting(flag)
        case 5, 6: return .handRaised(flag)
        case 7: return .name(choices.text())
        case 8: return .avatar(choices.text())
        case 9: return .attribute(attribute(&choices))
        case 10: return .role(Role(rawValue: UInt32(choices.below(3))))
        case 11: return .audioLocked(flag)
        case 12: return .videoLocked(flag)
        case 13: return .unmuteRequest(choices.number())
        case 14: return .removed(flag)
        case 15: return .recording(flag)
        case 16: return .spotlight((0..<choices.below(4)).map { _ in Names.uid(&choices) })
        case 17: return .title(choices.text())
        case 18: return .callAttribute(attribute(&choices))
        case 19: return .callLocked(flag)
        case 20: return .moderation(flag ? .moderators : .everyone)
        case 21: return .standingMute(flag)
        case 22: return .standingCameraOff(flag)
        case 23: return .handsEnabled(flag)
        case 24: return .presenters(flag ? .one : .many)
        case 25: return .grace(choices.number())
        case 26: return .idle(choices.number())
        case 27: return .bringIn(bringIn(&choices))
        case 28: return .takeOut(LeaveReason(rawValue: UInt32(choices.below(7))))
        default: return flag ? .dominantSpeaker(Names.uid(&choices)) : nil
        }
    }

    private static func attribute(_ choices: inout ChoiceReader) -> Attribute {
        let key = ByteString("k\(choices.below(4))")
        return Attribute(key: key, value: choices.flag() ? choices.blob() : nil)
    }

    private static func bringIn(_ choices: inout ChoiceReader) -> BringIn {
        var facts = BringIn()
        facts.name = choices.pickOrNil(["ana", ""])
        facts.audioMuted = choices.pickOrNil([true, false])
        facts.presenting = choices.pickOrNil([true, false])
        return facts
    }
}

/// The few names that programs use, so that what they do meets.
enum Names {
    static let sessions: [ByteString] = ["standup", "retro", "s3"]

    static func session(_ choices: inout ChoiceReader) -> ByteString {
        // Most of it in one call.
        choices.pick([sessions[0], sessions[0], sessions[0], sessions[1], sessions[2]])
    }

    static func uid(_ choices: inout ChoiceReader) -> ByteString { ByteString("u\(choices.below(5))") }

    static func device(_ choices: inout ChoiceReader) -> ByteString { ByteString("d\(choices.below(3))") }
}
