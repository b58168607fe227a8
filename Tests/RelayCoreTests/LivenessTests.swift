import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("Liveness")
struct LivenessTests {
    private func pings(_ replica: Replica) -> [Ping] {
        replica.frames.compactMap { if case .ping(let ping) = $0 { ping } else { nil } }
    }

    @Test("R-67 R-99: Ping comes every interval, the first one earlier by chance, with position and digest of the head")
    func pingPong() throws {
        var world = World()
        let ana = world.join("ana")
        world.advance(4_999)
        #expect(pings(world.replica(ana)).isEmpty)
        world.advance(5_001)
        #expect(pings(world.replica(ana)).count == 1)
        world.advance(100_000)
        #expect(pings(world.replica(ana)).count == 11)
        let ping = try #require(pings(world.replica(ana)).last)
        #expect(ping.position == world.state(ana).position)
        #expect(ping.digest == world.state(ana).digest)
        #expect(ping.time <= world.now.wall)
        #expect(world.closed(ana) == nil)
        world.expectHealthy()
    }

    @Test("R-99: a connection that only said Hello is pinged without a position")
    func pingWithoutAttachment() throws {
        var world = World()
        let client = world.greet()
        world.advance(60_000)
        #expect(pings(world.replica(client)).count == 6)
        #expect(pings(world.replica(client)).allSatisfy { $0.position == nil && $0.digest == nil })
        #expect(world.closed(client) == nil)
    }

