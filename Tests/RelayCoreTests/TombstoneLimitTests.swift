import CallState
import RelayCore
import RollcallProtocol
import Testing

/// More removals in one turn than tombstones are kept: nobody's difference may begin below the floor.
@Suite("The limit of tombstones")
struct TombstoneLimitTests {
    private static func bringIn(_ uids: Range<Int>) -> [Setting] {
        uids.map { Setting(target: Target(uid: ByteString("guest\($0)"), device: "d"), .bringIn(BringIn())) }
    }

    private static func takeOut(_ uids: Range<Int>) -> [Setting] {
        uids.map { Setting(target: Target(uid: ByteString("guest\($0)")), .takeOut(.left)) }
    }

    /// A world whose bot has brought in `count` people, with one person of their own.
    private static func crowd(_ count: Int, _ configuration: RelayConfiguration) -> (world: World, ana: Int, bot: Int) {
        var world = World(configuration)
        let ana = world.join("ana")
        let bot = world.observe(trusted: true, uid: "bridge")
        for (op, first) in stride(from: 0, to: count, by: 64).enumerated() {
            let settings = bringIn(first..<min(count, first + 64))
            world.send(bot, .command(Command(op: UInt64(op + 1), settings: settings)))
        }
        world.turn()
        #expect(world.state(ana).peopleCount == count + 1)
        return (world, ana, bot)
    }

    @Test(
        "R-44: a bot whose whole crowd leaves in one commit leaves the readers in step",
        arguments: [(33, 16), (33, 64), (200, 64), (2_100, 4_096)]
    )
    func crowdLeaves(count: Int, maximum: Int) {
        var configuration = RelayConfiguration()
        configuration.maximumTombstones = maximum
        var (world, ana, bot) = Self.crowd(count, configuration)
        world.send(bot, .leave(.left))
        world.turn()
        #expect(world.state(ana).peopleCount == 1)
        world.set(ana, Setting(.title("after")))
        #expect(world.state(ana).call.title == "after")
        let late = world.join("late")
        world.expectEqual([ana, late])
        #expect(world.state(late).tombstoneCount <= 2 * max(maximum, 64))
    }

    @Test("R-44: so do those who are cut off, and a reader who was slow gets a snapshot", arguments: [16, 64])
    func crowdIsLost(maximum: Int) {
        var configuration = RelayConfiguration()
        configuration.maximumTombstones = maximum
        var (world, ana, bot) = Self.crowd(100, configuration)
        let slow = world.join("slow")
        world.links[slow].capacity = 0
        world.set(ana, Setting(.title("stuck")))
        world.cut(bot)
        world.advance(15_000)
        #expect(world.state(ana).peopleCount == 2)
        world.links[slow].capacity = nil
        world.drain(slow)
        world.turn()
        world.expectEqual([ana, slow])
    }

    @Test("R-44: with no reader but those of an earlier epoch, tombstones fall only when they are told")
    func readersOfAnotherEpoch() {
        var configuration = RelayConfiguration()
        configuration.maximumTombstones = 10_000
        var world = World(configuration)
        let bot = world.observe(trusted: true, uid: "bridge")
        let watcher = world.observe()
        for reader in [bot, watcher] { world.links[reader].capacity = 0 }
        // Both are stuck with a Ping, at (0, 0).
        world.advance(10_000)
        world.send(bot, .command(Command(op: 1, settings: Self.bringIn(0..<60))))
        world.turn()
        for (op, guest) in (0..<59).enumerated() {
            world.send(bot, .command(Command(op: UInt64(op + 2), settings: Self.takeOut(guest..<guest + 1))))
            world.turn()
        }
        for reader in [bot, watcher] {
            world.links[reader].capacity = nil
            world.drain(reader)
        }
        world.turn()
        #expect(world.state(watcher).peopleCount == 1)
        world.expectEqual([bot, watcher])
    }

    @Test("R-44: attributes that are removed count like people")
    func attributes() {
        var configuration = RelayConfiguration()
        configuration.maximumTombstones = 8
        var (world, ana, bot) = Self.crowd(40, configuration)
        func all(_ value: [UInt8]?) -> [Setting] {
            (0..<40).map { number in
                let attribute = Attribute(key: "k", value: value)
                return Setting(target: Target(uid: ByteString("guest\(number)")), .attribute(attribute))
            }
        }
        for (op, value) in ([[1], nil, [2], nil] as [[UInt8]?]).enumerated() {
            // The answers to the commands of the crowd had op 1.
            world.send(bot, .command(Command(op: UInt64(op + 2), settings: all(value))))
            world.send(bot, .command(Command(op: UInt64(op + 100), settings: all(value))))
            world.turn()
        }
        world.expectEqual([ana, bot])
    }
}
