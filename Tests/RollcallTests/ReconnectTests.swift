import CallState
import RollcallProtocol
import Testing

@testable import Rollcall

/// Losing the link, coming back, and ending.
struct ReconnectTests {
    var call = ScriptedCall()
    var client = CoreHarness()

    init() {
        client.join(call)
    }

    @Test mutating func `R-29 a resume brings secret, position and digest of the copy`() {
        client.receive(.delta(call.commit { $0.setTitle("t") }))
        client.lose()
        client.reconnect()
        let resume = client.sentJoin?.resume
        #expect(resume?.secret == call.secret)
        #expect(resume?.position == call.state.position)
        #expect(resume?.digest == call.state.digest)
    }

    @Test mutating func `R-30 after a resume deltas go on, and no change is shown before J`() {
        client.lose()
        client.forget()
        let start = call.state.position
        _ = call.commit { $0.setTitle("one") }
        let middle = call
        _ = call.commit { $0.setTitle("two") }
        client.reconnect()
        client.receive(ScriptedCall.welcome, call.joined(.resumed, follows: .delta))
        client.receive(.delta(middle.delta(from: start)))
        #expect(!client.isChanged)
        client.receive(.delta(call.delta(from: middle.state.position)))
        #expect(client.isChanged && client.isLive)
        #expect(!client.isCompleted)
        #expect(client.resyncs.isEmpty)
    }

    @Test mutating func `R-30 with a snapshot the old position is void until it is applied`() {
        client.lose()
        client.reconnect()
        client.receive(ScriptedCall.welcome, call.joined(.resumed, follows: .snapshot))
        #expect(client.core.snapshot.peopleCount == 2)
        client.receive(.delta(call.commit { $0.setTitle("early") }))
        #expect(client.core.snapshot.title == "")
        client.lose()
        client.reconnect()
        #expect(client.sentJoin?.resume?.position == .zero)
        #expect(client.sentJoin?.resume?.digest == 0)
        client.receive([ScriptedCall.welcome, call.joined(.resumed)] + call.snapshot(.belowFloor))
        #expect(client.core.snapshot.title == "early")
        #expect(client.isLive)
    }

    @Test mutating func `R-34 attempts count up with each join`() {
        var attempts: [UInt64] = []
        for _ in 0..<4 {
            client.lose()
            client.reconnect()
            attempts.append(client.sentJoin?.attempt ?? 0)
        }
        #expect(attempts == [2, 3, 4, 5])
    }

    @Test mutating func `R-20 a join states the device as the app sees it, a moderator's mute included`() {
        let laptop = call.laptop
        client.receive(.delta(call.commit { $0.setVideoPaused(false, of: laptop) }))
        client.receive(.delta(call.commit { $0.setPresenting(true, of: laptop) }))
        client.lose()
        client.reconnect()
        #expect(client.sentJoin?.audioMuted == true)
        #expect(client.sentJoin?.videoPaused == false)
        #expect(client.sentJoin?.presenting == true)
    }

    @Test func `R-98 waits are random between 250 ms and a bound that doubles, under a third of the grace`() {
        var waits: [[UInt64]] = Array(repeating: [], count: 8)
        for seed in 1...200 {
            var client = CoreHarness(seed: UInt64(seed))
            client.join(ScriptedCall(grace: 15_000))
            for step in waits.indices {
                client.lose()
                waits[step].append((client.core.nextDeadline ?? 0) - client.now)
                client.passTime()
            }
        }
        for (step, bound) in [500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000].enumerated() {
            let lowest = waits[step].min() ?? 0
            let highest = waits[step].max() ?? 0
            #expect(lowest >= 250 && highest <= bound)
            #expect(highest > UInt64(bound) * 9 / 10, "the whole range is used")
            #expect(lowest < 250 + UInt64(bound) / 10)
            #expect(Set(waits[step]).count > 50, "each client waits for another time")
        }
    }

