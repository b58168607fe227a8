import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("Peek, List and Inspect")
struct QueryTests {
    private func error(_ world: World, _ client: Int) -> (Code, UInt64)? {
        guard case .error(let refusal, let request)? = world.replica(client).frames.last else { return nil }
        return (refusal.code, request)
    }

    private func calls(_ world: World, _ client: Int) -> (calls: [CallSummary], more: Bool) {
        guard case .calls(_, let calls, let more)? = world.replica(client).frames.last else { return ([], false) }
        return (calls, more)
    }

    private func connections(_ world: World, _ client: Int) -> (connections: [ConnectionInfo], more: Bool) {
        guard case .connections(_, let list, let more)? = world.replica(client).frames.last else { return ([], false) }
        return (list, more)
    }

    @Test("R-107: Peek is one snapshot of the head, and no delta follows")
    func peek() {
        var world = World()
        let ana = world.join("ana")
        let client = world.greet()
        world.send(client, .peek(session: "standup", request: 4))
        world.turn()
        let expected = SnapshotHead(position: world.state(ana).position, reason: .requested, request: 4)
        #expect(world.replica(client).snapshots == [expected])
        #expect(world.state(client).digest == world.state(ana).digest)
        world.set(ana, Setting(.handRaised(true)))
        #expect(world.replica(client).deltas.isEmpty)
        world.send(client, .peek(session: "standup", request: 5))
        world.turn()
        #expect(world.state(client).digest == world.state(ana).digest)
        // Then it may still join.
        world.send(client, .join(Join(session: "standup", uid: "ben", device: "d")))
        world.turn()
        #expect(world.joined(client).outcome == .new)
        world.expectEqual([ana, client])
        world.send(client, .peek(session: "standup", request: 6))
        world.turn()
        #expect(error(world, client)?.0 == .outOfOrder)
        #expect(error(world, client)?.1 == 6)
    }

    @Test("R-15 R-107: a call that does not exist, and request 0")
    func peekRefused() {
        var world = World()
        let client = world.greet()
        world.send(client, .peek(session: "nowhere", request: 4))
        world.turn()
        #expect(error(world, client)?.0 == .noSuchCall)
        #expect(error(world, client)?.1 == 4)
        world.send(client, .peek(session: "nowhere", request: 0))
        world.turn()
        #expect(error(world, client)?.0 == .badRequest)
        #expect(world.closed(client) == nil)
        _ = world.observe(session: "watched")
        world.send(client, .peek(session: "watched", request: 1))
        world.turn()
        #expect(world.replica(client).snapshots.map(\.position) == [.zero])
    }