    @Test("R-101: without a byte for the time the connection is given up and the link is lost")
    func silence() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.links[ana].answersPings = false
        world.advance(24_999)
        #expect(world.closed(ana) == nil)
        world.advance(1)
        #expect(world.closed(ana) == .silent)
        #expect(world.replica(ana).closed?.advice == .now)
        #expect(world.device("ana", as: ben)?.link == .reconnecting)
        let greeted = world.greet()
        world.links[greeted].answersPings = false
        world.advance(25_000)
        #expect(world.closed(greeted) == .silent)
    }

    @Test("R-101: any frame counts as a sign of life")
    func anyFrame() {
        var world = World()
        let ana = world.join("ana")
        world.links[ana].answersPings = false
        for _ in 0..<5 {
            world.advance(20_000)
            world.send(ana, .speaking(Speaking(on: false)))
        }
        #expect(world.closed(ana) == nil)
    }

    @Test("R-101: bytes that end no frame count too")
    func anyByte() {
        var world = World()
        let ana = world.join("ana")
        world.links[ana].answersPings = false
        for _ in 0..<5 {
            world.advance(20_000)
            world.apply(.heard(world.links[ana].id))
        }
        #expect(world.closed(ana) == nil)
        world.advance(25_000)
        #expect(world.closed(ana) == .silent)
    }

    @Test("R-101 R-102: a grace, and the time alone, stand while the relay itself did not run", arguments: [1, 14_000])
    func standstillInGrace(before: UInt64) {
        var world = World()
        let ana = world.join("ana", instance: "instance-a") { $0.idle = 20_000 }
        let ben = world.join("ben")
        world.cut(ana)
        world.advance(before)
        // Longer than all of the grace; her Join came meanwhile, and is read after the turn of that moment.
        world.now.monotonic += 60_000
        world.now.wall += 60_000
        world.turn()
        #expect(world.device("ana", as: ben)?.link == .reconnecting)
        let back = world.comeBack(ana, as: "ana", attempt: 2, instance: "instance-a")
        #expect(world.joined(back).outcome == .resumed)
        world.cut(back)
        world.advance(15_000)
        #expect(world.person("ana", as: ben) == nil)
        world.now.monotonic += 60_000
        world.now.wall += 60_000
        world.turn()
        #expect(world.closed(ben) == nil)
        world.advance(20_000)
        #expect(world.closed(ben) == .idle)
    }

    @Test("R-101: the clock of silence stands while the relay itself did not run")
    func standstill() {
        var world = World()
        let ana = world.join("ana")
        world.links[ana].answersPings = false
        world.advance(20_000)
        // The process was stopped for a minute: no deadline fired in between.
        world.now.monotonic += 60_000
        world.now.wall += 60_000
        world.turn()
        #expect(world.closed(ana) == nil)
        world.advance(4_000)
        #expect(world.closed(ana) == nil)
        world.advance(11_000)
        #expect(world.closed(ana) == .silent)
    }

    @Test("R-104: bytes that do not leave end the connection as lagged; progress keeps it")
    func stall() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.links[ana].capacity = 0
        world.set(ben, Setting(.handRaised(true)))
        #expect(world.links[ana].unsent.isEmpty == false)
        // Bytes leave now and then.
        let kept = world.links[ana].unsent.count
        for sent in 1...3 {
            world.reportedUnsent = kept - sent
            world.advance(9_000)
            world.send(ana, .speaking(Speaking(on: false)))
        }
        #expect(world.links[ana].isClosed == false)
        // The last byte moved 6 to 9 s ago, depending on when the shell was asked.
        world.advance(5_999)
        #expect(world.links[ana].isClosed == false)
        world.advance(6_001)
        #expect(world.links[ana].isClosed)
        #expect(world.device("ana", as: ben)?.link == .reconnecting)
        let isLogged = world.log.contains {
            if case .refused(_, let refusal) = $0 { refusal.code == .lagged && refusal.advice == .now } else { false }
        }
        #expect(isLogged)
    }

    @Test("R-104: bytes that the system holds and that leave are progress too, however many they are")
    func slowSystem() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.links[ana].capacity = 0
        world.set(ben, Setting(.handRaised(true)))
        var held = 3_000_000
        world.core.holds(unsent: held, for: world.links[ana].id)
        for _ in 0..<20 {
            held -= 1_000
            world.reportedUnsent = held
            world.advance(6_000)
            world.send(ana, .speaking(Speaking(on: false)))
        }
        #expect(world.links[ana].isClosed == false)
        // More may be held than before, when what was in flight comes to the system; then it leaves again.
        for round in 0..<20 {
            held += round % 2 == 0 ? 4_000 : -5_000
            world.reportedUnsent = held
            world.advance(3_000)
            world.send(ana, .speaking(Speaking(on: false)))
        }
        #expect(world.links[ana].isClosed == false)
        for _ in 0..<4 {
            world.advance(6_000)
            world.send(ana, .speaking(Speaking(on: false)))
        }
        #expect(world.links[ana].isClosed)
    }

    @Test("R-104: a stalled connection without an attachment is cut too; late progress means nothing")
    func stallOfGreeted() {
        var world = World()
        let client = world.greet()
        world.turn()
        world.links[client].capacity = 0
        world.send(client, .list(request: 1, after: .empty))
        world.turn()
        for _ in 0..<3 {
            world.advance(6_000)
            world.send(client, .pong(Pong(position: .zero, time: 0)))
        }
        #expect(world.links[client].isClosed)
        let other = world.greet()
        world.turn()
        world.apply(.progress(world.links[other].id, unsent: 9))
        world.turn()
        #expect(world.links[other].isClosed == false)
    }

    @Test("R-63: each Resync is answered by a snapshot with reason requested; four within 10 s are too many")
    func resync() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        for _ in 0..<3 {
            world.send(ana, .resync(Resync(position: .zero, reason: .gap)))
            world.turn()
        }
        #expect(world.replica(ana).snapshots.map(\.reason) == [.join, .requested, .requested, .requested])
        world.expectEqual([ana, ben])
        world.advance(10_000)
        world.send(ana, .resync(Resync(position: .zero, reason: .digest)))
        world.turn()
        #expect(world.closed(ana) == nil)
        for _ in 0..<3 { world.send(ana, .resync(Resync(position: .zero, reason: .digest))) }
        world.turn()
        #expect(world.closed(ana) == .limit)
        #expect(world.device("ana", as: ben)?.link == .reconnecting)
    }

    @Test("R-55 R-63: a requested snapshot is not below the receiver's position")
    func resyncPosition() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.set(ben, Setting(.handRaised(true)))
        world.send(ana, .resync(Resync(position: world.state(ana).position, reason: .digest)))
        world.turn()
        #expect(world.replica(ana).snapshots.last?.position == world.state(ben).position)
        world.expectEqual([ana, ben])
    }

    @Test("A client is believed about its position only up to what it was given")
    func pongPositions() {
        var world = World()
        let ana = world.join("ana")
        let head = world.state(ana).position
        for position in [Position(epoch: 1 << 52, seq: 1), Position(epoch: head.epoch, seq: 1 << 52), .zero] {
            world.send(ana, .pong(Pong(position: position, time: 12)))
        }
        world.turn()
        #expect(world.set(ana, Setting(.handRaised(true)))?.code == .ok)
        world.expectHealthy()
    }
}
