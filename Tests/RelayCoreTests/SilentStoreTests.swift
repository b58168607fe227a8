import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

extension World {
    /// How often the log was told that the store can't, and that it can again.
    var outages: (begun: Int, ended: Int) {
        (
            log.count { if case .storeUnavailable = $0 { true } else { false } },
            log.count { if case .storeRecovered = $0 { true } else { false } }
        )
    }
}

@Suite("A store that does not answer")
struct SilentStoreTests {
    /// A call with ana and ben whose store has not answered since ana raised her hand.
    private func silence(
        _ durability: RelayConfiguration.Durability,
        _ change: (inout RelayConfiguration) -> Void = { _ in }
    ) -> (world: World, ana: Int, ben: Int) {
        var configuration = RelayConfiguration.keeping(durability)
        change(&configuration)
        var world = World(configuration)
        let ana = world.join("ana", instance: "instance-a")
        let ben = world.join("ben", instance: "instance-b")
        world.advance(100)
        world.answersAtOnce = false
        world.set(ana, op: 1, Setting(.handRaised(true)))
        world.advance(configuration.keepDelay)
        return (world, ana, ben)
    }

    @Test(
        "R-129: after 5 s without an answer it is one that can't; a late answer ends that",
        arguments: StoreErrorTests.both
    )
    func late(durability: RelayConfiguration.Durability) {
        var (world, ana, ben) = silence(durability)
        let slack = durability == .sync ? world.configuration.keepDelay : 0
        world.advance(4_999 - slack)
        #expect(world.outages == (0, 0))
        world.advance(1)
        #expect(world.log.contains(.storeUnavailable(session: "standup", reason: "no answer for 5000 ms")))
        #expect(world.set(ben, op: 1, Setting(.title("t")))?.code == .store)
        let chloe = world.join("chloe")
        #expect(world.closed(chloe) == .store)
        let looker = world.observe()
        #expect(world.joined(looker).outcome == .observer)
        // Nothing is tried beside what it has not answered to, and nothing grows.
        world.advance(60_000)
        #expect(world.store.requests.count == 1)
        #expect(world.outages == (1, 0))
        world.answersAtOnce = true
        world.answer()
        world.turn()
        #expect(world.outages == (1, 1))
        #expect(world.replica(ana).acks.map(\.code) == [.ok])
        #expect(world.set(ben, op: 2, Setting(.title("t")))?.code == .ok)
        world.advance(25)
        world.expectEqual([ana, ben])
        #expect(world.store.calls["standup"]?.header.position == world.state(ana).position)
    }

    @Test("R-129: a late answer that it can't is tried again as any other", arguments: StoreErrorTests.both)
    func lateFailure(durability: RelayConfiguration.Durability) {
        var (world, ana, ben) = silence(durability)
        world.advance(10_000)
        world.store.failure = "the disk is broken"
        world.answersAtOnce = true
        world.answer()
        world.turn()
        #expect(world.set(ben, op: 1, Setting(.title("t")))?.code == .store)
        world.store.failure = nil
        world.advance(500)
        #expect(world.outages == (1, 1))
        #expect(world.replica(ana).acks.map(\.code) == [.ok])
        world.expectEqual([ana, ben])
    }

    @Test("R-129: each batch has its time: a store that is only slow is none that can't")
    func slow() {
        var (world, ana, _) = silence(.sync)
        for op in 2...10 as ClosedRange<UInt64> {
            world.set(ana, op: op, Setting(.handRaised(op % 2 == 1)))
            world.advance(4_000)
            world.answer(1)
            world.turn()
        }
        #expect(world.outages == (0, 0))
        world.expectHealthy()
    }

    @Test("R-129: time in which the relay itself did not run does not count")
    func standstill() {
        var (world, ana, ben) = silence(.sync)
        world.now.monotonic += 20_000
        world.now.wall += 20_000
        // The timer comes before what has come meanwhile.
        world.turn()
        world.answersAtOnce = true
        world.answer()
        world.turn()
        #expect(world.outages == (0, 0))
        world.expectEqual([ana, ben])
    }

    @Test("R-129: who asks for a call that the store has not given for 5 s is refused at once")
    func claim() {
        var world = World(.keeping(.async))
        world.answersAtOnce = false
        let ana = world.join("ana")
        world.advance(5_000)
        #expect(world.closed(ana) == .store)
        #expect(world.outages == (1, 0))
        let ben = world.join("ben")
        #expect(world.closed(ben) == .store)
        let peeker = world.greet()
        world.send(peeker, .peek(session: "standup", request: 7))
        world.turn()
        let isRefused = world.replica(peeker).frames.contains {
            if case .error(let refusal, 7) = $0 { refusal.code == .store } else { false }
        }
        #expect(isRefused)
        world.answersAtOnce = true
        world.answer()
        world.turn()
        #expect(world.outages == (1, 1))
        let chloe = world.join("chloe")
        #expect(world.joined(chloe).outcome == .new)
    }

    @Test(
        "R-129: what gathers for call logs is bounded: then nothing is changed until it is kept",
        arguments: StoreErrorTests.both
    )
    func backlog(durability: RelayConfiguration.Durability) {
        var (world, ana, ben) = silence(durability) { $0.maximumBacklog = 4_000 }
        var done = 0
        for op in 2...60 as ClosedRange<UInt64> {
            world.send(ana, .command(Command(op: op, settings: [Setting(.name(ByteString("name \(op)")))])))
            world.turn()
            done += 1
            if world.outages.begun > 0 { break }
        }
        #expect((5...40).contains(done))
        #expect(world.core.calls.compactMap(\.self).allSatisfy { $0.keeping.attendance.count <= done + 2 })
        #expect(world.outages == (1, 0))
        #expect(world.set(ben, op: 1, Setting(.handRaised(true)))?.code == .store)
        world.answersAtOnce = true
        world.answer()
        world.advance(100)
        #expect(world.outages == (1, 1))
        #expect(world.set(ben, op: 2, Setting(.handRaised(true)))?.code == .ok)
        world.advance(100)
        world.expectEqual([ana, ben])
        #expect(
            world.store.attendance.last?.changes.last?.change
                == .profile(uid: "ana", name: ByteString("name \(done + 1)"), avatar: .empty)
        )
    }
}
