import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("What one slow or hasty client changes for the others")
struct UndisturbedTests {
    /// What a relay says to one client, piece by piece.
    struct Told: Equatable {
        var writes = 0
        var pieces: [Int] = []
        var frames: [ServerFrame] = []
    }

    /// Fifteen people; in 10 s everybody changes something in turn, 20 times a second in all; what all but the last
    /// were told, and in how many turns something went out.
    private func run(_ disturb: (inout World, _ client: Int, _ round: Int) -> Void) -> (told: [Told], turns: Int) {
        var configuration = RelayConfiguration()
        configuration.commandRate = .unlimited
        configuration.frameRate = Rate(perSecond: 100, burst: 400)
        var world = World(configuration, hasRates: true)
        let clients = (0..<15).map { world.join("u\($0)") }
        let slow = clients[14]
        var turns = 0
        for round in 0..<200 {
            disturb(&world, slow, round)
            let before = world.links.dropLast().map(\.writes)
            world.set(clients[round % 14], Setting(.title(ByteString("title \(round)"))))
            turns += world.links.dropLast().map(\.writes) == before ? 0 : 1
            world.advance(50)
        }
        let told = clients.dropLast().map { client in
            let link = world.links[client]
            return Told(writes: link.writes, pieces: link.pieces, frames: link.replica.frames)
        }
        world.links[slow].capacity = nil
        world.drain(slow)
        world.turn()
        world.expectEqual(clients)
        return (told, turns)
    }

    /// Whether those with the same number were told the same by both runs.
    private func expectEqual(_ one: [Told], _ other: [Told], sourceLocation: SourceLocation = #_sourceLocation) {
        for (number, pair) in zip(one, other).enumerated() {
            let (one, other) = (pair.0, pair.1)
            #expect(one.writes == other.writes, "client \(number)", sourceLocation: sourceLocation)
            #expect(one.pieces == other.pieces, "client \(number)", sourceLocation: sourceLocation)
            #expect(one.frames == other.frames, "client \(number)", sourceLocation: sourceLocation)
        }
    }

    @Test("R-104 R-126: a reader that stalls, or is slow, changes neither bytes nor writes nor turns of the others")
    func stalledReader() {
        let calm = run { _, _, _ in }
        #expect(calm.told.allSatisfy { $0.writes > 200 })
        let stalled = run { world, slow, round in if round == 0 { world.links[slow].capacity = 0 } }
        #expect(stalled.turns == calm.turns)
        expectEqual(stalled.told, calm.told)
        let slow = run { world, slow, round in
            world.links[slow].capacity = round % 7 == 0 ? nil : 0
            if round % 7 == 0 { world.drain(slow) }
        }
        #expect(slow.turns == calm.turns)
        expectEqual(slow.told, calm.told)
    }

    @Test("R-124: nor does one that floods with what changes nothing")
    func flood() {
        let calm = run { _, _, _ in }
        let floods: [(Int) -> ClientFrame] = [
            { _ in .pong(Pong(position: .zero, time: 0)) },
            { _ in .speaking(Speaking(on: false)) },
            // Repeated, refused and without effect.
            { _ in .command(Command(op: 1, settings: [Setting(.handRaised(false))])) },
            { .command(Command(op: UInt64($0 + 2), settings: [Setting(.handRaised(false))])) },
            { .command(Command(op: UInt64($0 + 2), settings: [Setting(target: Target(uid: "x"), .name("y"))])) },
            { .list(request: UInt64($0 + 1), after: "") },
        ]
        for (kind, frame) in floods.enumerated() {
            var sent = 0
            let flooded = run { world, slow, _ in
                for _ in 0..<100 where world.links[slow].isRead {
                    world.send(slow, frame(sent))
                    sent += 1
                }
            }
            #expect(sent >= 400 / 10, "\(kind)")
            #expect(sent <= 400 + 100 * 10 + 100, "\(kind)")
            expectEqual(flooded.told, calm.told)
        }
    }
}
