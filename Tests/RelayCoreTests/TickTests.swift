import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Ticks")
struct TickTests {
    /// A bot that changes things, and others who watch.
    struct Scene {
        var world: World
        let bot: Int
        var watchers: [Int] = []
        private var changes = 0

        init(watchers count: Int, _ change: (inout RelayConfiguration) -> Void = { _ in }) {
            var configuration = RelayConfiguration()
            configuration.pingInterval = 1 << 40
            configuration.deadAfter = 1 << 40
            change(&configuration)
            world = World(configuration, hasTick: true)
            bot = world.observe(trusted: true, uid: "bot")
            for number in 0..<32 {
                let setting = Setting(target: Self.target(number), .bringIn(BringIn()))
                world.send(bot, .command(Command(op: UInt64(number + 1), settings: [setting])))
                if number % 8 == 7 { world.turn() }
            }
            for _ in 0..<count { watchers.append(world.observe()) }
            quiet()
        }

        private static func target(_ number: Int) -> Target {
            Target(uid: ByteString("user-\(number % 32)"), device: "d")
        }

        /// A turn with one change, of one person after the other.
        mutating func change(bytes: Int = 0) {
            let op = UInt64(1_000 + changes)
            var target = Self.target(changes)
            var change = Setting.Change.audioMuted(changes / 32 % 2 == 1)
            if bytes > 0 {
                target.device = .empty
                let value = [UInt8](repeating: UInt8(truncatingIfNeeded: changes / 32), count: bytes)
                change = .attribute(Attribute(key: "status", value: value))
            }
            changes += 1
            world.send(bot, .command(Command(op: op, settings: [Setting(target: target, change)])))
            world.turn()
        }

        /// So long that no tick runs any more.
        mutating func quiet() { world.advance(100) }

        /// Nobody reads what comes: their cursors say enough.
        mutating func countOnly() { for client in world.links.indices { world.links[client].isUnread = true } }

        var head: UInt64 { world.core.calls[0]!.state.position.seq }

        func cursor(_ client: Int) -> UInt64 { world.core.connections[client].cursor.seq }

        /// How often each watcher was written to since `before`.
        func writes(since before: [Int]) -> [Int] { zip(watchers, before).map { world.links[$0].writes - $1 } }

        var writes: [Int] { watchers.map { world.links[$0].writes } }
    }

