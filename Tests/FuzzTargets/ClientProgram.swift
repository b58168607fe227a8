import CallState
import Rollcall
import RollcallProtocol

/// A client's rules under a program of what a relay sends, an app asks for and a network does: a call with a true state
/// is told rightly, wrongly, in pieces, or not at all.
enum ClientProgram {
    static func run(_ bytes: [UInt8]) throws(FuzzFinding) {
        var choices = ChoiceReader(bytes)
        var world = FuzzClient(shape: choices.byte(), seed: UInt64(choices.byte()))
        while !choices.isAtEnd, world.verdict.finding == nil {
            step(&world, &choices)
            world.check()
        }
        try world.verdict.end()
    }

    private static func step(_ world: inout FuzzClient, _ choices: inout ChoiceReader) {
        switch choices.below(32) {
        case 0, 1: world.handshake(&choices)
        case 2: world.connect()
        case 3: world.lose()
        case 4: world.receive(choices.take(1 + Int(choices.byte())))
        case 5: world.receiveMessage(choices.take(1 + Int(choices.byte())))
        case 6: world.tell(.welcome(welcome(&choices)))
        case 7: world.tellJoined(&choices)
        case 8, 9: world.tellSnapshot(&choices)
        case 10...15: world.tellCommit(&choices)
        case 16, 17: world.tellAck(&choices)
        case 18, 19: world.tellPing(&choices)
        case 20: world.tell(odd(&choices))
        case 21...24: world.command(settings(&choices))
        case 25: world.cancel(choices.byte())
        case 26: world.speak(choices.flag())
        case 27: world.resync()
        case 28: world.pass(UInt64(choices.byte()) * 100)
        case 29: world.passToDeadline()
        case 30: if choices.below(4) == 3 { world.leave() } else { world.cut() }
        default: world.beginEpoch(&choices)
        }
    }

    private static func welcome(_ choices: inout ChoiceReader) -> Welcome {
        var welcome = Welcome()
        welcome.version = choices.pick([1, 1, 1, 1, 1, 1, 2, 0])
        welcome.pingInterval = choices.number()
        welcome.deadAfter = choices.number()
        if choices.flag() {
            welcome.limits.unacknowledged = choices.number()
            welcome.limits.settings = choices.number()
            welcome.limits.frame = choices.number()
        }
        return welcome
    }

    private static func odd(_ choices: inout ChoiceReader) -> ServerFrame {
        let code = choices.pick([
            Code.goingAway, .lagged, .replaced, .removed, .idle, .unauthenticated, .staleAttempt, .left,
        ])
        let refusal = Refusal(
            code: code,
            text: "because",
            advice: Advice(rawValue: UInt32(choices.below(5))),
            after: choices.number()
        )
        switch choices.below(4) {
        case 0: return .closed(refusal)
        case 1: return .notice(code: .lagging, text: "slow")
        case 2: return .error(refusal, request: choices.number())
        default: return .calls(request: 1, [], more: choices.flag())
        }
    }

    private static func settings(_ choices: inout ChoiceReader) -> [Setting] {
        (0..<choices.pick([1, 1, 2, 3, 0])).map { _ in
            let flag = choices.flag()
            switch choices.below(10) {
            case 0: return Setting(.audioMuted(flag))
            case 1: return Setting(.videoPaused(flag))
            case 2: return Setting(.presenting(flag))
            case 3: return Setting(.handRaised(flag))
            case 4: return Setting(.name(choices.text()))
            case 5: return Setting(.attribute(Attribute(key: "k", value: flag ? choices.blob() : nil)))
            case 6: return Setting(target: .everyone, .audioMuted(true))
            case 7: return Setting(target: Target(uid: "u1"), .audioLocked(flag))
            case 8: return Setting(.grace(choices.number()))
            default: return Setting(.recording(flag))
            }
        }
    }
}
