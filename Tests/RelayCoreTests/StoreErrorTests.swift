import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("A store that can't")
struct StoreErrorTests {
    static let both: [RelayConfiguration.Durability] = [.async, .sync]

    /// A call with ana and ben whose store can't keep anything since ana raised her hand.
    private func outage(_ durability: RelayConfiguration.Durability) -> (world: World, ana: Int, ben: Int) {
        var world = World(.keeping(durability))
        let ana = world.join("ana", instance: "instance-a")
        let ben = world.join("ben", instance: "instance-b")
        world.advance(100)
        world.store.failure = "the disk is full"
        world.set(ana, op: 1, Setting(.handRaised(true)))
        world.advance(25)
        return (world, ana, ben)
    }

    @Test("R-122: commands and joins are refused with 2003 and a time, reads go on", arguments: both)
    func refused(durability: RelayConfiguration.Durability) {
        var (world, ana, ben) = outage(durability)
        let answer = world.set(ben, Setting(.title("t")))
        #expect(answer?.code == .store)
        #expect((answer?.after ?? 0) > 0)
        let chloe = world.join("chloe")
        #expect(world.closed(chloe) == .store)
        #expect(world.replica(chloe).closed?.advice == .after)
        let bot = world.observe(trusted: true, uid: "bot")
        #expect(world.closed(bot) == .store)
        let looker = world.observe()
        #expect(world.joined(looker).outcome == .observer)
        let peeker = world.greet()
        world.send(peeker, .peek(session: "standup", request: 1))
        world.turn()
        #expect(world.state(peeker).peopleCount == 2)
        #expect((world.person("ana", as: ben)?.hand != nil) == (durability == .async))
        #expect(world.replica(ana).acks.isEmpty == (durability == .sync))
        #expect(world.state(looker).digest == world.state(ben).digest)
        world.expectHealthy()
    }

    @Test("R-122: it is tried again after 500 ms, then at doubling times up to 5 s, until it works", arguments: both)
    func recovery(durability: RelayConfiguration.Durability) {
        var (world, ana, ben) = outage(durability)
        var tries: [UInt64] = []
        let start = world.now.monotonic
        for _ in 0..<20_000 where tries.count < 6 {
            let before = world.effects.count
            world.advance(1)
            if world.effects[before...].contains(where: { if case .append = $0 { true } else { false } }) {
                tries.append(world.now.monotonic - start)
            }
        }
        let pauses = zip(tries.dropFirst(), tries).map { $0 - $1 }
        #expect(pauses == [1_000, 2_000, 4_000, 5_000, 5_000])
        world.store.failure = nil
        world.advance(5_100)
        #expect(world.replica(ana).acks.map(\.code) == [.ok])
        #expect(world.set(ben, Setting(.title("t")))?.code == .ok)
        world.advance(25)
        world.expectEqual([ana, ben])
        #expect(world.log.count { if case .storeUnavailable = $0 { true } else { false } } == 1)
        #expect(world.log.count { if case .storeRecovered = $0 { true } else { false } } == 1)
        #expect(world.store.calls["standup"]?.header.position == world.state(ana).position)
    }

    @Test("R-122: nobody is given up for a lost link while nobody can come back", arguments: both)
    func grace(durability: RelayConfiguration.Durability) {
        var (world, ana, ben) = outage(durability)
        let resume = world.replica(ana).resume()
        world.cut(ana)
        world.advance(40_000)
        let refused = world.join("ana", instance: "instance-a") {
            $0.attempt = 2
            $0.resume = resume
        }
        #expect(world.closed(refused) == .store)
        world.store.failure = nil
        world.advance(5_100)
        let back = world.join("ana", instance: "instance-a") {
            $0.attempt = 3
            $0.resume = resume
        }
        #expect(world.joined(back).outcome == .resumed)
        #expect(world.device("ana", as: ben)?.link == .active)
    }