    @Test(
        "R-136: a busy second is 200 writes or fewer for each of 100 readers, and no change waits longer than the tick",
        arguments: [(every: 1, writes: 200), (2, 167), (3, 167), (4, 125)]
    )
    func busySecond(every: UInt64, most: Int) throws {
        var scene = Scene(watchers: 100)
        scene.countOnly()
        let before = scene.writes
        let begin = scene.head
        // The head after each of the last ms.
        var heads = [UInt64](repeating: scene.head, count: 6)
        for ms: UInt64 in 0..<1_000 {
            if ms % every == 0 { scene.change() }
            heads = heads.dropFirst() + [scene.head]
            for watcher in scene.watchers { try #require(scene.cursor(watcher) >= heads[0]) }
            scene.world.advance(1)
        }
        let writes = scene.writes(since: before)
        #expect(writes.allSatisfy { $0 <= most + 1 })
        scene.world.advance(5)
        #expect(scene.head == begin + (999 / every + 1))
        #expect(scene.watchers.allSatisfy { scene.cursor($0) == scene.head })
        // The bot has its answer each time.
        #expect(scene.cursor(scene.bot) == scene.head)
    }

    @Test("R-136: a change in a quiet call is told in its own turn, also when it has been quiet for just a tick")
    func quietCall() {
        var scene = Scene(watchers: 100)
        for _ in 0..<10 {
            let before = scene.writes
            scene.change()
            #expect(scene.writes(since: before).allSatisfy { $0 == 1 })
            #expect(scene.world.core.nextDeadline.map { $0 > scene.world.now.monotonic + 1_000 } ?? true)
            scene.world.advance(5)
        }
        scene.world.expectEqual(scene.watchers)
    }

    @Test(
        "R-136: what comes within a tick is told when the first has waited for 5 ms, in one write, which begins the next",
        arguments: [UInt64(0), 1, 4]
    )
    func gathered(after: UInt64) {
        var scene = Scene(watchers: 100)
        scene.change()
        let before = scene.writes
        scene.world.advance(after)
        let began = scene.world.now.monotonic
        for ms: UInt64 in 0..<5 {
            scene.world.advance(ms == 0 ? 0 : 1)
            scene.change()
            scene.change()
            #expect(scene.writes(since: before).allSatisfy { $0 == 0 })
            #expect(scene.world.core.nextDeadline == began + 5)
        }
        scene.world.advance(1)
        #expect(scene.writes(since: before).allSatisfy { $0 == 1 })
        scene.world.expectEqual(scene.watchers)
        scene.change()
        scene.world.advance(4)
        #expect(scene.writes(since: before).allSatisfy { $0 == 1 })
        scene.world.advance(1)
        #expect(scene.writes(since: before).allSatisfy { $0 == 2 })
        scene.world.expectEqual(scene.watchers)
    }

    @Test("R-136: one deadline serves a tick, however many changes it gathers")
    func deadlines() {
        var scene = Scene(watchers: 100)
        scene.countOnly()
        scene.change()
        let held = scene.world.core.deadlines.heldCount
        let count = scene.world.core.deadlines.count
        for _ in 0..<100 { scene.change() }
        #expect(scene.world.core.deadlines.heldCount == held + 1)
        scene.quiet()
        #expect(scene.world.core.deadlines.count == count)
    }

    @Test("R-136: as long as that takes few writes every turn of a tick is told at once", arguments: [1, 9, 31, 63])
    func fewWrites(watchers: Int) {
        var scene = Scene(watchers: watchers)
        let before = scene.writes
        // The bot reads too.
        let atOnce = 64 / (watchers + 1)
        for turn in 1...atOnce {
            scene.change()
            #expect(scene.writes(since: before).allSatisfy { $0 == turn })
        }
        scene.change()
        #expect(scene.writes(since: before).allSatisfy { $0 == atOnce })
        scene.world.advance(5)
        #expect(scene.writes(since: before).allSatisfy { $0 == atOnce + 1 })
        scene.world.expectEqual(scene.watchers)
    }

    @Test("R-136: much is told at once, and that begins a tick")
    func manyBytes() {
        var scene = Scene(watchers: 100)
        scene.change()
        let before = scene.writes
        // With what is around it, 20 of these are 16 KiB.
        scene.world.advance(2)
        for _ in 0..<19 { scene.change(bytes: 800) }
        #expect(scene.writes(since: before).allSatisfy { $0 == 0 })
        scene.change(bytes: 800)
        #expect(scene.writes(since: before).allSatisfy { $0 == 1 })
        scene.change()
        scene.world.advance(4)
        #expect(scene.writes(since: before).allSatisfy { $0 == 1 })
        scene.world.advance(1)
        #expect(scene.writes(since: before).allSatisfy { $0 == 2 })
        scene.world.expectEqual(scene.watchers)
    }

    @Test("R-136: without a tick every turn is told at once")
    func noTick() {
        var scene = Scene(watchers: 100) { $0.tick = 0 }
        let before = scene.writes
        for _ in 0..<20 { scene.change() }
        #expect(scene.writes(since: before).allSatisfy { $0 == 20 })
    }

    @Test("R-137: an answer comes in its turn, and with it all that its receiver lacks")
    func answers() throws {
        var scene = Scene(watchers: 100)
        scene.change()
        let before = scene.writes
        for _ in 0..<10 {
            scene.change()
            #expect(scene.world.state(scene.bot).position.seq == scene.head)
        }
        #expect(scene.world.replica(scene.bot).acks.last?.op == 1_010)
        let asks = scene.watchers[3]
        scene.world.send(asks, .list(request: 7, after: .empty))
        scene.world.turn()
        guard case .calls(7, let calls, _)? = scene.world.replica(asks).frames.last else {
            return _ = Issue.record("no answer")
        }
        #expect(calls.first?.position == scene.world.state(asks).position)
        #expect(scene.world.state(asks).position.seq == scene.head)
        let joiner = scene.world.observe()
        #expect(scene.world.joined(joiner).position == scene.world.state(joiner).position)
        let leaves = scene.watchers[5]
        scene.world.send(leaves, .leave(.left))
        scene.world.turn()
        #expect(scene.world.closed(leaves) == .left)
        scene.world.send(scene.watchers[6], .resync(Resync(position: .zero, reason: .gap)))
        scene.world.turn()
        #expect(scene.world.replica(scene.watchers[6]).snapshots.last?.reason == .requested)
        // Nobody else was told anything.
        #expect(scene.writes(since: before).count { $0 > 0 } == 3)
        scene.world.advance(5)
        scene.world.expectEqual(scene.watchers.filter { $0 != leaves } + [joiner, scene.bot])
    }

    @Test("R-137: a heartbeat comes when it is due, at the head")
    func heartbeat() {
        var scene = Scene(watchers: 100) {
            $0.pingInterval = 10_000
            $0.deadAfter = 25_000
        }
        // Until just before somebody is pinged.
        let pings = scene.world.links.indices.map { scene.world.core.connections[$0].nextPing }
        guard let due = pings.min() else { return _ = Issue.record("no deadline") }
        scene.world.advance(due - scene.world.now.monotonic - 1)
        scene.change()
        scene.change()
        let before = scene.world.links.map(\.replica.frames.count)
        scene.world.advance(1)
        let told = scene.world.links.indices.filter { scene.world.replica($0).frames.count > before[$0] }
        #expect(told.count == pings.count { $0 == due })
        guard let first = told.first, case .ping(let ping)? = scene.world.replica(first).frames.last else {
            return _ = Issue.record("no ping")
        }
        #expect(ping.position?.seq == scene.head && ping.digest == scene.world.state(first).digest)
    }

    @Test("R-137: a stop tells everybody everything at once")
    func stop() {
        var scene = Scene(watchers: 100)
        for _ in 0..<10 { scene.change() }
        scene.world.apply(.stopping(resumeAfter: 1_000))
        scene.world.turn()
        #expect(scene.watchers.allSatisfy { scene.world.closed($0) == .goingAway })
        scene.world.expectEqual(scene.watchers)
    }

    @Test("R-138: a tick of many turns and many bytes is no lag, and comes as the frames of its turns")
    func notBehind() {
        var scene = Scene(watchers: 100) { $0.ringBytes = 100 }
        scene.change()
        scene.change(bytes: 400)
        let slow = scene.watchers[0]
        let before = scene.world.replica(slow).deltas.count
        for _ in 0..<30 { scene.change(bytes: 400) }
        // One of them gets all of that with an answer, the others at the end of the tick.
        scene.world.send(slow, .list(request: 1, after: .empty))
        scene.world.turn()
        #expect(scene.world.replica(slow).deltas.count == before + 31)
        scene.world.advance(5)
        for watcher in scene.watchers {
            #expect(scene.world.replica(watcher).deltas.count == scene.world.replica(slow).deltas.count)
            let connection = scene.world.core.connections[watcher]
            #expect(!connection.isLagging && connection.merged == 0)
        }
        scene.world.expectEqual(scene.watchers)
    }

    @Test("R-138: who has taken its last bytes within a tick is told the next ones at its end, as the others are")
    func drained() {
        var scene = Scene(watchers: 100)
        let slow = scene.watchers[0]
        scene.world.links[slow].capacity = 0
        scene.change()
        scene.world.links[slow].capacity = nil
        scene.change()
        let writes = scene.world.links[slow].writes
        scene.world.drain(slow)
        scene.world.turn()
        #expect(scene.world.links[slow].writes == writes)
        scene.world.links[slow].capacity = 0
        scene.world.advance(5)
        #expect(scene.world.links[slow].writes == writes + 1)
        // Who was to be told something, and could not take it, gets it at once.
        scene.change()
        scene.world.advance(5)
        #expect(scene.world.links[slow].writes == writes + 1)
        scene.world.links[slow].capacity = nil
        scene.world.drain(slow)
        scene.world.turn()
        #expect(scene.world.links[slow].writes == writes + 2)
        scene.world.expectEqual(scene.watchers)
    }

    @Test("R-136: a call that is freed while it gathers leaves nothing behind, nor does one whose epoch ends")
    func ends() {
        var scene = Scene(watchers: 100)
        for _ in 0..<10 { scene.change() }
        for watcher in scene.watchers { scene.world.apply(.closed(scene.world.links[watcher].id)) }
        scene.world.turn()
        scene.world.advance(5)
        #expect(!scene.world.core.calls[0]!.hasGathered)
        scene.world.send(scene.bot, .leave(.left))
        scene.world.turn()
        scene.world.advance(100)
        #expect(scene.world.core.calls.allSatisfy { $0 == nil })
    }

    @Test("R-136: a tick decides by time, readers and bytes alone")
    func rule() {
        let rule = Tick.Rule(length: 5, writes: 10, bytes: 100)
        var tick = Tick()
        // Bytes, readers, when, whether that is told, and when the tick ends then.
        let steps: [(bytes: Int?, readers: Int, at: UInt64, tells: Bool, ends: UInt64)] = [
            (1, 1_000, 50, true, 55), (1, 1, 54, false, 59), (1, 4, 58, false, 59), (1, 4, 59, true, 64),
            (1, 6, 60, true, 64), (99, 1, 61, false, 66), (99, 0, 65, false, 66), (100, 4, 65, true, 70),
            (nil, 4, 66, true, 71), (0, 6, 70, true, 71), (0, 1, 70, false, 75), (0, 0, 74, false, 75),
            (0, 4, 75, true, 80), (0, 4, 80, true, 85),
        ]
        for step in steps {
            let tells = tick.tells(step.bytes, to: step.readers, at: step.at, by: rule)
            #expect(tells == step.tells && tick.ends == step.ends, "\(step)")
        }
        var none = Tick()
        let noRule = Tick.Rule(length: 0, writes: 0, bytes: 100)
        for _ in 0..<3 {
            let tells = none.tells(1, to: 1_000, at: 50, by: noRule)
            #expect(tells)
        }
    }
}
