import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("Commands")
struct CommandTests {
    @Test("R-37 R-69: a command is one commit, or nothing at all")
    func atomic() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        let before = world.state(ana)
        let refused = world.set(
            ana,
            Setting(.handRaised(true)),
            Setting(.title("x")),
            Setting(target: Target(uid: "ben"), .removed(true)),
            Setting(target: Target(uid: "nobody"), .audioMuted(true))
        )
        #expect(refused?.code == .noSuchTarget)
        #expect(refused?.text == "nobody is not in this call")
        #expect(refused?.position == before.position)
        #expect(world.state(ana).digest == before.digest)
        #expect(world.closed(ben) == nil)
        let guest1 = world.join("ben", "phone")
        #expect(world.joined(guest1).outcome == .new)
        let seq = world.state(ana).position.seq
        let done = world.set(ana, Setting(.handRaised(true)), Setting(.title("x")), Setting(.recording(true)))
        #expect(done?.code == .ok)
        #expect(done?.position.seq == seq + 1)
        #expect(world.state(ben).call.title == "x")
        #expect(world.state(ben).call.recording?.byUID == "ana")
        world.expectEqual([ana, ben])
    }

    @Test("R-69 R-76 R-80: a value beyond its limit refuses the whole command and names itself; the connection stays")
    func limits() throws {
        var world = World()
        let ana = world.join("ana")
        let before = world.state(ana)
        let long = ByteString(String(repeating: "n", count: 257))
        let command = Command(op: 1, settings: [Setting(.handRaised(true)), Setting(.name(long))])
        var bytes: [UInt8] = []
        ClientFrame.command(command).encode(into: &bytes)
        let message = Array(bytes.dropFirst(4))
        let frame = try ClientFrame.decode(message.span)
        world.send(ana, frame)
        world.turn()
        let ack = world.replica(ana).acks.last
        #expect(ack?.op == 1)
        #expect(ack?.code == .invalid)
        #expect(ack?.text.contains("Setting.name") == true)
        #expect(ack?.text.contains("257") == true)
        #expect(world.closed(ana) == nil)
        #expect(world.state(ana).digest == before.digest)
        #expect(world.set(ana, Setting(.handRaised(true)))?.code == .ok)
    }

    @Test("R-37 R-70 R-73: what changes nothing makes no commit and is acknowledged")
    func noop() {
        var world = World()
        let ana = world.join("ana")
        world.set(ana, Setting(.handRaised(true)))
        let before = world.replica(ana)
        let ack = world.set(ana, Setting(.handRaised(true)), Setting(.audioMuted(false)))
        #expect(ack?.code == .ok)
        #expect(ack?.position == before.position)
        #expect(world.replica(ana).deltas.count == before.deltas.count)
    }

    @Test("R-70: acknowledgements come in order, after the frame that takes the receiver to their position")
    func acksInOrder() {
        var world = World()
        let ana = world.join("ana")
        _ = world.join("ben")
        for op in 1...10 as ClosedRange<UInt64> {
            let raised = op % 2 == 1
            world.send(ana, .command(Command(op: op, settings: [Setting(.handRaised(raised))])))
        }
        world.turn()
        #expect(world.replica(ana).acks.map(\.op) == Array(1...10))
        world.expectHealthy()
    }

    @Test("R-72: a repeated command is answered as before and not done again")
    func repeated() {
        var world = World()
        let ana = world.join("ana")
        let first = world.set(ana, op: 5, Setting(.handRaised(true)))
        let refused = world.set(ana, op: 7, Setting(target: Target(uid: "x"), .audioMuted(true)))
        world.set(ana, op: 8, Setting(.handRaised(false)))
        let seq = world.state(ana).position.seq
        #expect(world.set(ana, op: 5, Setting(.handRaised(true))) == first)
        #expect(world.set(ana, op: 7, Setting(target: Target(uid: "x"), .audioMuted(true))) == refused)
        #expect(world.person("ana", as: ana)?.hand == nil)
        #expect(world.state(ana).position.seq == seq)
        // A gap that was never used is not known.
        #expect(world.set(ana, op: 6, Setting(.handRaised(true)))?.code == .tooOld)
    }

    @Test("R-71 R-72: the results of the last 64 commands are known, older ones are too old")
    func window() {
        var world = World()
        let ana = world.join("ana")
        for op in 1...65 as ClosedRange<UInt64> { world.set(ana, op: op, Setting(.handRaised(op % 2 == 1))) }
        let old = world.set(ana, op: 1, Setting(.handRaised(true)))
        #expect(old?.code == .tooOld)
        #expect(old?.text.contains("operation 1 is not above 65") == true)
        #expect(world.set(ana, op: 2, Setting(.handRaised(false)))?.code == .ok)
        #expect(world.set(ana, op: 65, Setting(.handRaised(true)))?.code == .ok)
    }

    @Test("R-68 R-72: after a resume the window goes on; after a fresh join it begins anew")
    func windowAcrossJoins() {
        var world = World()
        let ana = world.join("ana", instance: "instance-a")
        let first = world.set(ana, op: 3, Setting(.handRaised(true)))
        let resume = world.replica(ana).resume()
        world.cut(ana)
        let back = world.join("ana", instance: "instance-a") {
            $0.attempt = 2
            $0.resume = resume
        }
        #expect(world.joined(back).lastOp == 3)
        #expect(world.set(back, op: 3, Setting(.handRaised(true))) == first)
        let fresh = world.join("ana", instance: "instance-b")
        #expect(world.joined(fresh).lastOp == 0)
        #expect(world.set(fresh, op: 1, Setting(.handRaised(false)))?.code == .ok)
    }

    @Test("R-68: an operation id is 1 to 2^53 - 1; what is refused is not remembered", arguments: [0, 1 << 53, .max])
    func oddOp(op: UInt64) {
        var world = World(.keeping(.sync))
        let ana = world.join("ana", instance: "instance-a")
        #expect(world.set(ana, op: op, Setting(.handRaised(true)))?.code == .invalid)
        #expect(world.person("ana", as: ana)?.hand == nil)
        // The highest one is taken, and what is kept of it can be read again.
        #expect(world.set(ana, op: (1 << 53) - 1, Setting(.handRaised(true)))?.code == .ok)
        world.advance(100)
        world.crash()
        let again = world.comeBack(ana, as: "ana", attempt: 2, instance: "instance-a") { _ in }
        #expect(world.joined(again).outcome == .resumed)
        #expect(world.joined(again).lastOp == (1 << 53) - 1)
        #expect(world.person("ana", as: again)?.hand != nil)
    }

    @Test("R-74: no setting, too many, an empty or unknown one")
    func unknownSettings() {
        var world = World()
        let ana = world.join("ana")
        #expect(world.set(ana)?.code == .invalid)
        #expect(world.set(ana, Setting(.handRaised(true)), Setting(nil))?.code == .unsupportedSetting)
        #expect(world.person("ana", as: ana)?.hand == nil)
        let many = Command(op: 9, settings: Array(repeating: Setting(.handRaised(true)), count: 65))
        world.send(ana, .command(many))
        world.turn()
        #expect(world.replica(ana).acks.last?.code == .invalid)
        #expect(world.replica(ana).acks.last?.text == "the command has 65 settings, at most 64 are allowed")
    }

    @Test("R-61: one commit names its actor and op; the changed device itself is not named; merged ones name neither")
    func actorAndOp() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.set(ana, op: 4, Setting(.audioMuted(true)))
        #expect(world.replica(ben).deltas.last?.actor == nil)
        #expect(world.replica(ben).deltas.last?.op == 4)
        world.set(ana, op: 5, Setting(target: Target(uid: "ben"), .audioMuted(true)))
        #expect(world.replica(ben).deltas.last?.actor == world.joined(ana).device)
        #expect(world.replica(ben).deltas.last?.fromSeq == nil)
        world.cut(ana)
        #expect(world.replica(ben).deltas.last?.actor == 0)
        let chloe = world.join("chloe")
        #expect(world.replica(ben).deltas.last?.actor == world.joined(chloe).device)
        for op in 10...11 as ClosedRange<UInt64> {
            world.send(ben, .command(Command(op: op, settings: [Setting(.handRaised(op == 10))])))
        }
        world.turn()
        let merged = world.replica(chloe).deltas.last
        #expect(merged?.actor == nil)
        #expect(merged?.op == 0)
        #expect(merged?.fromSeq != nil)
        world.expectEqual([ben, chloe])
    }
}
