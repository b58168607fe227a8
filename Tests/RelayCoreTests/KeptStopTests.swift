import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("The planned stop of a relay with a store")
struct KeptStopTests {
    @Test("R-105: the relay has stopped when everything is kept, and says so in it", arguments: StoreErrorTests.both)
    func clean(durability: RelayConfiguration.Durability) {
        var world = World(.keeping(durability))
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.turn()
        world.answersAtOnce = false
        world.set(ana, op: 1, Setting(.handRaised(true)))
        world.apply(.stopping(resumeAfter: 100))
        world.turn()
        #expect(!world.hasStopped)
        for _ in 0..<4 {
            world.answer()
            world.turn()
        }
        #expect(world.hasStopped)
        for client in [ana, ben] { #expect(world.closed(client) == .goingAway) }
        #expect(world.replica(ana).acks.map(\.op) == [1])
        #expect(world.store.calls["standup"]?.header.isClean == true)
        #expect(world.store.calls["standup"]?.header.position == world.state(ben).position)
        world.expectEqual([ana, ben])
    }

    @Test(
        "R-105: a store that can't keep anything does not hold the stop for longer than a moment",
        arguments: StoreErrorTests.both
    )
    func unclean(durability: RelayConfiguration.Durability) {
        var world = World(.keeping(durability))
        let ana = world.join("ana")
        world.advance(100)
        world.store.failure = "full"
        world.set(ana, op: 1, Setting(.handRaised(true)))
        world.advance(100)
        world.apply(.stopping(resumeAfter: 100))
        world.turn()
        #expect(world.closed(ana) == .goingAway)
        #expect(!world.hasStopped)
        world.advance(2_000)
        #expect(world.hasStopped)
        #expect(world.store.calls["standup"]?.header.isClean == false)
        let head = world.core.calls.compactMap(\.self).first?.state.position ?? .zero
        #expect(world.log.contains(.notKept(calls: 1, session: "standup", kept: head.seq - 1, head: head)))
        #expect(world.effects.contains(.stopped(unkept: 1)))
        world.expectHealthy()
    }

    @Test("R-105 R-130: who waits at the end for a store that does not answer is told to come back, not cut")
    func silent() {
        var world = World(.keeping(.sync))
        let ana = world.join("ana")
        world.advance(100)
        world.answersAtOnce = false
        world.set(ana, op: 1, Setting(.handRaised(true)))
        world.apply(.stopping(resumeAfter: 100))
        world.turn()
        world.advance(world.configuration.closeTimeout / 2)
        #expect(world.closed(ana) == .goingAway)
        #expect(world.replica(ana).acks.isEmpty)
        world.advance(world.configuration.closeTimeout / 2)
        #expect(world.hasStopped)
        #expect(world.effects.contains(.stopped(unkept: 1)))
        world.expectHealthy()
    }

    @Test("R-70 R-130: nor is it told an answer without the change that it is about")
    func silentForSlowReader() {
        var world = World(.keeping(.sync))
        let ana = world.join("ana")
        world.advance(100)
        world.answersAtOnce = false
        // It has a copy: Joined is followed by a difference.
        let ben = world.greet()
        world.links[ben].replica = Replica(copy: world.state(ana))
        var join = Join(session: "standup", uid: "ben", device: "d")
        join.resume = Resume(secret: [1], position: world.state(ana).position, digest: world.state(ana).digest)
        world.send(ben, .join(join))
        world.send(ben, .command(Command(op: 1, settings: [Setting(.handRaised(true))])))
        world.turn()
        // Its answer waits for the next batch, and a snapshot behind it.
        world.send(ben, .command(Command(op: 2, settings: [Setting(.name("Ben"))])))
        world.send(ben, .resync(Resync(position: .zero, reason: .unspecified)))
        world.turn()
        world.links[ben].capacity = 0
        world.apply(.stopping(resumeAfter: 100))
        world.answer(1)
        world.turn()
        world.advance(world.configuration.closeTimeout / 2)
        world.links[ben].capacity = nil
        world.drain(ben)
        world.turn()
        #expect(world.closed(ben) == .goingAway)
        #expect(world.replica(ben).earlyAcks.isEmpty)
        #expect(world.closed(ana) == .goingAway)
        world.expectHealthy()
    }
}