    @Test(
        "R-122: a claim that fails is tried again; who waits longer than 5 s for it is told to come back",
        arguments: both
    )
    func claim(durability: RelayConfiguration.Durability) {
        var world = World(.keeping(durability))
        world.store.failure = "the disk is broken"
        let ana = world.join("ana")
        #expect(world.replica(ana).joined == nil)
        world.advance(4_000)
        let ben = world.join("ben")
        world.advance(1_500)
        #expect(world.closed(ana) == .store)
        #expect(world.closed(ben) == nil)
        world.store.failure = nil
        world.advance(5_000)
        #expect(world.closed(ben) == nil)
        #expect(world.joined(ben).outcome == .new)
        let chloe = world.join("chloe", session: "other")
        #expect(world.joined(chloe).outcome == .new)
        // Nobody wants it any more: nobody asks any more.
        world.store.failure = "again"
        let dan = world.join("dan", session: "third")
        world.advance(60_000)
        #expect(world.closed(dan) == .store)
        let claims = world.claims.count
        world.advance(60_000)
        #expect(world.claims.count == claims)
        // It never had the call: there is nothing to give back.
        #expect(!world.releases.contains("third"))
    }

    @Test("R-122: the log is told once that a call is not given, however often it is asked for, and once that it is")
    func claimLog() {
        var world = World(.keeping(.async))
        _ = world.join("ana")
        world.advance(100)
        world.store.failure = "not yet"
        world.crash()
        world.advance(60_000)
        #expect(world.claims.count > 10)
        #expect(world.outages == (1, 0))
        world.store.failure = nil
        world.advance(5_100)
        #expect(world.outages == (1, 1))
    }

    @Test(
        "R-122: whoever asks again for a call that is not given adds nothing to the log, and the log of many is bounded"
    )
    func claimLogOfMany() {
        var world = World(.keeping(.async))
        world.store.failure = "not yet"
        for _ in 0..<3 {
            // Each gives up, and the call is forgotten.
            _ = world.join("ana")
            world.advance(10_000)
        }
        #expect(world.core.calls.compactMap(\.self).isEmpty)
        #expect(world.outages == (1, 0))
        for number in 0..<1_100 { _ = world.join("ana", session: "call \(number)") }
        world.advance(10_000)
        #expect(world.outages == (1_024, 0))
        world.store.failure = nil
        _ = world.join("ana")
        #expect(world.outages == (1_024, 1))
        world.advance(100)
        world.store.failure = "again"
        _ = world.join("ana", session: "call 3")
        world.advance(10_000)
        #expect(world.outages == (1_025, 1))
    }

    @Test(
        "R-118: an epoch that there can't be is never taken, whether something was kept or not",
        arguments: [0, 1 << 53, .max] as [UInt64]
    )
    func epochs(epoch: UInt64) {
        var world = World(.keeping(.async))
        world.answersAtOnce = false
        let ana = world.join("ana")
        world.apply(.store(.claimed(session: "standup", .init(epoch: epoch))))
        world.turn()
        #expect(world.closed(ana) == .store)
        #expect(world.core.calls.compactMap(\.self).isEmpty)
        world.store.requests = []
        world.answersAtOnce = true
        let bot = world.observe(trusted: true, uid: "bot")
        #expect(world.joined(bot).outcome == .observer)
        world.advance(100)
        world.answersAtOnce = false
        // The call is the relay's, and its next meeting needs an epoch.
        let ben = world.join("ben")
        world.apply(.store(.claimed(session: "standup", .init(epoch: epoch))))
        world.turn()
        for client in [bot, ben] { #expect(world.closed(client) == .store) }
        #expect(world.log.count { if case .damaged = $0 { true } else { false } } == 2)
    }

    @Test("R-122: a store that does not answer a claim holds nobody for longer than 5 s")
    func silence() {
        var world = World(.keeping(.async))
        world.answersAtOnce = false
        let ana = world.join("ana")
        let peeker = world.greet()
        world.send(peeker, .peek(session: "standup", request: 1))
        world.advance(5_000)
        #expect(world.closed(ana) == .store)
        #expect(
            world.replica(peeker).frames.contains {
                if case .error(let refusal, 1) = $0 { refusal.code == .store } else { false }
            }
        )
        world.answer()
        world.turn()
        #expect(world.core.calls.compactMap(\.self).isEmpty)
    }

