import CallState
import Randomness
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("What one slow or hostile client makes a relay hold")
struct BackPressureTests {
    /// A client that does anything at any time, reads as it likes, and never waits.
    private struct Hostile {
        var random: SplitMix64
        var op: UInt64 = 0
        var request: UInt64 = 0

        mutating func frame(isAttached: Bool) -> ClientFrame {
            request += 1
            if !isAttached {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: return .list(request: request, after: "")
                case 1: return .attendance(request: request, AttendanceQuery())
                default: return .peek(session: "standup", request: request)
                }
            }
            switch Int.random(in: 0..<10, using: &random) {
            case 0: return .resync(Resync(position: .zero, reason: .gap))
            case 1: return .attendance(request: request, AttendanceQuery())
            case 2: return .list(request: request, after: "")
            case 3: return .peek(session: "standup", request: request)
            case 4: return .authenticate(token: "t")
            case 5: return .inspect(request: request, after: 0)
            default:
                op += 1
                let uid = ByteString([UInt8](repeating: 120, count: 128))
                return .command(Command(op: op, settings: [Setting(target: Target(uid: uid), .audioMuted(true))]))
            }
        }
    }

    /// What waits for a connection in the rules' memory, the call's shared bytes apart.
    private func held(_ world: World, _ client: Int) -> (bytes: Int, snapshots: Int) {
        let connection = world.core.connections[client]
        var bytes = connection.output.trailing.count
        var snapshots = 0
        for piece in connection.output.pieces {
            switch piece {
            case .bytes(let waiting): bytes += waiting.count
            case .snapshot: snapshots += 1
            }
        }
        return (bytes, snapshots)
    }

    @Test(
        "R-71: what waits for a connection is bounded whatever the client does, also when it is read all the same",
        arguments: [1, 2] as [UInt64],
        [true, false]
    )
    func bounded(seed: UInt64, isAttached: Bool) {
        var configuration = RelayConfiguration()
        configuration.callCommandRate = .unlimited
        var world = World(configuration, seed: seed, hasRates: true)
        let ana = world.join("ana")
        for number in 0..<30 { _ = world.join("person number \(number) of the call") }
        var hostile = Hostile(random: SplitMix64(seed: seed))
        var client = -1
        var most = (bytes: 0, snapshots: 0, unsent: 0)
        var lives = 0
        for round in 0..<600 {
            if client < 0 || world.links[client].isClosed || world.closed(client) != nil {
                client = isAttached ? world.join("eve") : world.greet()
                world.links[client].capacity = 0
                hostile.op = 0
                lives += 1
            }
            // What the shell has read already comes also when it shall not read any more.
            let ignoresPause = round % 3 == 0
            for _ in 0..<Int.random(in: 0..<40, using: &hostile.random)
            where world.links[client].isRead || ignoresPause {
                world.send(client, hostile.frame(isAttached: isAttached))
            }
            if round % 10 == 0 { world.set(ana, Setting(.title(ByteString("\(round)")))) }
            world.links[client].capacity = Int.random(in: 0..<2, using: &hostile.random) * 1_000
            if Int.random(in: 0..<8, using: &hostile.random) == 0 { world.drain(client) }
            world.turn()
            world.advance(UInt64.random(in: 0..<200, using: &hostile.random))
            let now = held(world, client)
            most = (
                max(most.bytes, now.bytes), max(most.snapshots, now.snapshots),
                max(most.unsent, world.links[client].unsent.count)
            )
        }
        #expect(lives < 300)
        #expect(most.bytes > 10_000)
        // An answer of 64 KiB more than the limit, and the refusals of what was read all the same.
        #expect(most.bytes <= 256 * 1_024, "\(most)")
        #expect(most.snapshots <= 8, "\(most)")
        #expect(most.unsent <= 256 * 1_024, "\(most)")
    }

    @Test("R-63: of snapshots that were asked for and have not begun only the newest is made")
    func resyncs() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.links[ben].capacity = 0
        world.set(ana, Setting(.title(ByteString(String(repeating: "t", count: 200)))))
        for round in 0..<30 {
            world.send(ben, .resync(Resync(position: .zero, reason: .gap)))
            world.turn()
            #expect(held(world, ben).snapshots == 1)
            // Three are allowed in ten seconds; as long as some bytes leave it may go on.
            world.reportedUnsent = 200 - round
            world.advance(3_400)
        }
        #expect(world.closed(ben) == nil)
    }

    @Test("R-107: many Peeks of who reads slowly are answered one behind the other, never over one that is not out")
    func peeks() {
        var world = World()
        // Two parts, the last of which is too long to be gathered with others.
        let avatar = ByteString([UInt8](repeating: 97, count: 2_000))
        let bot = world.observe(trusted: true, uid: "bot")
        for number in 0..<45 {
            var facts = BringIn()
            facts.avatar = avatar
            world.set(bot, Setting(target: Target(uid: ByteString("user-\(number)"), device: "d"), .bringIn(facts)))
        }
        let looker = world.greet()
        world.links[looker].capacity = 1_000
        for request in 1...8 as ClosedRange<UInt64> {
            world.send(looker, .peek(session: "standup", request: request))
        }
        world.turn()
        while !world.links[looker].unsent.isEmpty {
            world.drain(looker)
            world.turn()
        }
        #expect(world.replica(looker).snapshots.map(\.request) == Array(1...8))
        #expect(world.state(looker).peopleCount == 45)
        world.expectHealthy()
    }

    @Test(
        "R-128: of a long snapshot no more than eight are held for who takes them slowly, the newest",
        arguments: [true, false]
    )
    func oldSnapshots(isAttached: Bool) {
        var world = World()
        let avatar = ByteString([UInt8](repeating: 97, count: 2_000))
        let ana = world.join("ana")
        let bot = world.observe(trusted: true, uid: "bot")
        for number in 0..<60 {
            var facts = BringIn()
            facts.avatar = avatar
            world.set(bot, Setting(target: Target(uid: ByteString("user-\(number)"), device: "d"), .bringIn(facts)))
        }
        var slow: [Int] = []
        for number in 0..<20 {
            // Enough changes that another snapshot is made.
            for key in 0..<32 {
                let value = [UInt8](repeating: UInt8(number), count: 1_000)
                world.set(ana, Setting(.attribute(Attribute(key: ByteString("k\(key)"), value: value))))
            }
            let client = world.greet()
            world.links[client].capacity = 1_000
            if isAttached {
                var join = Join(session: "standup", uid: "", device: "")
                join.mode = .observer
                world.send(client, .join(join))
            } else {
                world.send(client, .peek(session: "standup", request: 1))
            }
            world.turn()
            slow.append(client)
        }
        world.set(ana, Setting(.title("after")))
        let held = slow.filter { !world.links[$0].isClosed }
        #expect(held == Array(slow.suffix(8)))
        // Who takes it all the same gets all of it.
        for client in held {
            while !world.links[client].unsent.isEmpty {
                world.drain(client)
                world.turn()
            }
            #expect(world.state(client).peopleCount == 61)
        }
        world.expectHealthy()
    }

    @Test("R-12: a connection whose frames wait for the store is not read, and is read on when it has answered")
    func waitingForTheStore() {
        var world = World()
        world.nextEpoch = nil
        let ana = world.join("ana")
        #expect(world.links[ana].isRead == false)
        world.send(ana, .command(Command(op: 1, settings: [Setting(.handRaised(true))])))
        let ben = world.join("ben")
        #expect(world.links[ben].isRead == false)
        world.apply(.store(.claimed(session: "standup", .init(epoch: 7))))
        world.turn()
        #expect(world.links[ana].isRead && world.links[ben].isRead)
        #expect(world.person("ana", as: ben)?.hand != nil)
        world.expectEqual([ana, ben])
    }

    @Test("R-126: one line of 64 kbit/s among 200 with 500 changes a second: little waits for it, and it is soon equal")
    func slowLine() {
        var world = World()
        let bot = world.observe(trusted: true, uid: "bot")
        let reader = world.observe()
        let slow = world.join("slow")
        func state(_ client: Int, _ change: Setting.Change) {
            let target = Target(uid: ByteString("user-\(client)"), device: "d")
            world.send(bot, .command(Command(op: world.now.monotonic, settings: [Setting(target: target, change)])))
            world.turn()
            world.advance(2)
        }
        for client in 0..<200 { state(client, .bringIn(BringIn())) }
        var most = 0
        func pass(changes: Int) {
            for step in 0..<100 {
                for change in 0..<changes {
                    let number = step * changes + change
                    state(number % 200, .audioMuted(number / 200 % 2 == 0))
                }
                if changes == 0 { world.advance(10) }
                // 8 KB a second; the system keeps what fits into its buffer.
                world.take(slow, 80)
                most = max(most, world.links[slow].unsent.count + held(world, slow).bytes)
            }
        }
        world.links[slow].capacity = 0
        for _ in 0..<5 { pass(changes: 5) }
        #expect(most > 0 && most <= 64 * 1_024)
        #expect(world.state(slow).position != world.state(reader).position)
        // Two seconds more, without changes.
        for _ in 0..<2 { pass(changes: 0) }
        #expect(world.closed(slow) == nil)
        world.expectEqual([bot, reader, slow])
    }
}
