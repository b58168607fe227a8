import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Resume")
struct ResumeTests {
    @Test("R-27 R-29 R-30: a resume keeps incarnation, hand, role and order, and continues from its position")
    func resume() {
        var scene = ResumeScene()
        scene.world.set(scene.ana, Setting(.handRaised(true)), Setting(.role(.moderator)))
        let before = scene.world.person("ana", as: scene.ana)
        scene.world.cut(scene.ana)
        scene.world.set(scene.ben, Setting(.title("changed meanwhile")))
        let seq = scene.world.state(scene.ben).position.seq
        let back = scene.comeBack()
        let joined = scene.world.joined(back)
        #expect(joined.outcome == .resumed)
        #expect(joined.incarnation == scene.world.joined(scene.ana).incarnation)
        #expect(joined.secret == scene.world.joined(scene.ana).secret)
        #expect(joined.secret.count == 16)
        #expect(joined.attachment > scene.world.joined(scene.ana).attachment)
        #expect(joined.lastOp == 1)
        #expect(joined.follows == .delta)
        #expect(joined.position.seq == seq + 1)
        #expect(scene.world.replica(back).snapshots.isEmpty)
        let person = scene.world.person("ana", as: scene.ben)
        #expect(person?.hand == before?.hand)
        #expect(person?.role == .moderator)
        #expect(person?.slot == before?.slot)
        #expect(person?.devices.map(\.link) == [.active])
        #expect(person?.devices[0].reconnectingUntil == nil)
        scene.world.expectEqual([back, scene.ben])
        scene.world.advance(20_000)
        #expect(scene.world.device("ana", as: scene.ben)?.link == .active)
    }

    @Test("R-30 R-57: a copy from the middle of an epoch's first turn goes on by a delta", arguments: 1...4)
    func middleOfTheFirstTurn(commands: Int) {
        var world = World()
        let ben = world.greet()
        world.send(ben, .join(Join(session: "standup", uid: "ben", device: "laptop")))
        let ana = world.greet(instance: "instance-a")
        world.send(ana, .join(Join(session: "standup", uid: "ana", device: "laptop")))
        for op in 1...UInt64(commands) {
            world.send(ana, .command(Command(op: op, settings: [Setting(.handRaised(op % 2 == 1))])))
        }
        world.send(ana, .leave(.left))
        // The turn goes on with more.
        world.send(ben, .command(Command(op: 1, settings: [Setting(.title("plans"))])))
        world.turn()
        #expect(world.closed(ana) == .left)
        #expect(world.replica(ana).position < world.replica(ben).position)
        let back = world.comeBack(ana, as: "ana", attempt: 2, instance: "instance-a")
        #expect(world.replica(back).snapshots.isEmpty)
        world.expectEqual([ben, back])
        world.expectHealthy()
    }

    @Test("R-29: the facts in a resuming Join are ignored")
    func factsIgnored() {
        var scene = ResumeScene()
        scene.world.set(scene.ben, Setting(target: Target(uid: "ana"), .audioMuted(true)))
        scene.world.cut(scene.ana)
        var resume = scene.world.replica(scene.ana).resume()
        resume.digest = scene.world.state(scene.ana).digest
        let back = scene.world.join("ana", instance: "instance-a") {
            $0.attempt = 2
            $0.resume = resume
            $0.audioMuted = false
            $0.name = "new"
        }
        #expect(scene.world.joined(back).outcome == .resumed)
        #expect(scene.world.device("ana", as: scene.ben)?.isAudioMuted == true)
        #expect(scene.world.person("ana", as: scene.ben)?.name == "")
    }

    @Test("R-28 R-29: the new connection comes first, the end of the old one later: the new one stays")
    func newFirst() {
        var scene = ResumeScene()
        let seq = scene.world.state(scene.ben).position.seq
        let back = scene.comeBack()
        #expect(scene.world.joined(back).outcome == .resumed)
        #expect(scene.world.joined(back).follows == .nothing)
        #expect(scene.world.closed(scene.ana) == .replaced)
        #expect(scene.world.replica(scene.ana).closed?.advice == .now)
        // Nothing changed for anybody.
        #expect(scene.world.state(scene.ben).position.seq == seq)
        scene.world.apply(.closed(scene.world.links[scene.ana].id))
        scene.world.turn()
        #expect(scene.world.device("ana", as: scene.ben)?.link == .active)
        #expect(scene.world.set(back, Setting(.handRaised(true)))?.code == .ok)
        scene.world.expectEqual([back, scene.ben])
    }

    @Test("R-28: input of an attachment that is not the current one is dropped")
    func lateInput() {
        var scene = ResumeScene()
        scene.world.links[scene.ana].capacity = 0
        let back = scene.comeBack()
        let late = Command(op: 9, settings: [Setting(.handRaised(true))])
        scene.world.send(scene.ana, .command(late))
        scene.world.send(scene.ana, .leave(.left))
        scene.world.turn()
        #expect(scene.world.person("ana", as: scene.ben)?.hand == nil)
        #expect(scene.world.device("ana", as: scene.ben)?.link == .active)
        #expect(scene.world.joined(back).lastOp == 0)
    }

    @Test(
        "R-30: what follows depends on position and digest",
        arguments: ["unknown", "epoch", "digest", "none", "past"]
    )
    func reasons(what: String) {
        var scene = ResumeScene()
        let head = scene.world.state(scene.ana).position
        let back = scene.comeBack { resume in
            switch what {
            case "unknown": resume.position.seq = head.seq + 5
            case "epoch": resume.position.epoch = head.epoch + 1
            case "digest": resume.digest &+= 1
            case "none": resume.position = .zero
            default: resume.position.seq = 0
            }
        }
        let expected: [String: SnapshotReason] = [
            "unknown": .unknownPosition, "epoch": .epoch, "digest": .digest, "none": .join,
            "past": .unknownPosition,
        ]
        #expect(scene.world.joined(back).outcome == .resumed)
        #expect(scene.world.joined(back).follows == .snapshot)
        #expect(scene.world.replica(back).snapshots.map(\.reason) == expected[what].map { [$0] })
        scene.world.expectEqual([back, scene.ben])
    }

