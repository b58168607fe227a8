import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

/// What one client can make the relay remember for later: no more than there is to remember.
@Suite("Deadlines of the rules")
struct DeadlineTests {
    /// Far above what the few connections and calls of a test need, far below the number of its rounds.
    private static let few = 180

    @Test("R-84: requests to unmute that change again and again cost one deadline", arguments: [true, false])
    func unmuteRequests(rises: Bool) {
        var world = World()
        let ana = world.join("ana")
        _ = world.join("ben") { $0.audioMuted = true }
        for round in 0..<600 as Range<UInt64> {
            let period = rises ? 1_000_000 + round : 1_000_000 - round
            #expect(world.set(ana, Setting(target: Target(uid: "ben"), .unmuteRequest(period)))?.code == .ok)
        }
        #expect(world.core.deadlines.heldCount < Self.few)
        #expect(world.core.calls[0]?.requests.count == 1)
        // The last one counts.
        let last: UInt64 = rises ? 1_000_599 : 999_401
        world.links[ana].answersPings = true
        #expect(world.person("ben", as: ana)?.unmuteRequest?.until == world.now.wall + last)
        world.advance(last - 1)
        #expect(world.person("ben", as: ana)?.unmuteRequest != nil)
        world.advance(1)
        #expect(world.person("ben", as: ana)?.unmuteRequest == nil)
        world.expectHealthy()
    }

    @Test("R-84: each request lapses at its own time, and one that was withdrawn does not")
    func unmuteRequestsOfMany() {
        var world = World()
        let ana = world.join("ana")
        for uid in ["ben", "chloe", "dan", "eve"] { _ = world.join(uid) { $0.audioMuted = true } }
        for (uid, period) in [("ben", 5_000), ("chloe", 1_000), ("dan", 3_000), ("eve", 1_000)]
            as [(ByteString, UInt64)]
        {
            world.set(ana, Setting(target: Target(uid: uid), .unmuteRequest(period)))
        }
        // Withdrawn, and asked again for longer.
        world.set(ana, Setting(target: Target(uid: "dan"), .unmuteRequest(0)))
        world.set(ana, Setting(target: Target(uid: "eve"), .unmuteRequest(4_000)))
        func asked() -> [String] { world.state(ana).people.filter { $0.unmuteRequest != nil }.map(\.uid.string) }
        #expect(asked() == ["ben", "chloe", "eve"])
        world.advance(1_000)
        #expect(asked() == ["ben", "eve"])
        world.advance(2_999)
        #expect(asked() == ["ben", "eve"])
        world.advance(1)
        #expect(asked() == ["ben"])
        world.advance(1_000)
        #expect(asked().isEmpty)
        #expect(world.core.calls[0]?.requests.isEmpty == true)
    }

    @Test("R-84: requests to people who come and go are forgotten with them")
    func unmuteRequestsOfGuests() {
        var configuration = RelayConfiguration()
        configuration.maximumTombstones = 64
        var world = World(configuration)
        let bot = world.observe(trusted: true, uid: "bridge")
        for number in 0..<300 {
            let guest = Target(uid: ByteString("guest\(number)"), device: "d")
            let answer = world.set(
                bot,
                Setting(target: Target(uid: "host", device: "d"), .bringIn(BringIn())),
                Setting(target: guest, .bringIn(BringIn())),
                Setting(target: Target(uid: guest.uid), .unmuteRequest(3_600_000))
            )
            #expect(answer?.code == .ok)
            world.set(bot, Setting(target: guest, .takeOut(.left)))
        }
        #expect(world.core.deadlines.heldCount < Self.few)
        #expect((world.core.calls[0]?.requests.count ?? 0) < Self.few)
        world.expectHealthy()
    }

    @Test("R-89 R-94: an idle period that is changed again and again costs one deadline")
    func idlePeriods() {
        var world = World()
        let ana = world.join("ana")
        for round in 0..<600 as Range<UInt64> { world.set(ana, Setting(.idle(10_000_000 - round))) }
        #expect(world.core.deadlines.heldCount < Self.few)
        world.set(ana, Setting(.idle(WireLimits.position)))
        world.advance(60_000)
        #expect(world.closed(ana) == nil)
    }

    @Test("Calls that were freed and connections that are gone leave no deadlines behind")
    func churn() {
        var world = World()
        for number in 0..<300 {
            let ana = world.join("ana", session: "call\(number)")
            world.set(ana, Setting(.idle(WireLimits.position)))
            world.send(ana, .leave(.left))
            world.turn()
            _ = world.greet()
            world.cut(world.links.count - 1)
            _ = world.open()
            world.cut(world.links.count - 1)
        }
        #expect(world.core.calls.allSatisfy { $0 == nil })
        #expect(world.core.deadlines.count == 0)
        #expect(world.core.deadlines.heldCount < Self.few)
    }

    @Test("A device that joins and loses its link again and again costs one deadline")
    func flapping() {
        var world = World()
        let ana = world.join("ana")
        for attempt in 1...300 as ClosedRange<UInt64> {
            let ben = world.join("ben", instance: "instance-b") { $0.attempt = attempt }
            world.cut(ben)
        }
        #expect(world.core.deadlines.heldCount < Self.few)
        world.advance(15_000)
        #expect(world.person("ben", as: ana) == nil)
        world.expectHealthy()
    }
}
