import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("What a connection costs")
struct CostTests {
    /// What the relay tells of a client.
    private func info(_ world: inout World, _ client: Int) -> ConnectionInfo? {
        let admin = world.greet(trusted: true)
        world.send(admin, .inspect(request: 1, after: 0))
        world.turn()
        guard case .connections(_, let list, _)? = world.replica(admin).frames.last else { return nil }
        return list.first { $0.number == world.links[client].id.number }
    }

    private func acknowledged(_ op: UInt64) -> ClientFrame {
        .command(Command(op: op, settings: [Setting(.handRaised(false))]))
    }

    @Test("R-132: the most that was held is what was on its way and what waited behind it, also when it is gone")
    func heldMost() throws {
        var world = World()
        let ana = world.join("ana")
        let before = try #require(info(&world, ana))
        world.links[ana].capacity = 0
        for op in 1...20 as ClosedRange<UInt64> {
            world.send(ana, acknowledged(op))
            world.turn()
        }
        let connection = world.core.connections[ana]
        let held = connection.inFlight + connection.output.byteCount
        #expect(connection.inFlight > 0 && connection.output.byteCount > 0 && held > before.heldMost)
        // Asked while it waits, and when nothing waits any more.
        #expect(try #require(info(&world, ana)).heldMost == held)
        world.links[ana].capacity = nil
        world.drain(ana)
        world.turn()
        #expect(world.core.connections[ana].output.byteCount == 0)
        #expect(try #require(info(&world, ana)).heldMost == held)
    }

    @Test("R-132: nobody has to ask at the right moment")
    func unasked() throws {
        var world = World()
        let ana = world.join("ana")
        world.links[ana].capacity = 0
        for op in 1...20 as ClosedRange<UInt64> {
            world.send(ana, acknowledged(op))
            world.turn()
        }
        let held = world.core.connections[ana].inFlight + world.core.connections[ana].output.byteCount
        world.links[ana].capacity = nil
        world.drain(ana)
        world.turn()
        #expect(try #require(info(&world, ana)).heldMost == held)
    }

    @Test("R-132: what the system holds counts with what waits here, and only the most of it")
    func system() throws {
        var world = World()
        let ana = world.join("ana")
        for unsent in [70_000, 30_000] { world.core.holds(unsent: unsent, for: world.links[ana].id) }
        #expect(try #require(info(&world, ana)).heldMost == 70_000)
    }

    @Test("R-132: turns are those in which something was handed over, however often in each")
    func turns() throws {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        let before = try #require(info(&world, ben))
        for round in 0..<5 { world.set(ana, Setting(.title(ByteString("\(round)")))) }
        // Nothing changes, and nothing is said to ben.
        for _ in 0..<5 { world.turn() }
        let after = try #require(info(&world, ben))
        #expect(after.turns - before.turns == 5)
        #expect(after.writes - before.writes == 5)
        // Twice in one turn, as when the first of it makes room for more.
        for turn: UInt32 in [world.core.turnNumber, world.core.turnNumber, world.core.turnNumber + 1] {
            world.core.connections[ben].countWrite(in: turn)
        }
        let last = try #require(info(&world, ben))
        #expect(last.turns - after.turns == 2)
        #expect(last.writes - after.writes == 3)
    }
}
