import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Snapshots for those who come and go")
struct PartingTests {
    /// The snapshots that are held for connections, and the bytes that are one connection's alone.
    private func held(_ world: World) -> (snapshots: Set<Position>, most: Int) {
        var snapshots: Set<Position> = []
        var most = 0
        for connection in world.core.connections {
            most = max(most, connection.output.byteCount)
            for case .snapshot(let pending) in connection.output.pieces {
                if let encoded = pending.encoded { snapshots.insert(encoded.position) }
            }
        }
        return (snapshots, most)
    }

    @Test(
        "R-63 R-128: many who come, ask and go share few snapshots, and each gets its answer and the call that it is about",
        arguments: RelayConfiguration.Durability.allCases,
        [1, 7]
    )
    func shared(durability: RelayConfiguration.Durability, atOnce: Int) {
        var configuration = RelayConfiguration.keeping(durability)
        configuration.maximumOldSnapshots = 4
        var world = World(configuration)
        let bot = world.observe(trusted: true, uid: "bot")
        for number in 0..<60 {
            var facts = BringIn()
            facts.avatar = ByteString([UInt8](repeating: 97, count: 2_000))
            world.set(bot, Setting(target: Target(uid: ByteString("user-\(number)"), device: "d"), .bringIn(facts)))
        }
        world.advance(100)
        var guests: [Int] = []
        for number in 0..<70 {
            let guest = world.greet()
            world.links[guest].capacity = 0
            world.send(guest, .join(Join(session: "standup", uid: ByteString("guest-\(number)"), device: "d")))
            world.send(guest, .command(Command(op: 1, settings: [Setting(.handRaised(true))])))
            world.send(guest, .leave(.left))
            guests.append(guest)
            if guests.count % atOnce == 0 { world.turn() }
        }
        world.turn()
        let (snapshots, most) = held(world)
        #expect((1...4).contains(snapshots.count))
        #expect(most < 32 * 1024)
        var served = 0
        for guest in guests where !world.links[guest].isClosed {
            while !world.links[guest].unsent.isEmpty {
                world.drain(guest)
                world.turn()
            }
            guard world.closed(guest) == .left else { continue }
            served += 1
            let replica = world.replica(guest)
            #expect(replica.acks.map(\.code) == [.ok])
            #expect(replica.acks.allSatisfy { $0.position <= replica.position })
            #expect(world.state(guest).peopleCount >= 60)
        }
        #expect(served >= 4)
        world.expectHealthy()
    }
}
