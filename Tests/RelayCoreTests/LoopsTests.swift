import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Several loops: connections go to the loop of their call")
struct LoopsTests {
    @Test("R-133: SipHash-2-4 gives the published values")
    func keyedHash() {
        // The key and the messages of the reference: bytes 0, 1, 2, ...
        let expected: [(Int, UInt64)] = [
            (0, 0x726f_db47_dd0e_0e31), (1, 0x74f8_39c5_93dc_67fd), (7, 0xab02_00f5_8b01_d137),
            (8, 0x93f5_f579_9a93_2462), (15, 0xa129_ca61_49be_45e5), (63, 0x958a_324c_eb06_4572),
        ]
        for (count, hash) in expected {
            let message = (0..<count).map { UInt8($0) }
            #expect(
                KeyedHash.hash(message.span, key: 0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908) == hash,
                "of \(count) bytes"
            )
        }
    }

    @Test("R-133: every call has one home, calls are spread evenly, and only the key tells where")
    func homes() {
        let (homes, others) = (CallHomes(count: 4, key: 1, 2), CallHomes(count: 4, key: 3, 4))
        var counts = [0, 0, 0, 0]
        var moved = 0
        for number in 0..<4_000 {
            let session = ByteString("call-\(number)")
            let home = homes.home(of: session)
            #expect(home == homes.home(of: session))
            counts[home] += 1
            if home != others.home(of: session) { moved += 1 }
        }
        #expect(counts.allSatisfy { (850...1_150).contains($0) }, "\(counts)")
        #expect((2_800...3_200).contains(moved), "\(moved)")
        #expect(CallHomes(count: 1, key: 1, 2).home(of: "call") == 0)
    }

    @Test("R-133: a Join goes to the loop of its call with what came behind it, and Welcome comes first")
    func joinMoves() {
        var world = LoopsWorld(3)
        let session = world.session(in: 2)
        let client = world.greet(in: 0)
        world.give(
            [
                .join(Join(session: session, uid: "ana", device: "d")),
                .command(Command(op: 1, settings: [Setting(.handRaised(true))])),
                .command(Command(op: 2, settings: [Setting(.name("Ana"))])),
            ],
            client
        )
        world.settle()
        #expect(world.links[client].loop == 2)
        #expect(world.links[client].moves == 1)
        guard case .welcome? = world.replica(client).frames.first else {
            Issue.record("Welcome is not first: \(world.replica(client).frames)")
            return
        }
        #expect(world.replica(client).acks.map(\.op) == [1, 2])
        #expect(world.replica(client).state.person(uid: "ana")?.name == "Ana")
        #expect(world.cores[0].livingConnections == 0 && world.cores[2].livingConnections == 1)
        #expect(world.counts.connections == 1)
    }

    @Test("R-133: whoever comes to the loop of its call stays there")
    func homeStays() {
        var world = LoopsWorld(3)
        let client = world.join("ana", world.session(in: 1), from: 1)
        #expect(world.replica(client).joined?.outcome == .new)
        #expect(world.links[client].moves == 0)
    }

    @Test("R-133: what a client has sent counts, also when it does not listen any more")
    func unsaidTravels() {
        var world = LoopsWorld(2)
        let session = world.session(in: 1)
        let client = world.greet(in: 0)
        // The first write would fail: it is left to the loop that has done what was asked for.
        world.links[client].isStuck = true
        world.give(
            [
                .join(Join(session: session, uid: "ana", device: "d")),
                .command(Command(op: 1, settings: [Setting(.handRaised(true))])),
            ],
            client
        )
        world.settle()
        #expect(world.replica(client).frames.isEmpty)
        #expect(world.cores[1].withState(of: session) { $0.raisedHands.count } == 1)
        world.drain(client)
        world.settle()
        guard case .welcome? = world.replica(client).frames.first else {
            Issue.record("Welcome is not first: \(world.replica(client).frames)")
            return
        }
        #expect(world.replica(client).acks.map(\.op) == [1])
    }

    @Test("R-133: a snapshot, and what is on its way, is said before the connection goes")
    func waitsForOutput() {
        var world = LoopsWorld(2)
        _ = world.join("ben", world.session(in: 0), from: 0)
        let client = world.greet(in: 0)
        world.links[client].isStuck = true
        world.give([.peek(session: world.session(in: 0), request: 1)], client)
        world.give([.join(Join(session: world.session(in: 1), uid: "ana", device: "d"))], client)
        world.settle()
        #expect(world.links[client].loop == 0 && !world.links[client].isRead)
        world.drain(client)
        world.settle()
        #expect(world.links[client].loop == 1 && world.links[client].isRead)
        #expect(world.replica(client).snapshots.map(\.request) == [1, 0])
        #expect(world.replica(client).joined?.outcome == .new)
    }

    @Test("R-133: a Peek of several calls goes from loop to loop, in order, and a Join ends that")
    func peeksTravel() {
        var world = LoopsWorld(3)
        let sessions = (0..<3).map { world.session(in: $0) }
        for loop in 0..<3 { _ = world.join("u\(loop)", sessions[loop], from: 0) }
        let client = world.greet(in: 0)
        world.give(
            [
                .peek(session: sessions[1], request: 1), .peek(session: sessions[1], request: 2),
                .peek(session: sessions[2], request: 3), .peek(session: sessions[0], request: 4),
                .join(Join(session: sessions[1], uid: "ana", device: "d")),
            ],
            client
        )
        world.settle()
        #expect(world.replica(client).snapshots.map(\.request) == [1, 2, 3, 4, 0])
        #expect(world.links[client].loop == 1)
        #expect(world.links[client].moves == 4)
        #expect(world.replica(client).state.people.map(\.uid) == ["u1", "ana"])
        #expect(world.replica(client).complaints.isEmpty)
    }

    @Test("R-133: a peer that goes in that moment leaves nothing behind")
    func goneOnTheWay() {
        var world = LoopsWorld(2)
        let session = world.session(in: 1)
        let client = world.greet(in: 0)
        world.give([.join(Join(session: session, uid: "ana", device: "d"))], client)
        // Before it was handed over: the loop has not ended its turn.
        world.links[client].isClosed = true
        world.apply(.closed(world.links[client].id), to: 0)
        world.settle()
        #expect(world.counts.connections == 0)
        // And right after: the new loop learns of the end.
        let second = world.greet(in: 0)
        world.give([.join(Join(session: session, uid: "ana", device: "d")), .leave(.left)], second)
        world.turn()
        #expect(world.messages.count == 1)
        world.settle()
        #expect(world.replica(second).closed?.code == .left)
        #expect(world.counts.connections == 0 && world.counts.calls == 0)
        #expect(world.cores.allSatisfy { $0.livingConnections == 0 })
    }

    @Test("R-105 R-133: a stop before, on and after the way says to come back")
    func stopOnTheWay() {
        for delivered in 0...2 {
            var world = LoopsWorld(2)
            let client = world.greet(in: 0)
            world.give([.join(Join(session: world.session(in: 1), uid: "ana", device: "d"))], client)
            if delivered > 0 { world.turn() }
            if delivered > 1 { world.settle() }
            for loop in 0..<2 { world.apply(.stopping(resumeAfter: 1_000), to: loop) }
            world.settle()
            #expect(world.replica(client).closed?.code == .goingAway, "\(delivered)")
            #expect(world.links[client].isClosed)
            #expect(world.counts.connections == 0)
            #expect(world.stopped.sorted() == [0, 1])
        }
    }

    @Test("R-133: what comes behind an illegal Join is not read, and a second Hello ends it in either loop")
    func hostile() {
        var world = LoopsWorld(2)
        let session = world.session(in: 1)
        let client = world.greet(in: 0)
        world.give([.join(Join(session: session, uid: "ana", device: "")), .list(request: 1, after: .empty)], client)
        world.settle()
        #expect(world.replica(client).closed?.code == .badRequest)
        #expect(world.links[client].moves == 0)
        let second = world.greet(in: 0)
        world.give(
            [
                .join(Join(session: session, uid: "ana", device: "d")),
                .join(Join(session: world.session(in: 0), uid: "ana", device: "d")),
            ],
            second
        )
        world.settle()
        #expect(world.replica(second).closed?.code == .outOfOrder)
        #expect(world.links[second].moves == 1)
    }

    @Test("R-33 R-133: a device is taken over by a connection that comes to another loop")
    func takeover() {
        var world = LoopsWorld(4)
        let session = world.session(in: 3)
        let first = world.join("ana", session, from: 0)
        let second = world.join("ana", session, from: 1)
        #expect(world.replica(first).closed?.code == .replaced)
        #expect(world.replica(second).joined?.outcome == .replaced)
        #expect(world.replica(second).state.people.count == 1)
    }
}
