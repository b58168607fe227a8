import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("Output")
struct OutputTests {
    @Test("R-57 R-61: changes of one turn are one shared frame, the same bytes for all, one write for each")
    func sharedFrame() {
        var world = World()
        let clients = (0..<5).map { world.join("u\($0)") }
        let before = world.links.map(\.writes)
        for (client, op) in zip(clients, 1...5 as ClosedRange<UInt64>) {
            world.send(client, .command(Command(op: op, settings: [Setting(.handRaised(true))])))
        }
        world.turn()
        for client in clients {
            #expect(world.links[client].writes == before[client] + 1)
            let delta = world.replica(client).deltas.last
            #expect(delta?.records.records.count == 5)
            #expect(delta?.digest == nil)
        }
        #expect(Set(clients.map { world.replica($0).deltas.last }).count == 1)
        world.expectEqual(clients)
    }

    @Test("All readers are told in one turn, another one first each time, so that nobody is always last")
    func inTurn() {
        var world = World()
        let clients = (0..<4).map { world.join("u\($0)") }
        var firsts: [ConnectionID] = []
        for op in 1...8 as ClosedRange<UInt64> {
            let setting = Setting(.handRaised(op % 2 == 1))
            var effects: [Effect] = []
            let command = ClientFrame.command(Command(op: op, settings: [setting]))
            world.core.apply(.received(world.links[clients[0]].id, command), at: world.now, into: &effects)
            world.core.endTurn(at: world.now, into: &effects)
            var told: [ConnectionID] = []
            while let id = world.core.nextOutput() {
                var bytes = 0
                world.core.takeOutput(of: id, at: world.now, into: &effects, room: .max) { bytes += $0.count }
                if bytes > 0 { told.append(id) }
            }
            #expect(Set(told) == Set(clients.map { world.links[$0].id }) && told.count == 4)
            firsts.append(told[0])
        }
        for client in clients { #expect(firsts.count { $0 == world.links[client].id } == 2) }
    }

    @Test("The frames of a turn are handed to each reader at one place, and said to rest there; an answer is not")
    func resting() {
        var world = World()
        let clients = (0..<5).map { world.join("u\($0)") }
        var effects: [Effect] = []
        let command = ClientFrame.command(Command(op: 1, settings: [Setting(.handRaised(true))]))
        world.core.apply(.received(world.links[clients[0]].id, command), at: world.now, into: &effects)
        world.core.endTurn(at: world.now, into: &effects)
        var places: [Int: Set<UInt>] = [:]
        var passing: [ConnectionID] = []
        while let id = world.core.nextOutput() {
            world.core.takeOutput(of: id, at: world.now, into: &effects) { own, shared, _, sharing in
                if sharing == .resting, own.isEmpty {
                    let place = shared.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
                    places[shared.count, default: []].insert(place)
                } else {
                    passing.append(id)
                }
                return .sent
            }
        }
        #expect(passing == [world.links[clients[0]].id])
        #expect(places.count == 1 && places.values.first?.count == 1)
    }

    @Test("R-57: a shared frame leaves the epoch out only when the one before it had the same")
    func epochOfFrames() {
        var configuration = RelayConfiguration()
        configuration.maximumDelta = 400
        var world = World(configuration)
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.set(ana, Setting(.handRaised(true)))
        #expect(world.replica(ana).deltas.map(\.toEpoch) == [nil, nil])
        // A frame that is too long is not kept: there is none before the next one.
        world.set(ana, Setting(.attribute(Attribute(key: "k", value: Array(repeating: 1, count: 500)))))
        world.set(ana, Setting(.handRaised(false)))
        world.set(ana, Setting(.handRaised(true)))
        #expect(world.replica(ana).deltas.map(\.toEpoch) == [nil, nil, 100, nil])
        world.expectEqual([ana, ben])
    }

    @Test("R-59: who is behind is merged: one frame, and one when the ring does not reach back")
    func merged() {
        var configuration = RelayConfiguration()
        configuration.ringBytes = 100
        var world = World(configuration)
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.links[ben].capacity = 0
        for number in 0..<50 { world.set(ana, Setting(.title(ByteString("title \(number)")))) }
        let before = world.replica(ben).deltas.count
        world.links[ben].capacity = nil
        world.drain(ben)
        world.turn()
        let deltas = world.replica(ben).deltas.dropFirst(before)
        // The one on its way, and one for all the others.
        #expect(deltas.count == 2)
        #expect(deltas.last?.digest == world.state(ana).digest)
        #expect(deltas.last?.toEpoch == 100)
        #expect(deltas.last?.op == 0)
        world.expectEqual([ana, ben])
    }

    @Test("R-59: a cursor inside of the ring gets its rest in one piece")
    func fromTheRing() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.links[ben].capacity = 0
        for number in 0..<5 { world.set(ana, Setting(.title(ByteString("title \(number)")))) }
        world.links[ben].capacity = nil
        let pieces = world.links[ben].pieces.count
        world.drain(ben)
        world.turn()
        #expect(world.links[ben].pieces.count == pieces + 1)
        #expect(world.replica(ben).deltas.suffix(4).allSatisfy { $0.digest == nil })
        world.expectEqual([ana, ben])
    }

