import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

/// What a connection takes that only watches: a relay has many of them.
@Suite("Memory of idle connections")
struct IdleMemoryTests {
    @Test("A connection is small, and what few have is not in it")
    func sizes() {
        #expect(MemoryLayout<Connection>.stride <= 304)
        #expect(RelaySizes.ofConnection.reduce(0) { $0 + $1.bytes } <= 360)
    }

    @Test("Who watches and takes what comes has no memory of its own for output, and nothing that few have")
    func watcher() {
        var world = World()
        let ana = world.join("ana")
        let eve = world.observe(uid: "eve")
        for client in [ana, eve] { world.links[client].answersPings = true }
        for round in 0..<20 { world.set(ana, Setting(.handRaised(round % 2 == 0))) }
        world.advance(30_000)
        let connection = world.core.connections[Int(world.links[eve].id.index)]
        #expect(connection.rare.isEmpty)
        #expect(connection.output.trailing.capacity == 0)
        #expect(connection.output.pieces.capacity == 0)
        #expect(connection.output.held.capacity == 0)
        world.expectEqual([ana, eve])
    }

    @Test("The memory of an answer that was said is the next one's, whoever it is for, and little of it is kept")
    func spareBuffers() {
        var world = World()
        let clients = (0..<40).map { world.join("u\($0)") }
        for round in 0..<3 {
            for client in clients {
                world.send(
                    client,
                    .command(Command(op: UInt64(round + 1), settings: [Setting(.handRaised(round % 2 == 0))]))
                )
            }
            world.turn()
            #expect(world.core.spareBuffers.count <= 16)
            #expect(world.core.spareBuffers.allSatisfy { $0.isEmpty && $0.capacity <= 16 * 1_024 })
            for client in clients {
                #expect(world.core.connections[Int(world.links[client].id.index)].output.trailing.capacity == 0)
            }
        }
        #expect(!world.core.spareBuffers.isEmpty)
        world.expectEqual(clients)
    }

    @Test("The deadline of a connection counts for its place: one that was given on has its own")
    func placeGivenOn() {
        var deadlines = Deadlines()
        let first = Deadlines.Subject.connection(ConnectionID(index: 3, generation: 1))
        let next = Deadlines.Subject.connection(ConnectionID(index: 3, generation: 2))
        deadlines.set(first, at: 10)
        deadlines.remove(first)
        deadlines.set(next, at: 20)
        #expect(deadlines.count == 1 && deadlines.first == 20)
        #expect(deadlines.takeDue(at: 15) == nil)
        #expect(deadlines.takeDue(at: 20)?.subject == next)
        #expect(deadlines.count == 0 && deadlines.heldCount == 0)
    }
}