    @Test mutating func `R-98 a good connection makes the next wait a short one again`() {
        for _ in 0..<5 {
            client.lose()
            client.passTime()
        }
        client.connect()
        client.receive(ScriptedCall.welcome, call.joined(.resumed, follows: .nothing))
        #expect(client.isLive)
        client.lose()
        #expect((client.core.nextDeadline ?? 0) - client.now <= 500)
        #expect(
            client.connections.contains { if case .reconnecting(attempt: 5, cause: _) = $0 { true } else { false } }
        )
    }

    @Test mutating func `R-98 a grace of nothing still leaves 250 ms`() {
        var client = CoreHarness()
        client.join(ScriptedCall(grace: 0))
        client.lose()
        #expect((client.core.nextDeadline ?? 0) - client.now == 250)
    }

    @Test mutating func `R-101 silence ends the connection, any byte keeps it`() {
        client.tick(at: client.now + 24_000)
        #expect(client.isLive)
        client.receive(bytes: [0])
        client.tick(at: client.now + 24_999)
        #expect(client.isLive)
        client.tick(at: client.now + 1)
        #expect(client.isDisconnected)
        guard case .reconnecting(attempt: 1, let cause) = client.connections.last else {
            Issue.record("not reconnecting")
            return
        }
        #expect(cause.code == .timedOut)
    }

    @Test mutating func `time that goes back changes nothing`() {
        client.core.tick(at: 0, into: &client.effects)
        #expect(client.isLive)
        #expect(client.core.now == client.now)
    }

    // MARK: The relay's advice

    @Test mutating func `R-13 never is obeyed`() {
        client.receive(.closed(Refusal(code: .removed, text: "removed by ben", advice: .never)))
        #expect(client.closeReason?.error?.code == .removed)
        #expect(client.isDisconnected)
        #expect(client.core.nextDeadline == nil)
    }

    @Test mutating func `R-13 re-authenticate ends it: there is no other token`() {
        client.receive(.closed(Refusal(code: .tokenExpired, text: "expired", advice: .reauthenticate)))
        #expect(client.closeReason?.error?.code.rawValue == 3001)
    }

    @Test mutating func `R-13 now comes back with the usual jitter`() {
        client.receive(.closed(Refusal(code: .lagged, text: "", advice: .now)))
        let wait = (client.core.nextDeadline ?? 0) - client.now
        #expect((250...500).contains(wait))
    }

    @Test mutating func `R-105 after comes back after that time and the jitter`() {
        client.receive(.closed(Refusal(code: .goingAway, text: "restart", advice: .after, after: 3_000)))
        let wait = (client.core.nextDeadline ?? 0) - client.now
        #expect((3_250...3_500).contains(wait))
        #expect(client.closeReason == nil)
    }

    @Test mutating func `R-98 a relay's time is believed up to ten minutes`() {
        client.receive(.closed(Refusal(code: .overload, text: "", advice: .after, after: .max)))
        #expect((client.core.nextDeadline ?? 0) - client.now <= 600_500)
    }

    @Test mutating func `R-13 an advice that is not known is what the code's thousands say`() {
        client.receive(.closed(Refusal(code: Code(rawValue: 2_999), text: "", advice: Advice(rawValue: 9))))
        #expect(client.closeReason == nil && client.core.nextDeadline != nil)
        var other = CoreHarness()
        other.join(call)
        other.receive(.closed(Refusal(code: Code(rawValue: 4_999), text: "", advice: Advice(rawValue: 9))))
        #expect(other.closeReason?.error?.code.rawValue == 4_999)
    }

    @Test mutating func `R-32 who was replaced by another program stays away`() {
        client.receive(.closed(Refusal(code: .replaced, text: "joined elsewhere", advice: .never)))
        #expect(client.closeReason?.error?.code == .replaced)
    }

    @Test func `a policy of never ends the call with its link`() {
        let call = ScriptedCall()
        var client = CoreHarness { $0.reconnect = .never }
        client.join(call)
        let token = client.command(Setting(.title("t")))
        client.lose()
        #expect(client.closeReason?.error?.code == .linkLost)
        #expect(client.failure(of: token)?.code == .callEnded)
    }

    @Test func `a call without a connection for too long is given up`() {
        var client = CoreHarness { $0.reconnect.giveUpAfter = .seconds(20) }
        client.join(ScriptedCall())
        let lostAt = client.now
        client.lose()
        while client.closeReason == nil {
            #expect(client.passTime() || client.isConnecting)
            if client.closeReason == nil { client.lose() }
        }
        #expect(client.closeReason?.error?.code == .linkLost)
        #expect(client.now - lostAt == 20_000)
    }

    @Test mutating func `what comes from a lost connection counts for nothing`() {
        client.lose()
        client.forget()
        client.receive(.delta(call.commit { $0.setTitle("late") }))
        #expect(client.core.snapshot.title == "")
        #expect(client.effects.isEmpty)
        client.lose()
        #expect(client.effects.isEmpty)
    }

    @Test mutating func `frames after Closed are not read`() {
        var bytes: [UInt8] = []
        ServerFrame.closed(Refusal(code: .removed, text: "")).encode(into: &bytes)
        ServerFrame.delta(call.commit { $0.setTitle("late") }).encode(into: &bytes)
        client.receive(bytes: bytes)
        #expect(client.core.snapshot.title == "")
        #expect(client.closeReason != nil)
    }

    @Test mutating func `R-35 an observer goes on with its position, and without an incarnation nothing expires`() {
        var client = CoreHarness(mode: .observer)
        call.secret = []
        client.start()
        client.connect()
        client.receive([ScriptedCall.welcome, call.joined(.observer)] + call.snapshot())
        let token = client.command(Setting(.dominantSpeaker("ben")))
        client.lose()
        client.reconnect()
        #expect(client.sentJoin?.resume?.position == call.state.position)
        #expect(client.sentJoin?.audioMuted == true)
        client.receive(ScriptedCall.welcome, call.joined(.observer, follows: .nothing))
        #expect(client.commands.map(\.op) == [1])
        #expect(client.result(of: token) == nil)
    }

    // MARK: Leaving

    @Test mutating func `R-103 leave is sent, answered, and ends it`() {
        let waiting = client.command(Setting(.title("t")))
        client.leave()
        #expect(client.sent.last == .leave(.left))
        #expect(client.closeReason == nil)
        client.receive(call.ack(1), .closed(Refusal(code: .left, text: "", advice: .never)))
        #expect(client.success(of: waiting) != nil)
        guard case .left = client.closeReason else {
            Issue.record("not left")
            return
        }
        #expect(client.isDisconnected)
        #expect(client.core.nextDeadline == nil)
    }

    @Test mutating func `R-103 a leave that is not answered ends after its time`() {
        client.leave()
        client.leave()
        #expect(client.sent.count { if case .leave = $0 { true } else { false } } == 1)
        #expect(client.core.nextDeadline == client.now + 2_000)
        client.passTime()
        #expect(client.closeReason != nil && client.isDisconnected)
    }

    @Test mutating func `a link that breaks while leaving ends it`() {
        client.leave()
        client.lose()
        #expect(client.closeReason != nil && client.closeReason?.error == nil)
    }

    @Test mutating func `leaving without a connection ends it at once`() {
        client.lose()
        client.leave()
        #expect(client.closeReason != nil)
        var early = CoreHarness()
        early.leave()
        #expect(early.closeReason != nil)
        var connecting = CoreHarness()
        connecting.start()
        connecting.leave()
        #expect(connecting.closeReason != nil && connecting.isDisconnected)
    }

    @Test func `R-12 a leave during the join waits until the relay has accepted`() {
        let call = ScriptedCall()
        var client = CoreHarness()
        client.start()
        client.connect()
        client.leave()
        #expect(client.sent.count == 2)
        client.receive([ScriptedCall.welcome, call.joined()] + call.snapshot())
        #expect(client.sent.last == .leave(.left))
        #expect(!client.isCompleted)
        client.receive(.closed(Refusal(code: .left, text: "")))
        #expect(client.closeReason != nil)
    }

    @Test mutating func `a link can be cut on purpose`() {
        client.core.cut(at: client.now, into: &client.effects)
        #expect(client.isDisconnected && client.closeReason == nil)
        client.core.cut(at: client.now, into: &client.effects)
        #expect(client.core.nextDeadline != nil)
    }

    @Test mutating func `every input is legal at any time`() {
        // In no phase is an input a trap; the phases are those that a life goes through.
        var phases: [CoreHarness] = [CoreHarness()]
        var life = CoreHarness()
        life.start()
        phases.append(life)
        life.connect()
        phases.append(life)
        life.receive(ScriptedCall.welcome, call.joined())
        phases.append(life)
        life.receive(call.snapshot())
        phases.append(life)
        var leaving = life
        leaving.leave()
        phases.append(leaving)
        life.lose()
        phases.append(life)
        life.leave()
        phases.append(life)
        for phase in phases {
            for input in 0..<10 {
                var client = phase
                switch input {
                case 0: client.start()
                case 1: client.connect()
                case 2: client.receive(ScriptedCall.welcome, call.joined(), call.ping(), call.ack(1))
                case 3: client.receive(call.snapshot())
                case 4: client.lose()
                case 5: _ = client.command(Setting(.title("t")))
                case 6: client.leave()
                case 7: client.speaking(true)
                case 8: client.resync()
                default:
                    client.tick(at: client.now + 100_000)
                    client.receive(bytes: [])
                }
                #expect(client.core.now >= phase.core.now)
            }
        }
    }

    @Test mutating func `a traced client shows each frame with the copies around it`() {
        var client = CoreHarness { $0.isTraced = true }
        client.join(call)
        let before = call.state
        client.receive(.delta(call.commit { $0.setTitle("t") }))
        guard case .trace(let trace) = client.effects.first, case .delta = trace.frame else {
            Issue.record("no trace before the change")
            return
        }
        #expect(trace.before.digest == before.digest)
        #expect(trace.after.digest == call.state.digest)
    }
}