    @Test(
        "R-16 R-107: a session id that none can have is refused by its length, not said again",
        arguments: [0, 129, 60_000]
    )
    func peekOfNoSession(count: Int) {
        var world = World()
        let client = world.greet()
        world.send(client, .peek(session: ByteString([UInt8](repeating: 97, count: count)), request: 4))
        world.turn()
        #expect(error(world, client)?.0 == .badRequest)
        #expect(
            world.replica(client).frames.allSatisfy {
                if case .error(let refusal, _) = $0 {
                    refusal.text.contains("\(count) bytes") && refusal.text.count < 100
                } else {
                    true
                }
            }
        )
    }

    @Test("R-106: List gives the calls in order of session id, with what is in them")
    func list() {
        var world = World()
        let client = world.greet()
        world.send(client, .list(request: 1, after: .empty))
        world.turn()
        #expect(calls(world, client).calls.isEmpty)
        let ana = world.join("ana", session: "b")
        _ = world.join("ana", "phone", session: "b")
        _ = world.join("ben", session: "a")
        _ = world.observe(session: "b")
        _ = world.observe(session: "c")
        world.set(ana, Setting(.handRaised(true)), Setting(.recording(true)), Setting(.title("T")))
        world.send(client, .list(request: 2, after: .empty))
        world.turn()
        let list = calls(world, client)
        #expect(list.calls.map(\.session) == ["a", "b", "c"])
        #expect(list.more == false)
        let call = list.calls[1]
        #expect(call.meeting == world.state(ana).call.meetingID)
        #expect(call.position == world.state(ana).position)
        #expect(call.people == 1 && call.devices == 2 && call.observers == 1 && call.hands == 1)
        #expect(call.recording)
        #expect(call.startedAt == world.state(ana).call.startedAt)
        #expect(call.title == "T")
        #expect(list.calls[2].meeting.isEmpty)
        world.send(client, .list(request: 3, after: "a"))
        world.turn()
        #expect(calls(world, client).calls.map(\.session) == ["b", "c"])
        world.send(client, .list(request: 3, after: "aa"))
        world.turn()
        #expect(calls(world, client).calls.map(\.session) == ["b", "c"])
        world.send(ana, .list(request: 4, after: "b"))
        world.turn()
        #expect(calls(world, ana).calls.map(\.session) == ["c"])
    }

    @Test("R-106: a long list comes in pages below 64 KiB")
    func pages() {
        var world = World()
        for number in 0..<500 {
            let session = String(repeating: "x", count: 100) + String(1_000 + number)
            _ = world.join("ana", session: session)
        }
        let client = world.greet()
        var found: [ByteString] = []
        var pages = 0
        repeat {
            world.send(client, .list(request: 1, after: found.last ?? .empty))
            world.turn()
            pages += 1
            found += calls(world, client).calls.map(\.session)
        } while calls(world, client).more
        #expect(pages == 2)
        #expect(found.count == 500)
        #expect(found == found.sorted())
        #expect(world.links[client].pieces.allSatisfy { $0 < 64 * 1024 })
        #expect(world.links[client].isRead)
    }

    @Test("R-108: Inspect needs the admin right and gives the connections in order of number")
    func inspect() {
        var world = World()
        let ana = world.join("ana")
        world.send(ana, .inspect(request: 3, after: 0))
        world.turn()
        #expect(error(world, ana)?.0 == .forbidden)
        #expect(error(world, ana)?.1 == 3)
        let ben = world.join("ben")
        world.links[ben].capacity = 0
        world.set(ana, Setting(.handRaised(true)))
        world.set(ana, Setting(.handRaised(false)))
        let observer = world.observe(uid: "eve")
        let admin = world.greet(trusted: true)
        world.send(admin, .inspect(request: 4, after: 0))
        world.turn()
        let list = connections(world, admin)
        #expect(list.connections.map(\.number) == world.links.map(\.id.number))
        #expect(list.more == false)
        let info = list.connections[ben]
        #expect(info.session == "standup" && info.uid == "ben" && info.device == "laptop")
        #expect(info.mode == .participant)
        #expect(info.clientName == "test")
        #expect(info.attachedAt == world.now.wall && info.openedAt == world.now.wall)
        #expect(info.lag == 1)
        #expect(info.inFlight == UInt64(world.links[ben].unsent.count))
        #expect(info.writes == 2)
        #expect(list.connections[observer].mode == .observer)
        #expect(list.connections[observer].uid == "eve")
        #expect(list.connections[admin].session.isEmpty)
        #expect(list.connections[ana].lag == 0)
        #expect(list.connections[ana].roundTrip == 0)
        world.send(admin, .inspect(request: 5, after: list.connections[1].number))
        world.turn()
        #expect(connections(world, admin).connections.count == 2)
        world.links[ben].capacity = nil
        world.drain(ben)
        world.advance(10_000)
        world.send(admin, .inspect(request: 6, after: 0))
        world.turn()
        #expect(connections(world, admin).connections[ana].roundTrip == 1)
    }

    @Test("R-108: many connections come in pages")
    func inspectPages() {
        var world = World()
        for _ in 0..<600 { _ = world.greet() }
        let admin = world.greet(trusted: true)
        var found: [UInt64] = []
        repeat {
            world.send(admin, .inspect(request: 1, after: found.last ?? 0))
            world.turn()
            found += connections(world, admin).connections.map(\.number)
        } while connections(world, admin).more
        #expect(found == world.links.map(\.id.number))
        #expect(world.links[admin].pieces.allSatisfy { $0 < 64 * 1024 })
    }
}
