import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("The life of a call")
struct CallLifeTests {
    @Test("R-91 R-107: Peek, List and observers create nothing; an observer of no call has an empty snapshot")
    func lookingCreatesNothing() {
        var world = World()
        let observer = world.observe()
        #expect(world.joined(observer).position == .zero)
        #expect(world.joined(observer).follows == .snapshot)
        #expect(world.replica(observer).snapshots.map(\.position) == [.zero])
        #expect(world.state(observer).liveRecordCount == 2)
        #expect(world.state(observer).digest == 0)
        #expect(world.claims.isEmpty)
        world.cut(observer)
        #expect(world.releases.isEmpty)
        #expect(world.log.contains { if case .meetingBegan = $0 { true } else { false } } == false)
    }

    @Test("R-35: an observer of no call resumes with nothing")
    func observerOfNoCall() {
        var world = World()
        let observer = world.observe {
            $0.resume = Resume(secret: [], position: .zero, digest: 0)
        }
        #expect(world.replica(observer).snapshots.map(\.reason) == [.join])
        let wrong = world.observe {
            $0.resume = Resume(secret: [], position: Position(epoch: 3, seq: 1), digest: 0)
        }
        #expect(world.replica(wrong).snapshots.map(\.reason) == [.epoch])
        let odd = world.observe {
            $0.resume = Resume(secret: [], position: .zero, digest: 5)
        }
        #expect(world.replica(odd).snapshots.map(\.reason) == [.digest])
    }

    @Test("R-38 R-91 R-93: observers that wait get a snapshot with reason epoch when a meeting begins")
    func observersWait() {
        var world = World()
        let observer = world.observe()
        let ana = world.join("ana")
        #expect(world.replica(observer).snapshots.map(\.reason) == [.join, .epoch])
        let first = world.state(ana).call.meetingID
        world.set(ana, Setting(.title("T")), Setting(.callLocked(true)), Setting(.recording(true)))
        world.set(ana, Setting(.callAttribute(Attribute(key: "k", value: [1]))), Setting(.standingMute(true)))
        let seq = world.state(observer).position.seq
        world.send(ana, .leave(.left))
        world.turn()
        // The end is in the commit of the leave.
        #expect(world.state(observer).position.seq == seq + 1)
        #expect(world.state(observer).liveRecordCount == 2)
        #expect(world.state(observer).digest == 0)
        #expect(world.releases.isEmpty)
        let ben = world.join("ben")
        #expect(world.replica(observer).snapshots.map(\.reason) == [.join, .epoch, .epoch])
        #expect(world.joined(ben).position.epoch == 101)
        #expect(world.joined(ben).position.seq == seq + 2)
        #expect(world.state(ben).call.meetingID != first)
        #expect(world.state(ben).call.title == "")
        #expect(world.claims == ["standup", "standup"])
        world.expectEqual([observer, ben])
        world.send(ben, .leave(.left))
        world.send(observer, .leave(.left))
        world.turn()
        #expect(world.releases == ["standup"])
        #expect(
            world.log.filter { if case .meetingEnded = $0 { true } else { false } }.count == 2
        )
    }

    @Test("R-93: a call is freed when it is empty, and begins anew after that")
    func freed() {
        var world = World()
        for round in 0..<3 as Range<UInt64> {
            let ana = world.join("ana")
            #expect(world.joined(ana).position == Position(epoch: 100 + round, seq: 1))
            world.send(ana, .leave(.left))
            world.turn()
            #expect(world.releases.count == Int(round) + 1)
        }
    }

    @Test("R-94: at most one person for the idle period ends the meeting")
    func idle() {
        var world = World()
        let observer = world.observe()
        let ana = world.join("ana") { $0.idle = 60_000 }
        let phone = world.join("ana", "phone")
        world.advance(30_000)
        let ben = world.join("ben")
        world.advance(100_000)
        #expect(world.closed(ana) == nil)
        world.send(ben, .leave(.left))
        world.turn()
        world.advance(30_000)
        // Neither a takeover nor a second device begins the countdown anew.
        let again = world.join("ana")
        world.advance(29_999)
        #expect(world.closed(again) == nil)
        let seq = world.state(observer).position.seq
        world.advance(1)
        #expect(world.closed(again) == .idle)
        #expect(world.closed(phone) == .idle)
        #expect(world.replica(phone).closed?.advice == .never)
        #expect(world.closed(observer) == nil)
        #expect(world.state(observer).position.seq == seq + 1)
        #expect(world.state(observer).removal(of: world.joined(again).device)?.reason == .ended)
        #expect(world.log.contains(.left(session: "standup", uid: "ana", device: "phone", reason: .ended)))
        // Who was in is not told by seeing everybody leave.
        #expect(world.person("ana", as: again) != nil)
        world.expectHealthy()
    }

    @Test("R-94: people who are reconnecting count, and so does the policy as it is")
    func idleCounts() {
        var world = World()
        let ana = world.join("ana") {
            $0.idle = 20_000
            $0.grace = 60_000
        }
        let ben = world.join("ben")
        world.cut(ben)
        world.advance(30_000)
        #expect(world.closed(ana) == nil)
        world.advance(30_000)
        #expect(world.person("ben", as: ana) == nil)
        world.set(ana, Setting(.idle(0)))
        world.advance(50_000)
        #expect(world.closed(ana) == nil)
        world.set(ana, Setting(.idle(80_000)))
        world.advance(29_999)
        #expect(world.closed(ana) == nil)
        world.advance(1)
        #expect(world.closed(ana) == .idle)
        #expect(world.releases == ["standup"])
    }

    @Test("R-48: all times are the relay's, and never go back")
    func times() {
        var world = World()
        let ana = world.join("ana")
        world.advance(5_000)
        let ben = world.join("ben")
        world.set(ben, Setting(.handRaised(true)))
        let person = world.person("ben", as: ana)
        #expect(person?.joinedAt == world.now.wall)
        #expect(person?.devices[0].joinedAt == world.now.wall)
        #expect(person?.hand?.at == world.now.wall)
        #expect(world.person("ana", as: ana)?.joinedAt == world.now.wall - 5_000)
        let latest = world.now.wall
        world.now.wall -= 60_000
        let chloe = world.join("chloe")
        #expect(world.person("chloe", as: chloe)?.joinedAt == latest)
    }

    @Test("R-39: slots are given in order of joining and never used again")
    func slots() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        #expect(world.joined(ana).person == 2)
        #expect(world.joined(ana).device == 3)
        #expect(world.joined(ben).device == 5)
        world.send(ben, .leave(.left))
        world.turn()
        let back = world.join("ben")
        #expect(world.joined(back).person == 6)
    }
}
