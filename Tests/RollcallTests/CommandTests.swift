import CallState
import RollcallProtocol
import Testing

@testable import Rollcall

/// Commands: their numbers, their answers, and what is shown meanwhile.
struct CommandTests {
    var call = ScriptedCall()
    var client = CoreHarness()

    init() {
        client.join(call)
    }

    private static let mute = Setting(.audioMuted(true))
    private static let unmute = Setting(.audioMuted(false))

    private mutating func setAudio(muted: Bool) -> Delta {
        let laptop = call.laptop
        return call.commit { $0.setAudioMuted(muted, of: laptop) }
    }

    @Test mutating func `R-68 operation ids rise from one`() {
        for index in 1...5 { _ = client.command(Setting(.title(ByteString("t\(index)")))) }
        #expect(client.commands.map(\.op) == [1, 2, 3, 4, 5])
    }

    @Test mutating func `R-70 a command is done when its ack has come and the copy is there`() {
        let token = client.command(Self.unmute)
        #expect(client.result(of: token) == nil)
        client.receive(.delta(setAudio(muted: false)))
        #expect(client.result(of: token) == nil)
        client.receive(call.ack(1))
        #expect(client.success(of: token) == call.state.position)
        #expect(client.core.overlay == Overlay())
    }

    @Test mutating func `R-70 an ack above the copy waits for the copy`() {
        let token = client.command(Self.unmute)
        client.resync()
        let delta = setAudio(muted: false)
        client.receive(.delta(delta), call.ack(1))
        #expect(client.result(of: token) == nil)
        #expect(client.core.snapshot.me?.audio == .on)
        client.receive(call.snapshot(.requested))
        #expect(client.success(of: token) == call.state.position)
        #expect(client.core.snapshot.me?.audio == .on)
    }

    @Test mutating func `R-70 a command that changes nothing is done too`() {
        let token = client.command(Self.mute)
        client.receive(call.ack(1))
        #expect(client.success(of: token) == call.state.position)
    }

    @Test mutating func `R-71 at most 64 are on their way, the others follow one by one`() {
        let tokens = (0..<70).map { client.command(Setting(target: .person("p\($0)"), .audioMuted(true))) }
        #expect(client.commands.count == 64)
        client.receive(call.ack(1))
        #expect(client.commands.count == 65)
        for op in 2...70 { client.receive(call.ack(UInt64(op))) }
        #expect(client.commands.count == 70)
        #expect(tokens.allSatisfy { client.success(of: $0) != nil })
    }

    @Test func `R-71 a relay may allow fewer`() {
        let call = ScriptedCall()
        var client = CoreHarness()
        client.start()
        client.connect()
        var welcome = Welcome()
        welcome.limits.unacknowledged = 2
        client.receive([.welcome(welcome), call.joined()] + call.snapshot())
        for index in 0..<5 { _ = client.command(Setting(.title(ByteString("\(index)")))) }
        #expect(client.commands.count == 2)
    }

    @Test mutating func `R-76 a refusal rolls the shown value back, with the relay's words`() {
        let token = client.command(Self.unmute)
        #expect(client.core.snapshot.me?.audio == .on)
        #expect(client.isChanged)
        client.forget()
        client.receive(.ack(Ack(op: 1, code: .heldDown, position: call.state.position, text: "locked", after: 7)))
        #expect(client.core.snapshot.me?.audio == .muted)
        #expect(client.isChanged)
        let error = client.failure(of: token)
        #expect(error?.code == .heldDown && error?.message == "locked")
        #expect(error?.retryAfter == .milliseconds(7))
    }

    @Test mutating func `optimism covers the own device and person and nothing else`() {
        _ = client.command(Setting(.videoPaused(false)))
        _ = client.command(Setting(.presenting(true)))
        _ = client.command(Setting(.handRaised(true)))
        _ = client.command(Setting(.name("Anna")))
        _ = client.command(Setting(.avatar("a.png")))
        _ = client.command(Setting(.attribute(Attribute(key: "k", value: [1]))))
        _ = client.command(Setting(target: .person("ben"), .audioMuted(true)))
        _ = client.command(Setting(target: .everyone, .videoPaused(true)))
        _ = client.command(Setting(target: .device("ana", "laptop"), .audioMuted(false)))
        _ = client.command(Setting(target: .device("ana", "other"), .videoPaused(true)))
        _ = client.command(Setting(.title("not shown before it is so")))
        let me = client.core.snapshot.me
        #expect(me?.audio == .on && me?.video == .on && me?.isPresenting == true && me?.hand == 1)
        #expect(me?.name == "Anna" && me?.avatar == "a.png" && me?.attribute("k") == [1])
        #expect(client.core.snapshot.title == "")
        #expect(client.core.confirmed.digest == call.state.digest)
        #expect(client.core.snapshot.person(uid: "ben")?.name == "Ben")
    }

