import CallState
import RelayCore
import RollcallProtocol
import Testing

/// One snapshot for many: how long it is kept, and in which pieces it goes out.
struct SnapshotSharingTests {
    /// A call of 600 people, each with a name of 100 bytes, and who brought them in.
    private func largeCall() -> (world: World, bot: Int) {
        var world = World()
        let bot = world.observe(trusted: true, uid: "bridge")
        for number in 0..<20 {
            let settings = (0..<30).map { place in
                var facts = BringIn()
                facts.name = ByteString(Array(repeating: 97, count: 100))
                return Setting(target: Target(uid: ByteString("u\(number)-\(place)"), device: "d"), .bringIn(facts))
            }
            world.send(bot, .command(Command(op: UInt64(number + 1), settings: settings)))
            world.turn()
        }
        return (world, bot)
    }

    @Test("R-51: who joins is sent a large snapshot in few pieces of many parts, the first with what comes before it")
    func pieces() {
        let (made, bot) = largeCall()
        var world = made
        let late = world.greet()
        world.turn()
        world.links[late].pieces = []
        world.send(late, .join(Join(session: "standup", uid: "late", device: "d")))
        world.turn()
        let parts = world.replica(late).frames.filter { if case .part = $0 { true } else { false } }
        let bytes = world.links[late].pieces.reduce(0, +)
        #expect(parts.count > 4 && bytes > 80 * 1024)
        #expect(world.links[late].pieces.count <= bytes / (48 * 1024) + 2)
        #expect(world.links[late].pieces[0] > 48 * 1024)
        world.expectEqual([bot, late])
    }

    @Test(
        "R-53: a snapshot is cut wherever the kernel takes no more, and goes on there; no more than the shell says is kept",
        arguments: [1, 3, 64, 5_000, 20_000],
        [1, 100, 16 * 1024]
    )
    func cuts(capacity: Int, kept: Int) {
        let (made, bot) = largeCall()
        var world = made
        world.mostKept = kept
        let late = world.greet()
        world.turn()
        world.links[late].capacity = capacity
        world.send(late, .join(Join(session: "standup", uid: "late", device: "d")))
        world.turn()
        var most = 0
        var turns = 0
        while !world.links[late].unsent.isEmpty {
            most = max(most, world.links[late].unsent.count)
            // Neither an answer nor a change comes between.
            if turns % 50 == 7 { world.set(bot, Setting(.title(ByteString("title \(turns)")))) }
            if turns % 50 == 9 { world.send(late, .pong(Pong(position: .zero, time: 0))) }
            turns += 1
            world.drain(late)
            world.turn()
        }
        #expect(world.replica(late).isComplete)
        // Its own bytes come in one piece with the first of the snapshot, and its last ones with what follows.
        #expect(most <= max(kept, 17 * 1024))
        world.expectEqual([bot, late])
    }

    @Test("R-51, R-57: the changes behind a kept snapshot go with its last bytes, in one piece, when they are few")
    func following() {
        for (changes, pieces) in [(0, 1), (3, 1), (170, 2)] {
            var (world, bot) = largeCall()
            _ = world.observe(uid: "first")
            for number in 0..<changes { change(number, by: bot, in: &world) }
            let late = world.greet()
            world.turn()
            world.links[late].pieces = []
            world.send(late, .join(Join(session: "standup", uid: "late", device: "d")))
            world.turn()
            #expect(world.links[late].pieces.count == pieces, "\(changes) changes")
            world.expectEqual([bot, late])
        }
    }

    @Test("R-53: who takes a snapshot a little at a time has the changes behind it not kept besides")
    func notFollowing() {
        var (world, bot) = largeCall()
        _ = world.observe(uid: "first")
        for number in 0..<100 { change(number, by: bot, in: &world) }
        let late = world.greet()
        world.turn()
        world.links[late].capacity = 20_000
        world.mostKept = 100
        world.send(late, .join(Join(session: "standup", uid: "late", device: "d")))
        world.turn()
        while !world.replica(late).isComplete {
            #expect(world.links[late].unsent.count <= 100)
            world.drain(late)
            world.turn()
        }
        world.links[late].capacity = nil
        world.drain(late)
        world.turn()
        world.expectEqual([bot, late])
    }

    /// One of a large call gets another name.
    private func change(_ number: Int, by bot: Int, in world: inout World) {
        let name = ByteString(Array(repeating: UInt8(98 + number % 20), count: 100))
        world.set(bot, Setting(target: Target(uid: ByteString("u\(number % 20)-\(number / 20)")), .name(name)))
    }

    @Test("R-55: a snapshot with many changes behind it is made anew for who joins, but not more than once a second")
    func renewal() {
        let (made, bot) = largeCall()
        var world = made
        func join(_ uid: String) -> UInt64 {
            let joiner = world.observe(uid: uid)
            world.expectEqual([bot, joiner])
            return world.replica(joiner).snapshots[0].position.seq
        }
        var letter: UInt8 = 98
        func change() {
            letter += 1
            for number in 0..<60 {
                let name = ByteString(Array(repeating: letter + UInt8(number / 20), count: 100))
                world.set(bot, Setting(target: Target(uid: ByteString("u\(number % 20)-1")), .name(name)))
            }
        }
        let first = join("one")
        change()
        #expect(join("two") == first)
        world.advance(1_000)
        let second = join("three")
        #expect(second > first)
        change()
        #expect(join("four") == second)
        world.advance(1_000)
        #expect(join("five") > second)
    }
}