    @Test("R-62: a difference above the limit is a snapshot with reason lagged")
    func lagged() {
        var configuration = RelayConfiguration()
        configuration.maximumDelta = 2_000
        configuration.ringBytes = 100
        var world = World(configuration)
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.links[ben].capacity = 0
        world.set(ana, Setting(.title("first")))
        for key in 0..<10 {
            let attribute = Attribute(key: ByteString("k\(key)"), value: Array(repeating: 1, count: 300))
            world.set(ana, Setting(.attribute(attribute)))
        }
        world.links[ben].capacity = nil
        world.drain(ben)
        world.turn()
        #expect(world.replica(ben).snapshots.map(\.reason) == [.join, .lagged])
        world.expectEqual([ana, ben])
        // A turn whose own frame is too long is a snapshot for all.
        let settings = (0..<10).map { key in
            Setting(.attribute(Attribute(key: ByteString("m\(key)"), value: Array(repeating: 2, count: 300))))
        }
        world.send(ben, .command(Command(op: 1, settings: settings)))
        world.turn()
        #expect(world.replica(ana).snapshots.last?.reason == .lagged)
        world.expectEqual([ana, ben])
    }

    @Test("R-44: who is below the floor gets a snapshot")
    func belowFloor() {
        var configuration = RelayConfiguration()
        configuration.maximumTombstones = 20
        configuration.ringBytes = 50
        var world = World(configuration)
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.links[ben].capacity = 0
        world.set(ana, Setting(.title("x")))
        for number in 0..<60 {
            let guest = world.join("guest\(number)")
            world.send(guest, .leave(.left))
            world.turn()
        }
        world.links[ben].capacity = nil
        world.drain(ben)
        world.turn()
        #expect(world.replica(ben).snapshots.map(\.reason) == [.join, .belowFloor])
        world.expectEqual([ana, ben])
    }

    @Test("R-51 R-53: a large snapshot comes in parts, with nothing of the call in between, also to a slow reader")
    func largeSnapshot() {
        var world = World()
        let bot = world.observe(trusted: true, uid: "bridge")
        for number in 0..<40 {
            let settings = (0..<50).map { place in
                var facts = BringIn()
                facts.avatar = ByteString(Array(repeating: 97, count: 200))
                return Setting(target: Target(uid: ByteString("u\(number)-\(place)"), device: "d"), .bringIn(facts))
            }
            world.send(bot, .command(Command(op: UInt64(number + 1), settings: settings)))
            world.turn()
        }
        let late = world.greet()
        world.turn()
        world.links[late].capacity = 10
        world.send(late, .join(Join(session: "standup", uid: "late", device: "d")))
        world.turn()
        #expect(world.replica(late).isComplete == false)
        for _ in 0..<100 {
            if world.links[late].unsent.isEmpty { break }
            world.set(bot, Setting(.title(ByteString("title \(world.links[late].writes)"))))
            world.drain(late)
            world.turn()
        }
        let parts = world.replica(late).frames.filter { if case .part = $0 { true } else { false } }
        world.links[late].capacity = nil
        world.drain(late)
        world.turn()
        #expect(parts.count >= 8)
        #expect(world.links[late].pieces.allSatisfy { $0 <= 64 * 1024 + 16 * 1024 })
        #expect(world.replica(late).isComplete)
        #expect(world.state(late).peopleCount == 2_001)
        world.expectEqual([bot, late])
    }

    @Test("R-55: joiners share a snapshot; who comes a little later gets the same one and the deltas after it")
    func sharedSnapshot() {
        var world = World()
        let ana = world.join("ana")
        let first = world.join("ben")
        let second = world.join("chloe")
        let position = world.replica(first).snapshots[0].position
        #expect(world.replica(second).snapshots[0].position == position)
        #expect(world.joined(second).position > position)
        #expect(world.replica(second).position == world.joined(second).position)
        world.expectEqual([ana, first, second])
    }

