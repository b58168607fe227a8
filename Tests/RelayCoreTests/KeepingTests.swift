import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

extension RelayConfiguration {
    /// The defaults, with a store.
    static func keeping(_ durability: Durability) -> RelayConfiguration {
        var configuration = RelayConfiguration()
        configuration.durability = durability
        return configuration
    }
}

@Suite("Giving the store what changes")
struct KeepingTests {
    @Test("R-117: without a store nothing is given to one")
    func none() {
        var world = World()
        let ana = world.join("ana")
        world.set(ana, Setting(.handRaised(true)))
        world.advance(1_000)
        #expect(!world.effects.contains { if case .append = $0 { true } else { false } })
    }

    @Test("R-117: async: what changes in one delay goes out as one batch, shown before it is kept")
    func gathered() {
        var world = World(.keeping(.async))
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.advance(100)
        let before = world.store.batches.count
        world.answersAtOnce = false
        for number in 0..<10 { world.set(ana, Setting(.title(ByteString("title \(number)")))) }
        #expect(world.state(ben).call.title == "title 9")
        #expect(world.store.requests.isEmpty)
        world.advance(25)
        #expect(world.store.requests.count == 1)
        // A second one waits for the first.
        world.set(ana, Setting(.title("later")))
        world.advance(500)
        #expect(world.store.requests.count == 1)
        world.answer()
        world.advance(25)
        world.answer()
        #expect(world.store.batches.count == before + 2)
        #expect(world.store.batches[before].records.map(\.slot) == [.call])
        #expect(world.store.batches[before].privates.map(\.key) == [UInt64(world.joined(ana).device)])
        #expect(world.store.calls["standup"]?.header.position == world.state(ben).position)
        world.expectEqual([ana, ben])
    }

    @Test("R-117: a batch has what changed since the last one that is kept, also when one between was not")
    func larger() {
        var world = World(.keeping(.async))
        let ana = world.join("ana")
        world.advance(100)
        let kept = world.state(ana).position.seq
        world.store.failure = "no space"
        world.set(ana, Setting(.handRaised(true)))
        world.advance(25)
        let ben = world.join("ben")
        #expect(world.closed(ben) == .store)
        world.store.failure = nil
        world.advance(10_000)
        let batch = world.store.batches.last
        #expect(batch?.from == kept)
        #expect(batch?.records.map(\.slot) == [world.joined(ana).person])
        #expect(batch?.privates.map(\.key) == [UInt64(world.joined(ana).device)])
    }

    @Test("What is kept is the call at every batch: records, private data, slots that are gone", arguments: 0..<12)
    func isTheCall(seed: UInt64) throws {
        var configuration = RelayConfiguration.keeping(seed % 2 == 0 ? .async : .sync)
        configuration.maximumTombstones = 6
        var world = World(configuration, seed: seed)
        let ana = world.join("ana", instance: "instance-a")
        let bot = world.observe(trusted: true, uid: "bot")
        for number in 0..<60 {
            let guest = world.join("guest \(number % 7)", instance: "instance-\(number % 3)")
            world.set(
                ana,
                Setting(
                    .callAttribute(Attribute(key: ByteString("k\(number % 5)"), value: number % 2 == 0 ? [1] : nil))
                )
            )
            world.set(
                bot,
                Setting(
                    target: Target(uid: ByteString("phone \(number % 4)"), device: "sip"),
                    number % 3 == 0 ? .takeOut(.left) : .bringIn(BringIn())
                )
            )
            if number % 5 == 0 { world.set(ana, Setting(target: Target(uid: "guest 3"), .removed(true))) }
            if number % 4 == 1 { world.send(guest, .leave(.left)) }
            if number % 6 == 1 { world.cut(guest) }
            world.advance(UInt64(number * 13 % 60))
            guard let kept = world.store.calls["standup"], let live = world.core.calls[0] else { continue }
            var restored = Call(id: live.id, session: "standup", configuration: configuration)
            try restored.restore(kept, at: world.now)
            guard !live.keeping.isPending else { continue }
            #expect(restored.state.position == live.state.position)
            #expect(restored.state.digest == live.state.digest)
            #expect(restored.state.nextSlot == live.state.nextSlot)
            #expect(restored.records.keys.sorted() == live.records.keys.sorted())
            for (slot, record) in live.records { #expect(restored.records[slot]?.kept == record.kept) }
            #expect(restored.actors.map(\.kept) == live.actors.map(\.kept))
            #expect(restored.removed == live.removed)
            #expect(restored.replaced.kept == live.replaced.kept)
            #expect(Set(kept.records.keys).isSubset(of: Set(live.state.slots + live.state.tombstoneSlots)))
        }
        world.expectHealthy()
    }

    @Test("A call that nobody needs any more is released when its end is kept")
    func release() {
        var world = World(.keeping(.sync))
        let ana = world.join("ana")
        world.answersAtOnce = false
        world.send(ana, .leave(.left))
        world.turn()
        #expect(world.releases.isEmpty)
        #expect(world.closed(ana) == nil)
        world.answer()
        world.turn()
        #expect(world.closed(ana) == .left)
        #expect(world.store.batches.last?.header.isOccupied == false)
        world.turn()
        world.answer()
        #expect(world.releases == ["standup"])
        #expect(world.store.calls.isEmpty)
        #expect(world.core.unkeptCalls == 0)
    }

    @Test("The batches of many who join at once are few", arguments: [RelayConfiguration.Durability.async, .sync])
    func storm(durability: RelayConfiguration.Durability) {
        var world = World(.keeping(durability))
        world.answersAtOnce = false
        let first = world.join("first")
        world.answer()
        world.turn()
        for number in 0..<200 {
            let client = world.greet()
            world.send(client, .join(Join(session: "standup", uid: ByteString("u\(number)"), device: "d")))
        }
        for _ in 0..<4 {
            world.advance(25)
            world.answer()
            world.turn()
        }
        #expect(world.store.batches.count <= 4)
        #expect(world.state(first).peopleCount == 201)
        world.expectHealthy()
    }
}

extension CallState {
    /// The slots of the tombstones that are held.
    fileprivate var tombstoneSlots: [Slot] { (2..<nextSlot).filter { removal(of: $0) != nil } }
}
