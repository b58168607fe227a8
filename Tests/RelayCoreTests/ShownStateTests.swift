import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

/// With the policy sync the state runs ahead of what is kept, and what anybody is told does not.
@Suite("What is shown when everything waits for the store")
struct ShownStateTests {
    /// A call with ana and ben, and a store that answers only when it is told to.
    struct Scene {
        var world: World
        let ana: Int
        let ben: Int

        init(_ change: (inout RelayConfiguration) -> Void = { _ in }) {
            var configuration = RelayConfiguration.keeping(.sync)
            change(&configuration)
            world = World(configuration)
            ana = world.join("ana", instance: "instance-a")
            ben = world.join("ben", instance: "instance-b")
            world.turn()
            world.answersAtOnce = false
        }

        /// The store does what it was asked for, and the turn ends.
        mutating func keep() {
            world.answer()
            world.turn()
        }

        mutating func keepAll() {
            while !world.store.requests.isEmpty { keep() }
        }
    }

    @Test("R-120: nothing of a change leaves before it is kept: no Delta, no Ack, no digest, no Peek")
    func waits() {
        var scene = Scene()
        let head = scene.world.state(scene.ben).position
        #expect(scene.world.set(scene.ana, op: 1, Setting(.handRaised(true))) == nil)
        #expect(scene.world.state(scene.ben).position == head)
        let looker = scene.world.greet()
        scene.world.send(looker, .peek(session: "standup", request: 1))
        scene.world.send(looker, .list(request: 2, after: ""))
        scene.world.turn()
        #expect(scene.world.state(looker).position == head)
        guard case .calls(_, let calls, _)? = scene.world.replica(looker).frames.last else {
            Issue.record("no list")
            return
        }
        #expect(calls.map(\.position) == [head])
        // A heartbeat does not wait, and has the digest of what is shown.
        scene.world.advance(11_000)
        guard case .ping(let ping)? = scene.world.replica(scene.ben).frames.last else {
            Issue.record("no ping")
            return
        }
        #expect(ping.position == head)
        #expect(ping.digest == scene.world.state(scene.ben).digest)
        scene.keep()
        #expect(scene.world.person("ana", as: scene.ben)?.hand != nil)
        #expect(scene.world.replica(scene.ana).acks.map(\.op) == [1])
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test(
        "R-61 R-120: a change that is kept alone names who made it and the operation; what gathered meanwhile comes as one"
    )
    func causes() {
        var scene = Scene()
        scene.world.set(scene.ana, op: 4, Setting(target: Target(uid: "ben"), .audioMuted(true)))
        scene.world.set(scene.ben, op: 1, Setting(.handRaised(true)))
        scene.world.set(scene.ben, op: 2, Setting(.name("Ben")))
        scene.keep()
        let first = scene.world.replica(scene.ben).deltas.last
        #expect(first?.actor == scene.world.joined(scene.ana).device)
        #expect(first?.op == 4)
        #expect(scene.world.replica(scene.ana).acks.map(\.op) == [4])
        #expect(scene.world.replica(scene.ben).acks.isEmpty)
        scene.keep()
        let second = scene.world.replica(scene.ben).deltas.last
        #expect(second?.op == 0)
        #expect(second?.fromSeq == first?.toSeq)
        #expect(scene.world.replica(scene.ben).acks.map(\.op) == [1, 2])
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test(
        "R-63 R-120: who asks for everything and goes, the last one, gets it before the answers",
        arguments: [true, false]
    )
    func lastAsks(isSlow: Bool) {
        var scene = Scene()
        scene.world.send(scene.ben, .leave(.left))
        scene.world.turn()
        scene.keepAll()
        if isSlow { scene.world.links[scene.ana].capacity = 0 }
        scene.world.send(scene.ana, .command(Command(op: 1, settings: [Setting(.handRaised(true))])))
        scene.world.send(scene.ana, .resync(Resync(position: .zero, reason: .unspecified)))
        scene.world.send(scene.ana, .command(Command(op: 2, settings: [Setting(.name("Ana"))])))
        scene.world.send(scene.ana, .leave(.left))
        scene.world.turn()
        scene.keepAll()
        scene.world.links[scene.ana].capacity = nil
        scene.world.drain(scene.ana)
        scene.world.turn()
        let replica = scene.world.replica(scene.ana)
        #expect(replica.acks.map(\.op) == [1, 2])
        #expect(scene.world.closed(scene.ana) == .left)
        #expect(replica.earlyAcks.isEmpty)
        #expect(replica.snapshots.last?.reason == .requested)
    }

    @Test("R-120: Joined waits until the join is kept, with everything that follows it; a heartbeat does not")
    func joined() {
        // A store that is slow, not one that can't.
        var scene = Scene { $0.storeTimeout = 60_000 }
        let chloe = scene.world.join("chloe")
        #expect(scene.world.replica(chloe).joined == nil)
        scene.world.send(chloe, .command(Command(op: 1, settings: [Setting(.handRaised(true))])))
        scene.world.send(chloe, .resync(Resync(position: .zero, reason: .unspecified)))
        scene.world.advance(11_000)
        guard case .ping(let ping)? = scene.world.replica(chloe).frames.last else {
            Issue.record("no ping")
            return
        }
        #expect(ping.position == nil)
        #expect(scene.world.replica(chloe).joined == nil)
        scene.keepAll()
        #expect(scene.world.joined(chloe).outcome == .new)
        #expect(scene.world.replica(chloe).acks.map(\.code) == [.ok])
        scene.world.expectEqual([scene.ana, scene.ben, chloe])
    }

    @Test("R-120: who resumes gets what is kept, and Joined and the rest when its own change is")
    func resume() {
        var scene = Scene()
        scene.world.set(scene.ben, op: 1, Setting(.title("one")))
        scene.keep()
        scene.world.cut(scene.ana)
        let copy = scene.world.state(scene.ana)
        let resume = scene.world.replica(scene.ana).resume()
        let back = scene.world.greet(instance: "instance-a")
        scene.world.links[back].replica = Replica(copy: copy)
        var join = Join(session: "standup", uid: "ana", device: "laptop")
        join.attempt = 2
        join.resume = resume
        scene.world.send(back, .join(join))
        scene.world.set(scene.ben, op: 2, Setting(.title("two")))
        #expect(scene.world.replica(back).joined == nil)
        scene.keep()
        scene.keepAll()
        #expect(scene.world.joined(back).follows == .delta)
        #expect(scene.world.replica(back).snapshots.isEmpty)
        scene.world.expectEqual([back, scene.ben])
    }

    @Test("R-30 R-120: a position above what is kept was never issued")
    func neverIssued() {
        var scene = Scene()
        scene.world.set(scene.ben, op: 1, Setting(.title("not kept")))
        let looker = scene.world.greet()
        var join = Join(session: "standup", uid: "", device: "")
        join.mode = .observer
        var resume = scene.world.replica(scene.ben).resume()
        resume.position.seq += 1
        join.resume = resume
        scene.world.send(looker, .join(join))
        scene.world.turn()
        #expect(scene.world.replica(looker).snapshots.map(\.reason) == [.unknownPosition])
        #expect(scene.world.state(looker).call.title == "")
        scene.keepAll()
        scene.world.expectEqual([scene.ana, scene.ben, looker])
    }

    @Test("R-120: an observer that only looks waits for nothing")
    func observer() {
        var scene = Scene()
        scene.world.set(scene.ben, op: 1, Setting(.title("later")))
        let looker = scene.world.observe()
        #expect(scene.world.joined(looker).position == scene.world.state(scene.ben).position)
        #expect(scene.world.state(looker).peopleCount == 2)
        scene.keep()
        #expect(scene.world.state(looker).call.title == "later")
        scene.world.expectEqual([scene.ana, scene.ben, looker])
    }

    @Test("R-120: Closed waits for what it tells: a leave, a removal, a takeover")
    func closed() {
        var scene = Scene()
        let chloe = scene.world.join("chloe")
        scene.keepAll()
        scene.world.set(scene.ana, op: 1, Setting(target: Target(uid: "chloe"), .removed(true)))
        let other = scene.world.join("ben", instance: "instance-z")
        scene.world.send(scene.ana, .leave(.left))
        scene.world.turn()
        for client in [chloe, scene.ana, scene.ben] { #expect(scene.world.closed(client) == nil) }
        scene.keepAll()
        #expect(scene.world.closed(chloe) == .removed)
        #expect(scene.world.closed(scene.ben) == .replaced)
        #expect(scene.world.closed(scene.ana) == .left)
        #expect(scene.world.replica(scene.ana).acks.map(\.op) == [1])
        #expect(scene.world.joined(other).outcome == .replaced)
        #expect(scene.world.state(other).peopleCount == 1)
        scene.world.expectHealthy()
    }

    @Test("R-70 R-120: who is closed while answers wait gets the frames that they refer to, then the answers")
    func closedWithAnswers() {
        var scene = Scene()
        scene.world.links[scene.ana].capacity = 0
        scene.world.set(scene.ben, op: 1, Setting(.title("one")))
        scene.keep()
        scene.world.set(scene.ana, op: 1, Setting(.handRaised(true)))
        scene.world.set(scene.ana, op: 2, Setting(.name("Ana")))
        scene.world.send(scene.ana, .leave(.left))
        scene.world.turn()
        scene.world.links[scene.ana].capacity = nil
        scene.world.drain(scene.ana)
        scene.keepAll()
        scene.world.turn()
        #expect(scene.world.replica(scene.ana).acks.map(\.op) == [1, 2])
        #expect(scene.world.closed(scene.ana) == .left)
        scene.world.expectHealthy()
    }

    @Test("R-104 R-120: nobody is lagging because the store is slow")
    func stall() {
        var scene = Scene()
        scene.world.set(scene.ana, op: 1, Setting(.handRaised(true)))
        scene.world.advance(24_000)
        #expect(scene.world.closed(scene.ana) == nil)
        #expect(scene.world.closed(scene.ben) == nil)
        scene.keepAll()
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test("R-71 R-120: answers that wait for the store count: a connection with too many is not read")
    func bounded() {
        var scene = Scene()
        for op in 1...70 as ClosedRange<UInt64> {
            scene.world.set(scene.ana, op: op, Setting(.title(ByteString("\(op)"))))
        }
        #expect(!scene.world.links[scene.ana].isRead)
        scene.keepAll()
        #expect(scene.world.links[scene.ana].isRead)
        #expect(scene.world.replica(scene.ana).acks.count == 70)
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test("R-37 R-120: a refused command and one that changes nothing are answered in their turn")
    func noCommit() {
        var scene = Scene()
        scene.world.set(scene.ana, op: 1, Setting(.handRaised(true)))
        scene.world.set(scene.ana, op: 2, Setting(.handRaised(true)))
        scene.world.set(scene.ana, op: 3, Setting(target: Target(uid: "nobody"), .audioMuted(true)))
        scene.keepAll()
        #expect(scene.world.replica(scene.ana).acks.map(\.op) == [1, 2, 3])
        #expect(scene.world.replica(scene.ana).acks.map(\.code) == [.ok, .ok, .noSuchTarget])
        scene.world.expectHealthy()
    }

    @Test("R-93 R-120: observers see the next meeting once its begin is kept")
    func nextMeeting() {
        var scene = Scene()
        let looker = scene.world.observe()
        for client in [scene.ana, scene.ben] { scene.world.send(client, .leave(.left)) }
        scene.world.turn()
        let again = scene.world.join("ana")
        #expect(scene.world.state(looker).peopleCount == 2)
        scene.keepAll()
        #expect(scene.world.replica(looker).snapshots.map(\.reason).last == .epoch)
        #expect(scene.world.state(looker).peopleCount == 1)
        scene.world.expectEqual([again, looker])
    }

    @Test("R-121: after a crash at any step nobody has been told of anything that is not kept", arguments: 0..<8)
    func crashes(step: Int) {
        var scene = Scene()
        scene.world.set(scene.ana, op: 1, Setting(.handRaised(true)))
        let chloe = scene.world.join("chloe", instance: "instance-c")
        scene.world.set(scene.ben, op: 1, Setting(.title("t")))
        for number in 0..<step {
            if number % 2 == 0 { scene.world.answer(1) } else { scene.world.turn() }
        }
        let acknowledged = [scene.ana, scene.ben].map { scene.world.replica($0).acks.count }
        let positions = [scene.ana, scene.ben].map { scene.world.state($0).position }
        let hadJoined = scene.world.replica(chloe).joined != nil
        scene.world.answersAtOnce = true
        scene.world.crash()
        for (place, (client, uid)) in [(scene.ana, "ana"), (scene.ben, "ben")].enumerated() {
            let back = scene.world.greet(instance: "instance-" + uid.prefix(1))
            scene.world.links[back].replica = Replica(copy: scene.world.state(client))
            var join = Join(session: "standup", uid: ByteString(uid), device: "laptop")
            join.attempt = 2
            join.resume = scene.world.replica(client).resume()
            scene.world.send(back, .join(join))
            scene.world.turn()
            #expect(scene.world.joined(back).outcome == .resumed)
            // Nothing that was told is lost.
            #expect(scene.world.replica(back).snapshots.isEmpty)
            #expect(scene.world.state(back).position > positions[place])
            if acknowledged[place] > 0 { #expect(scene.world.joined(back).lastOp == 1) }
            if place == 0, acknowledged[0] > 0 { #expect(scene.world.person("ana", as: back)?.hand != nil) }
            if place == 1, acknowledged[1] > 0 { #expect(scene.world.state(back).call.title == "t") }
            if place == 1, hadJoined { #expect(scene.world.person("chloe", as: back) != nil) }
        }
        scene.world.expectHealthy()
    }
}