    @Test(
        "R-122: a call that another relay has is dropped: everybody is told to come back, the store keeps what it has",
        arguments: both
    )
    func fenced(durability: RelayConfiguration.Durability) {
        var world = World(.keeping(durability))
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.advance(100)
        world.answersAtOnce = false
        world.set(ana, op: 1, Setting(.handRaised(true)))
        let chloe = world.join("chloe")
        world.advance(25)
        world.apply(.store(.fenced(session: "standup")))
        world.turn()
        for client in [ana, ben, chloe] { #expect(world.closed(client) == .store) }
        if durability == .sync { #expect(world.person("ana", as: ben)?.hand == nil) }
        #expect(world.replica(ana).acks.isEmpty == (durability == .sync))
        #expect(world.releases.isEmpty)
        #expect(world.core.calls.compactMap(\.self).isEmpty)
        #expect(world.core.unkeptCalls == 0)
        // An answer that comes later is about nothing.
        world.answer()
        world.turn()
        #expect(world.log.contains { if case .fenced = $0 { true } else { false } })
        world.expectHealthy()
    }

    /// Ways to be told goodbye that a store has to keep.
    enum Goodbye: CaseIterable { case leave, takeover, removal, stop }

    @Test(
        "R-13 R-122 R-130: who waits to be told goodbye by a call that is dropped is told that it is not kept",
        arguments: Goodbye.allCases
    )
    func fencedGoodbye(_ goodbye: Goodbye) {
        var world = World(.keeping(.sync))
        let ana = world.join("ana", instance: "instance-a")
        let ben = world.join("ben") { $0.role = .moderator }
        world.advance(100)
        world.answersAtOnce = false
        switch goodbye {
        case .leave: world.send(ana, .leave(.left))
        case .takeover: _ = world.join("ana", instance: "instance-b")
        case .removal: world.set(ben, op: 1, Setting(target: Target(uid: "ana"), .removed(true)))
        case .stop:
            world.set(ana, op: 1, Setting(.handRaised(true)))
            world.apply(.stopping(resumeAfter: 1_000))
        }
        world.turn()
        #expect(world.closed(ana) == nil)
        world.apply(.store(.fenced(session: "standup")))
        world.turn()
        #expect(world.closed(ana) == (goodbye == .stop ? .goingAway : .store))
        #expect(world.replica(ana).acks.isEmpty)
        #expect(world.links[ana].isClosed)
        world.expectHealthy()
    }

    @Test("R-122: what is kept and damaged lets nobody in and is not written", arguments: 0..<10)
    func damaged(kind: Int) {
        var world = World(.keeping(.async))
        let ana = world.join("ana", instance: "instance-a")
        let bot = world.observe(trusted: true, uid: "bot")
        world.set(bot, Setting(target: Target(uid: "phone", device: "sip"), .bringIn(BringIn())))
        world.advance(100)
        let device = UInt64(world.joined(ana).device)
        switch kind {
        case 0: world.store.calls["standup"]!.privates[device]!.removeLast()
        case 1: world.store.calls["standup"]!.privates[device] = nil
        case 2: world.store.calls["standup"]!.records[world.joined(ana).person] = nil
        case 3: world.store.calls["standup"]!.header.rules = [0xFF]
        case 4: world.store.calls["standup"]!.header.clock = .max
        case 5: world.store.calls["standup"]!.header.position.epoch = .max
        case 6: world.store.calls["standup"]!.header.history = [Position(epoch: .max, seq: 1)]
        case 7: world.store.calls["standup"]!.privates[.max] = [1]
        case 8: world.store.calls["standup"]!.header.nextSlot = 2
        default:
            world.store.calls["standup"]!.privates = world.store.calls["standup"]!.privates.filter { $0.key < 1 << 63 }
        }
        let before = world.store.calls["standup"]
        world.crash()
        #expect(world.log.contains { if case .damaged(session: "standup", _) = $0 { true } else { false } })
        let back = world.join("ana", instance: "instance-a")
        #expect(world.closed(back) == .store)
        world.advance(1_000)
        #expect(world.store.calls["standup"]?.records == before?.records)
        #expect(world.store.calls["standup"]?.privates == before?.privates)
        #expect(world.releases.isEmpty)
        let other = world.join("ana", session: "other")
        #expect(world.joined(other).outcome == .new)
    }
}