    @Test mutating func `an own attribute can be removed optimistically`() {
        let ana = call.ana
        client.receive(.delta(call.commit { $0.setAttribute("k", of: ana, to: [1]) }))
        #expect(client.core.snapshot.me?.attribute("k") == [1])
        _ = client.command(Setting(.attribute(Attribute(key: "k", value: nil))))
        #expect(client.core.snapshot.me?.attribute("k") == nil)
    }

    @Test mutating func `what is not legal is refused without being sent`() {
        let long = ByteString(String(repeating: "x", count: 300))
        let bad = [
            client.command(), client.command(Setting(.name(long))),
            client.command(Setting(.attribute(Attribute(key: "", value: [])))),
        ]
        for token in bad { #expect(client.failure(of: token)?.code == .invalidArgument) }
        #expect(client.commands.isEmpty)
        var settings: [Setting] = []
        for index in 0..<65 { settings.append(Setting(target: .person("p\(index)"), .audioMuted(true))) }
        client.core.command(settings, token: CommandToken(99), at: client.now, into: &client.effects)
        #expect(client.failure(of: CommandToken(99))?.code == .invalidArgument)
    }

    @Test func `a command longer than the relay takes is refused without being sent`() {
        let call = ScriptedCall()
        var client = CoreHarness()
        client.start()
        client.connect()
        var welcome = Welcome()
        welcome.limits.frame = 40
        client.receive([.welcome(welcome), call.joined()] + call.snapshot())
        let token = client.command(Setting(.title("a title that has far more than forty bytes of text")))
        #expect(client.failure(of: token)?.code == .invalidArgument)
        #expect(client.commands.isEmpty)
    }

    // MARK: Without a connection

    @Test mutating func `R-73 commands that were not sent merge, the last value per field wins`() {
        client.lose()
        client.forget()
        let tokens = [
            client.command(Self.unmute), client.command(Setting(.name("A"))), client.command(Self.mute),
            client.command(Setting(.name("B"))), client.command(Self.unmute),
        ]
        #expect(client.core.snapshot.me?.audio == .on && client.core.snapshot.me?.name == "B")
        client.reconnect()
        client.receive(ScriptedCall.welcome, call.joined(.resumed, follows: .nothing))
        #expect(
            client.commands == [
                Command(op: 1, settings: [Setting(.name("B"))]), Command(op: 2, settings: [Self.unmute]),
            ]
        )
        client.receive(call.ack(1), call.ack(2))
        #expect(tokens.allSatisfy { client.success(of: $0) != nil })
    }

    @Test mutating func `of a command that waits, only what is overwritten falls away`() {
        client.lose()
        _ = client.command(Self.unmute, Setting(.name("A")))
        _ = client.command(Self.mute)
        client.reconnect()
        client.receive(ScriptedCall.welcome, call.joined(.resumed, follows: .nothing))
        #expect(client.commands.map(\.settings) == [[Setting(.name("A"))], [Self.mute]])
    }

    @Test mutating func `settings about different people, keys and comings do not merge`() {
        client.lose()
        _ = client.command(Setting(target: .person("ben"), .audioMuted(true)))
        _ = client.command(Setting(target: .person("chloe"), .audioMuted(true)))
        _ = client.command(Setting(.attribute(Attribute(key: "a", value: [1]))))
        _ = client.command(Setting(.attribute(Attribute(key: "b", value: [1]))))
        _ = client.command(Setting(target: .device("x", "y"), .bringIn(BringIn())))
        _ = client.command(Setting(target: .device("x", "y"), .takeOut(.left)))
        _ = client.command(Setting(target: .device("x", "y"), .bringIn(BringIn())))
        client.reconnect()
        client.receive(ScriptedCall.welcome, call.joined(.resumed, follows: .nothing))
        #expect(client.commands.count == 7)
    }

    @Test mutating func `R-72 what was sent goes out again unchanged, before what was not`() {
        _ = client.command(Self.unmute)
        _ = client.command(Setting(.title("t")))
        let before = client.commands
        client.lose()
        _ = client.command(Self.mute)
        client.reconnect()
        client.receive(ScriptedCall.welcome, call.joined(.resumed, follows: .nothing, lastOp: 1))
        #expect(Array(client.commands.prefix(2)) == before)
        #expect(client.commands.count == 3 && client.commands[2].op == 3)
        #expect(client.core.snapshot.me?.audio == .muted)
    }