    @Test("R-30 R-44: below the floor a snapshot follows")
    func belowFloor() {
        var configuration = RelayConfiguration()
        configuration.maximumTombstones = 10
        var scene = ResumeScene(configuration)
        let resume = scene.world.replica(scene.ana).resume()
        scene.world.cut(scene.ana)
        for number in 0..<80 {
            let guest = scene.world.join("guest\(number)")
            scene.world.send(guest, .leave(.left))
            scene.world.turn()
        }
        let back = scene.world.join("ana", instance: "instance-a") {
            $0.attempt = 2
            $0.resume = resume
        }
        #expect(scene.world.joined(back).outcome == .resumed)
        #expect(scene.world.joined(back).follows == .snapshot)
        #expect(scene.world.replica(back).snapshots.map(\.reason) == [.belowFloor])
        scene.world.expectEqual([back, scene.ben])
    }

    @Test("R-44: tombstones are dropped when all have seen them, and kept for a device that may come back")
    func tombstones() {
        var scene = ResumeScene()
        scene.world.cut(scene.ana)
        for number in 0..<200 {
            let guest = scene.world.join("guest\(number)")
            scene.world.send(guest, .leave(.left))
            scene.world.turn()
        }
        let back = scene.comeBack()
        #expect(scene.world.joined(back).follows == .delta)
        scene.world.expectEqual([back, scene.ben])
        // All are at the head now and say so with their next Pong.
        scene.world.advance(11_000)
        for number in 0..<400 {
            let guest = scene.world.join("later\(number)")
            scene.world.send(guest, .leave(.left))
            scene.world.turn()
        }
        let late = scene.world.join("dan")
        #expect(scene.world.replica(late).state.tombstoneCount < 900)
        scene.world.expectEqual([back, scene.ben, late])
    }

    @Test("R-44: tombstones are kept for an observer that acts for others and may come back")
    func tombstonesOfActor() {
        var scene = ResumeScene()
        let bot = scene.world.observe(trusted: true, uid: "bot", instance: "instance-bot")
        let resume = scene.world.replica(bot).resume()
        let copy = scene.world.state(bot)
        scene.world.cut(bot)
        for number in 0..<100 {
            let guest = scene.world.join("guest\(number)")
            scene.world.send(guest, .leave(.left))
            scene.world.turn()
        }
        let back = scene.world.greet(trusted: true, instance: "instance-bot")
        scene.world.links[back].replica = Replica(copy: copy)
        var join = Join(session: "standup", uid: "bot", device: "bot")
        join.mode = .observer
        join.resume = resume
        scene.world.send(back, .join(join))
        scene.world.turn()
        #expect(scene.world.joined(back).follows == .delta)
        scene.world.expectEqual([back, scene.ben])
    }

    @Test("R-31: a wrong or late secret is a fresh join in the same turn")
    func expired() {
        var scene = ResumeScene()
        scene.world.set(scene.ana, Setting(.handRaised(true)))
        let wrong = scene.comeBack { $0.secret[3] ^= 1 }
        let joined = scene.world.joined(wrong)
        #expect(joined.outcome == .expired)
        #expect(joined.incarnation > scene.world.joined(scene.ana).incarnation)
        #expect(joined.secret != scene.world.joined(scene.ana).secret)
        #expect(joined.lastOp == 0)
        // In place: nobody has left, the hand stays up.
        #expect(scene.world.person("ana", as: scene.ben)?.hand != nil)
        #expect(scene.world.device("ana", as: scene.ben)?.isAudioMuted == true)
        scene.world.cut(wrong)
        scene.world.advance(15_000)
        #expect(scene.world.person("ana", as: scene.ben) == nil)
        let late = scene.comeBack(attempt: 3)
        #expect(scene.world.joined(late).outcome == .expired)
        #expect(scene.world.joined(late).follows == .delta)
        #expect(scene.world.person("ana", as: scene.ben)?.hand == nil)
        scene.world.expectEqual([late, scene.ben])
    }

    @Test("R-35: an observer resumes with position and digest alone")
    func observerResumes() {
        var scene = ResumeScene()
        let observer = scene.world.observe()
        let resume = scene.world.replica(observer).resume(secret: [])
        let copy = scene.world.state(observer)
        scene.world.cut(observer)
        scene.world.set(scene.ana, Setting(.title("new")))
        let back = scene.world.greet()
        scene.world.links[back].replica = Replica(copy: copy)
        var join = Join(session: "standup", uid: "", device: "")
        join.mode = .observer
        join.resume = resume
        scene.world.send(back, .join(join))
        scene.world.turn()
        #expect(scene.world.joined(back).outcome == .observer)
        #expect(scene.world.joined(back).follows == .delta)
        scene.world.expectEqual([back, scene.ben])
    }

    @Test("R-30 R-38: a copy of an earlier meeting gets a snapshot with reason epoch")
    func earlierMeeting() {
        var scene = ResumeScene()
        let resume = scene.world.replica(scene.ana).resume()
        scene.world.send(scene.ana, .leave(.left))
        scene.world.send(scene.ben, .leave(.left))
        scene.world.turn()
        let back = scene.world.join("ana", instance: "instance-a") {
            $0.attempt = 2
            $0.resume = resume
        }
        #expect(scene.world.joined(back).outcome == .expired)
        #expect(scene.world.replica(back).snapshots.map(\.reason) == [.epoch])
    }
}
