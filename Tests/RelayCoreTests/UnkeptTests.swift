import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("What waits when a store fails")
struct UnkeptTests {
    private func scene() -> (world: World, ana: Int, ben: Int) {
        var world = World(.keeping(.sync))
        let ana = world.join("ana", instance: "instance-a")
        let ben = world.join("ben", instance: "instance-b")
        world.advance(100)
        return (world, ana, ben)
    }

    private func notices(_ world: World, _ client: Int) -> [Code] {
        world.replica(client).frames.compactMap { if case .notice(let code, _) = $0 { code } else { nil } }
    }

    @Test(
        "R-130: a command that was done is neither refused nor forgotten: a Notice says so, and its Ack comes when it is kept"
    )
    func command() {
        var (world, ana, ben) = scene()
        world.store.failure = "full"
        world.set(ana, op: 1, Setting(.handRaised(true)))
        world.set(ana, op: 2, Setting(.title("t")))
        world.advance(4_000)
        #expect(notices(world, ana) == [.unkept])
        #expect(notices(world, ben).isEmpty)
        #expect(world.replica(ana).acks.map(\.op) == [])
        world.store.failure = nil
        world.advance(5_000)
        #expect(world.replica(ana).acks.map(\.code) == [.ok, .store])
        #expect(notices(world, ana) == [.unkept])
        world.expectEqual([ana, ben])
    }

    @Test("R-130: who has no answer to its Join when an outage begins is told to come back, and does")
    func join() {
        var (world, ana, ben) = scene()
        world.store.failure = "full"
        let chloe = world.join("chloe", instance: "instance-c")
        #expect(world.closed(chloe) == .store)
        #expect(world.replica(chloe).closed?.advice == .after)
        #expect(world.replica(chloe).joined == nil)
        #expect(world.person("chloe", as: ana) == nil)
        world.store.failure = nil
        world.advance(5_000)
        let back = world.join("chloe", instance: "instance-c") { $0.attempt = 2 }
        #expect(world.replica(back).closed == nil)
        #expect(world.device("chloe", as: ben)?.link == .active)
        world.expectEqual([ana, ben, back])
    }

    @Test("R-130: a Leave in an outage ends with Closed at once, which does not say that it is kept")
    func leave() {
        var (world, ana, ben) = scene()
        world.store.failure = "full"
        world.set(ben, op: 1, Setting(.handRaised(true)))
        world.send(ana, .leave(.left))
        world.turn()
        #expect(world.closed(ana) == .store)
        #expect(world.replica(ana).closed?.advice == .never)
        #expect(world.links[ana].isClosed)
        #expect(world.person("ana", as: ben) != nil)
        world.store.failure = nil
        world.advance(5_000)
        #expect(world.person("ana", as: ben) == nil)
        world.expectHealthy()
    }

    @Test(
        "R-130: a Leave that is on its way when the outage begins, and one that the disk holds up, end with Closed too",
        arguments: [true, false]
    )
    func leaveOnItsWay(fails: Bool) {
        var (world, ana, ben) = scene()
        world.answersAtOnce = false
        world.send(ana, .leave(.left))
        world.turn()
        #expect(world.replica(ana).closed == nil)
        if fails {
            world.store.failure = "full"
            world.answer()
            world.turn()
        } else {
            world.advance(world.configuration.closeTimeout / 2 - 1)
            #expect(world.replica(ana).closed == nil)
            world.advance(1)
        }
        #expect(world.closed(ana) == .store)
        #expect(world.replica(ana).closed?.advice == .never)
        #expect(world.links[ana].isClosed)
        world.store.failure = nil
        world.answersAtOnce = true
        world.answer()
        world.advance(5_000)
        #expect(world.person("ana", as: ben) == nil)
        world.expectHealthy()
    }

    @Test("R-130: a goodbye waits for the store as long as it may, whatever else of its connection is due meanwhile")
    func patience() {
        let timeout = World(.keeping(.sync)).configuration.closeTimeout
        let interval = World(.keeping(.sync)).configuration.pingInterval
        for early in stride(from: 0, through: interval, by: Int(timeout / 4)) {
            var (world, ana, ben) = scene()
            world.advance(early)
            world.answersAtOnce = false
            world.send(ana, .leave(.left))
            world.turn()
            world.advance(timeout / 2 - 1)
            #expect(world.replica(ana).closed == nil, "left \(early) ms later")
            world.answer()
            world.turn()
            #expect(world.closed(ana) == .left, "left \(early) ms later")
            #expect(world.person("ana", as: ben) == nil)
        }
    }

    @Test("R-130: an end that tells nothing of the call is told as it is")
    func fault() {
        var (world, ana, ben) = scene()
        world.store.failure = "full"
        world.set(ben, op: 1, Setting(.handRaised(true)))
        world.apply(
            .malformed(world.links[ana].id, WireError(code: .limit, field: "Command", offset: 3, detail: "bad"))
        )
        world.turn()
        #expect(world.closed(ana) == .badRequest)
        world.expectHealthy()
    }

    @Test("R-94 R-122: nobody is put out for being alone while nobody can come in")
    func idle() {
        var world = World(.keeping(.async))
        let ana = world.join("ana") { $0.idle = 10_000 }
        world.advance(1_000)
        world.store.failure = "full"
        world.set(ana, op: 1, Setting(.handRaised(true)))
        world.advance(60_000)
        #expect(world.replica(ana).closed == nil)
        world.store.failure = nil
        world.advance(30_000)
        #expect(world.closed(ana) == .idle)
    }

    @Test(
        "R-120 R-122: who only watches, whatever rights it has, comes and goes in an outage",
        arguments: StoreErrorTests.both
    )
    func watcher(durability: RelayConfiguration.Durability) {
        var world = World(.keeping(durability))
        let ana = world.join("ana")
        world.advance(100)
        let batches = world.store.batches.count
        let early = world.observe(trusted: true)
        world.send(early, .leave(.left))
        world.advance(100)
        #expect(world.closed(early) == .left)
        #expect(world.store.batches.count == batches)
        world.store.failure = "full"
        world.set(ana, op: 1, Setting(.handRaised(true)))
        world.advance(25)
        let watcher = world.observe(trusted: true)
        #expect(world.joined(watcher).outcome == .observer)
        #expect(world.joined(watcher).rights.contains(.actForOthers))
        #expect(world.state(watcher).digest == world.state(ana).digest)
        #expect(world.set(watcher, op: 1, Setting(.title("t")))?.code == .store)
        let second = world.observe(trusted: true)
        world.send(second, .leave(.left))
        world.turn()
        #expect(world.closed(second) == .left)
        world.store.failure = nil
        world.advance(5_000)
        #expect(world.set(watcher, op: 2, Setting(.title("t")))?.code == .ok)
        world.advance(100)
        world.expectEqual([ana, watcher])
    }
}