    @Test mutating func `the connection is live again when what waited is answered`() {
        client.lose()
        _ = client.command(Self.unmute)
        client.forget()
        client.reconnect()
        client.receive(ScriptedCall.welcome, call.joined(.resumed, follows: .nothing))
        #expect(client.connections.isEmpty)
        #expect(!client.isLive)
        client.receive(call.ack(1))
        #expect(client.connections.contains { $0.isLive })
        #expect(client.isLive)
    }

    @Test mutating func `R-31 expired: device facts went along with the join, the rest has failed`() {
        let ana = call.ana
        let sent = client.command(Setting(.handRaised(true)))
        client.lose()
        let fact = client.command(Self.unmute)
        let refused = client.command(Setting(.videoPaused(false)))
        let title = client.command(Setting(.title("t")))
        client.reconnect()
        #expect(client.sentJoin?.audioMuted == false && client.sentJoin?.videoPaused == false)
        // The grace has run out; the relay has made a fresh join, and a lock of cameras stands.
        call.incarnation = 2
        call.secret = Array(repeating: 9, count: 16)
        let laptop = call.laptop
        _ = call.commit {
            $0.setVideoLocked(true, of: ana)
            $0.setAudioMuted(false, of: laptop)
        }
        client.receive([ScriptedCall.welcome, call.joined(.expired)] + call.snapshot())
        #expect(client.failure(of: sent)?.code == .expired)
        #expect(client.failure(of: title)?.code == .expired)
        #expect(client.success(of: fact) == call.state.position)
        #expect(client.failure(of: refused)?.code == .heldDown)
        #expect(client.commands.isEmpty)
        #expect(client.core.commands.count == 0)
        #expect(client.isLive)
    }

    @Test mutating func `a restated fact fails when the device is not there`() {
        client.lose()
        let fact = client.command(Self.unmute)
        client.reconnect()
        let laptop = call.laptop
        var joined = Joined()
        joined.outcome = .expired
        joined.follows = .snapshot
        joined.person = 90
        joined.device = 91
        _ = laptop
        joined.position = call.state.position
        client.receive([ScriptedCall.welcome, .joined(joined)] + call.snapshot())
        #expect(client.failure(of: fact)?.code == .heldDown)
    }

    // MARK: The end of waiting

    @Test mutating func `a cancelled command that was not sent does not happen`() {
        client.lose()
        let token = client.command(Self.unmute)
        client.cancel(token)
        #expect(client.core.snapshot.me?.audio == .muted)
        client.reconnect()
        client.receive(ScriptedCall.welcome, call.joined(.resumed, follows: .nothing))
        #expect(client.commands.isEmpty)
    }

    @Test mutating func `a cancelled command that was sent may still happen`() {
        let token = client.command(Self.unmute)
        client.cancel(token)
        #expect(client.core.snapshot.me?.audio == .on)
        client.receive(.delta(setAudio(muted: false)), call.ack(1))
        #expect(client.result(of: token) == nil)
        #expect(client.core.commands.count == 0)
    }

    @Test mutating func `an ack of nothing that is on its way is ignored`() {
        client.receive(call.ack(50), .ack(Ack(op: 51, code: .denied, position: .zero)))
        #expect(client.isLive)
        #expect(client.effects.isEmpty)
    }

    @Test mutating func `a command after the end fails at once`() {
        client.leave()
        let leaving = client.command(Self.unmute)
        #expect(client.failure(of: leaving)?.code == .callEnded)
        client.receive(.closed(Refusal(code: .left, text: "")))
        let closed = client.command(Self.unmute)
        #expect(client.failure(of: closed)?.code == .callEnded)
    }

    // MARK: Speaking

    @Test mutating func `R-95 speaking goes out at once and unnumbered`() {
        client.speaking(true)
        client.speaking(false)
        let reports = client.sent.compactMap { if case .speaking(let report) = $0 { report.on } else { nil } }
        #expect(reports == [true, false])
        #expect(client.core.commands.count == 0)
    }

    @Test mutating func `R-95 who still speaks says so again after a lost link`() {
        client.speaking(true)
        client.lose()
        client.speaking(true, target: .person("ben"))
        client.reconnect()
        client.receive(ScriptedCall.welcome, call.joined(.resumed, follows: .nothing))
        let reports = client.sent.compactMap { if case .speaking(let report) = $0 { report } else { nil } }
        #expect(reports == [Speaking(on: true)])
    }
}
