import CallState
import RelayCore
import RollcallProtocol
import SimulationSupport
import Testing

@testable import Rollcall

/// The client's rules through the end of a relay and the begin of another.
struct RelayRestartTests {
    private func world(_ durability: RelayConfiguration.Durability, clients: Int = 3) -> CallWorld {
        var configuration = RelayConfiguration()
        configuration.durability = durability
        var world = CallWorld(seed: Seed.value, configuration)
        for client in 0..<clients { world.join(uid: ByteString("user \(client)")) }
        world.pass(1_000)
        return world
    }

    /// Everybody is live and has the same copy.
    private func expectEqual(_ world: CallWorld) {
        for client in world.clients {
            #expect(client.core.phase == .live)
            #expect(client.core.confirmed.position == world.clients[0].core.confirmed.position)
            #expect(client.core.confirmed.digest == world.clients[0].core.confirmed.digest)
            #expect(!client.app.wentBack)
            #expect(client.resyncs == 0)
        }
    }

    private func departures(_ world: CallWorld) -> Int {
        world.clients.flatMap(\.app.events).count { if case .left = $0 { true } else { false } }
    }

    @Test(
        "R-105 R-118: a planned restart: everybody resumes without a snapshot, and nobody sees anybody leave",
        arguments: [RelayConfiguration.Durability.async, .sync]
    )
    func planned(durability: RelayConfiguration.Durability) {
        var world = world(durability, clients: 40)
        world.command(0, [Setting(.handRaised(true))])
        world.pass(200)
        let position = world.clients[0].core.confirmed.position
        world.restart()
        world.pass(4_000)
        expectEqual(world)
        for client in world.clients {
            #expect(client.core.joined.outcome == .resumed)
            #expect(client.core.joined.follows == .nothing)
            #expect(client.core.confirmed.position == position)
        }
        world.pass(70_000)
        #expect(departures(world) == 0)
        #expect(world.clients[1].core.confirmed.person(uid: "user 0")?.hand != nil)
        expectEqual(world)
    }

    @Test("R-58 R-118: a crash: everybody resumes by a delta into the next epoch, and nobody sees anybody leave")
    func crash() {
        var world = world(.sync, clients: 12)
        let before = world.clients[0].core.confirmed.position
        world.crash(for: 3_000)
        world.pass(20_000)
        expectEqual(world)
        for client in world.clients {
            #expect(client.core.joined.outcome == .resumed)
            #expect(client.core.joined.follows == .delta)
            #expect(client.core.confirmed.position.epoch > before.epoch)
        }
        #expect(departures(world) == 0)
    }

    @Test("R-72 R-121: a command that was kept and not answered is done once; one that was not kept is done again")
    func commands() {
        for isKept in [true, false] {
            var world = world(.sync)
            world.losesBatches = !isKept
            let token = world.command(0, [Setting(.handRaised(true))])
            let link = world.link(of: 0)!
            world.deliverToRelay(link)
            world.endTurn()
            world.losesBatches = false
            world.crash()
            world.pass(5_000)
            expectEqual(world)
            #expect(world.clients[0].results[token]?.isSuccess == true)
            #expect(world.clients[1].core.confirmed.person(uid: "user 0")?.hand != nil)
            #expect(world.clients[0].core.commands.count == 0)
        }
    }

    @Test("R-119: a client that was muted after the last thing that was kept is muted after the crash")
    func restated() {
        var world = world(.async)
        let isMuted = world.clients[0].core.snapshot.me?.audio == .muted
        world.losesBatches = true
        world.command(0, [Setting(.audioMuted(!isMuted))])
        world.command(1, [Setting(.title("lost"))])
        world.settle()
        #expect(world.clients[2].core.confirmed.call.title == "lost")
        world.losesBatches = false
        world.crash()
        world.pass(20_000)
        expectEqual(world)
        #expect(world.clients[1].core.confirmed.person(uid: "user 0")?.devices[0].isAudioMuted == !isMuted)
        #expect(world.clients[2].core.confirmed.call.title == "")
        #expect(departures(world) == 0)
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
