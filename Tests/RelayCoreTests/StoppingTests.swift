import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("The planned stop")
struct StoppingTests {
    @Test("R-105: everybody gets the last frames and is told when to come back; nobody leaves or reconnects")
    func stops() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        let greeted = world.greet()
        let opened = world.open()
        world.turn()
        world.send(ana, .command(Command(op: 1, settings: [Setting(.handRaised(true))])))
        world.apply(.stopping(resumeAfter: 1_000))
        world.apply(.stopping(resumeAfter: 9_000))
        world.turn()
        for client in [ana, ben, greeted, opened] {
            #expect(world.closed(client) == .goingAway)
            #expect(world.replica(client).closed?.advice == .after)
            #expect((1_000...1_500).contains(world.replica(client).closed?.after ?? 0))
            #expect(world.links[client].isClosed)
        }
        #expect(world.person("ana", as: ben)?.hand != nil)
        #expect(world.replica(ana).acks.count == 1)
        #expect(world.device("ana", as: ben)?.link == .active)
        #expect(world.hasStopped)
        world.expectEqual([ana, ben])
    }

    @Test("R-105: who comes while the relay stops is told to come back; who does not read is cut")
    func latecomers() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        let chloe = world.join("chloe")
        world.links[ana].capacity = 0
        world.cut(chloe)
        world.set(ben, Setting(.handRaised(true)))
        let waiting = world.greet()
        world.nextEpoch = nil
        world.send(waiting, .join(Join(session: "other", uid: "u", device: "d")))
        world.apply(.stopping(resumeAfter: 0))
        let late = world.open()
        world.turn()
        #expect(world.closed(late) == .goingAway)
        #expect(world.closed(waiting) == .goingAway)
        world.apply(.store(.claimed(session: "other", .init(epoch: 3))))
        world.turn()
        #expect(world.hasStopped == false)
        #expect(world.links[ana].isClosed == false)
        world.advance(2_000)
        #expect(world.links[ana].isClosed)
        #expect(world.hasStopped)
        // The grace of chloe does not end while the relay stops.
        world.advance(60_000)
        #expect(world.log.contains { if case .left = $0 { true } else { false } } == false)
        #expect(world.effects.filter { $0 == .stopped(unkept: 0) }.count == 1)
    }

    @Test(
        "R-105: an absence beyond any measure is told as a day, and half of that more at most",
        arguments: [.max, 1 << 63]
    )
    func endlessAbsence(resumeAfter: UInt64) {
        var world = World()
        let ana = world.join("ana")
        world.apply(.stopping(resumeAfter: resumeAfter))
        world.turn()
        #expect((86_400_000...129_600_000).contains(world.replica(ana).closed?.after ?? 0))
    }

    @Test("R-105: a slow reader whose Ping is due when the relay stops gets none after Closed")
    func noPingAfterClosed() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.links[ana].capacity = 0
        world.set(ben, Setting(.handRaised(true)))
        world.advance(10_000)
        world.apply(.stopping(resumeAfter: 0))
        world.turn()
        world.links[ana].capacity = nil
        world.drain(ana)
        world.turn()
        #expect(world.closed(ana) == .goingAway)
        world.expectHealthy()
    }

    @Test("R-13 R-105: a turn that takes longer than the time to close cuts nobody before they were told")
    func slowTurn() {
        var configuration = RelayConfiguration()
        configuration.closeTimeout = 50
        var world = World(configuration)
        let ana = world.join("ana")
        let ben = world.join("ben")
        let late = world.greet()
        world.turn()
        world.send(late, .join(Join(session: "standup", uid: "", device: "d")))
        world.now.monotonic += 60
        world.turn()
        #expect(world.closed(late) == .badRequest)
        world.links[ben].capacity = 0
        world.set(ana, Setting(.handRaised(true)))
        world.apply(.stopping(resumeAfter: 0))
        world.now.monotonic += 60
        world.turn()
        #expect(world.closed(ana) == .goingAway)
        #expect(world.hasStopped == false)
        // Who does not take it has the usual time from then on.
        world.advance(49)
        #expect(world.links[ben].isClosed == false)
        world.advance(1)
        #expect(world.links[ben].isClosed)
        #expect(world.hasStopped)
    }

    @Test("A Join that comes while the relay stops is told to come back")
    func joinWhileStopping() {
        var world = World()
        world.apply(.stopping(resumeAfter: 100))
        world.turn()
        #expect(world.hasStopped)
        let late = world.open()
        world.turn()
        #expect(world.closed(late) == .goingAway)
        #expect(world.links[late].isClosed)
    }
}