    @Test("R-71: a connection on which too many answers wait is not read until they have been written")
    func pausesReading() {
        var world = World()
        let ana = world.join("ana")
        world.links[ana].capacity = 0
        for op in 1...70 as ClosedRange<UInt64> {
            world.send(ana, .command(Command(op: op, settings: [Setting(.handRaised(op % 2 == 1))])))
            world.turn()
        }
        #expect(world.links[ana].isRead == false)
        // The clock of silence stands while it is not read.
        world.reportedUnsent = 1
        world.links[ana].answersPings = false
        world.advance(14_000)
        world.links[ana].capacity = nil
        world.drain(ana)
        world.turn()
        #expect(world.links[ana].isRead)
        #expect(world.replica(ana).acks.count == 70)
        world.advance(24_000)
        #expect(world.closed(ana) == nil)
        world.expectHealthy()
    }

    @Test("R-71: who goes on sending all the same is ended: the memory of a connection is bounded")
    func tooManyAnswers() {
        var world = World()
        let ana = world.join("ana")
        world.links[ana].capacity = 0
        world.set(ana, Setting(.handRaised(true)))
        for op in 2...600 as ClosedRange<UInt64> {
            world.send(ana, .command(Command(op: op, settings: [Setting(.handRaised(true))])))
        }
        world.turn()
        world.drain(ana)
        world.links[ana].capacity = nil
        world.turn()
        #expect(world.closed(ana) == .limit)
        // One that was on its way, and 512 that waited.
        #expect(world.replica(ana).acks.count == 513)
        world.expectHealthy()
    }

    @Test("Questions are refused while too many answers wait")
    func tooManyQuestions() {
        var world = World()
        _ = world.join("ana")
        let client = world.greet(trusted: true)
        world.turn()
        for request in 1...10 as ClosedRange<UInt64> {
            world.send(client, .peek(session: "standup", request: request))
        }
        world.send(client, .list(request: 11, after: .empty))
        world.send(client, .inspect(request: 12, after: 0))
        world.turn()
        let refused = world.replica(client).frames.compactMap { frame -> UInt64? in
            if case .error(let refusal, let request) = frame, refusal.code == .overload { request } else { nil }
        }
        #expect(refused == [9, 10, 11, 12])
        #expect(world.replica(client).snapshots.count == 8)
        #expect(world.links[client].isRead)
    }

    @Test("A connection that closes gets the frames that its last answers refer to, however far behind it was")
    func lastFramesOfLaggard() {
        var configuration = RelayConfiguration()
        configuration.ringBytes = 10
        var world = World(configuration)
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.links[ana].capacity = 0
        for number in 0..<5 { world.set(ben, Setting(.title(ByteString("t\(number)")))) }
        world.send(ana, .command(Command(op: 1, settings: [Setting(.handRaised(true))])))
        world.turn()
        world.send(ana, .leave(.left))
        world.turn()
        world.links[ana].capacity = nil
        world.drain(ana)
        world.turn()
        #expect(world.replica(ana).acks.count == 1)
        #expect(world.person("ana", as: ana)?.hand != nil)
        #expect(world.closed(ana) == .left)
        world.expectHealthy()
    }

    @Test("Who closes while its snapshot is still to come gets it before the answers")
    func closesBeforeSnapshot() {
        var world = World()
        let ana = world.join("ana")
        let client = world.greet()
        world.send(client, .join(Join(session: "standup", uid: "ben", device: "d")))
        world.send(client, .command(Command(op: 1, settings: [Setting(.handRaised(true))])))
        world.send(client, .leave(.left))
        world.turn()
        #expect(world.closed(client) == .left)
        #expect(world.replica(client).acks.count == 1)
        #expect(world.replica(client).isComplete)
        // It shows what was so when it left.
        #expect(world.person("ben", as: client)?.hand != nil)
        #expect(world.person("ben", as: ana) == nil)
        world.expectHealthy()
    }

    @Test("R-107: a call that is freed before its snapshot was written is answered by Error")
    func peekOfFreedCall() {
        var world = World()
        let ana = world.join("ana")
        let client = world.greet()
        world.turn()
        world.links[client].capacity = 0
        world.send(client, .list(request: 1, after: .empty))
        world.turn()
        world.send(client, .peek(session: "standup", request: 2))
        world.send(ana, .leave(.left))
        world.turn()
        world.links[client].capacity = nil
        world.drain(client)
        world.turn()
        guard case .error(let refusal, request: 2)? = world.replica(client).frames.last else {
            Issue.record("no Error")
            return
        }
        #expect(refusal.code == .noSuchCall)
    }
}
