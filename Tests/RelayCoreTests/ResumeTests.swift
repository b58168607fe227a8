import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Resume and takeover")
struct ResumeTests {
    /// A call with ana, whose link is about to be lost, and ben.
    struct Scene {
        var world = World()
        let ana: Int
        let ben: Int

        init(_ configuration: RelayConfiguration = RelayConfiguration()) {
            world = World(configuration)
            ana = world.join("ana", instance: "instance-a")
            ben = world.join("ben")
        }

        /// Ana's program comes back with what it has.
        mutating func comeBack(
            attempt: UInt64 = 2,
            instance: String = "instance-a",
            _ change: (inout Resume) -> Void = { _ in }
        ) -> Int {
            world.comeBack(ana, as: "ana", attempt: attempt, instance: instance) { join in
                if var resume = join.resume {
                    change(&resume)
                    join.resume = resume
                }
            }
        }
    }

    @Test("R-27 R-29 R-30: a resume keeps incarnation, hand, role and order, and continues from its position")
    func resume() {
        var scene = Scene()
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

    @Test("R-29: the facts in a resuming Join are ignored")
    func factsIgnored() {
        var scene = Scene()
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
        var scene = Scene()
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
        var scene = Scene()
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
        var scene = Scene()
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
        var scene = Scene(configuration)
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
        var scene = Scene()
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
        var scene = Scene()
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
        var scene = Scene()
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

    @Test("R-32: a fresh join of a device that is in takes it over in place")
    func takeover() {
        var scene = Scene()
        scene.world.set(scene.ana, Setting(.handRaised(true)), Setting(.name("Ana")), Setting(.presenting(true)))
        let before = scene.world.person("ana", as: scene.ben)
        scene.world.advance(1_000)
        let other = scene.world.join("ana", instance: "instance-b") {
            $0.name = "Other"
            $0.audioMuted = true
        }
        let joined = scene.world.joined(other)
        #expect(joined.outcome == .replaced)
        #expect(joined.device == scene.world.joined(scene.ana).device)
        #expect(joined.person == scene.world.joined(scene.ana).person)
        #expect(joined.incarnation > scene.world.joined(scene.ana).incarnation)
        #expect(scene.world.closed(scene.ana) == .replaced)
        #expect(scene.world.replica(scene.ana).closed?.advice == .never)
        let person = scene.world.person("ana", as: scene.ben)
        #expect(person?.name == "Ana")
        #expect(person?.hand == before?.hand)
        #expect(person?.joinedAt == before?.joinedAt)
        #expect(person?.devices[0].joinedAt == before?.devices[0].joinedAt)
        #expect(person?.devices[0].isAudioMuted == true)
        #expect(person?.devices[0].isPresenting == false)
        scene.world.apply(.closed(scene.world.links[scene.ana].id))
        scene.world.turn()
        #expect(scene.world.device("ana", as: scene.ben)?.link == .active)
        scene.world.expectEqual([other, scene.ben])
    }

    @Test("R-32: the same when the old connection's end comes first")
    func takeoverOfReconnecting() {
        var scene = Scene()
        scene.world.cut(scene.ana)
        let other = scene.world.join("ana", instance: "instance-b")
        #expect(scene.world.joined(other).outcome == .replaced)
        #expect(scene.world.device("ana", as: scene.ben)?.link == .active)
        scene.world.advance(20_000)
        #expect(scene.world.device("ana", as: scene.ben)?.link == .active)
        scene.world.expectEqual([other, scene.ben])
    }

    @Test(
        "R-33: who was replaced by another program does not come back with its secret, however many came after",
        arguments: [1, 6, 40]
    )
    func replacedSecret(others: Int) {
        var scene = Scene()
        let resume = scene.world.replica(scene.ana).resume()
        var last = scene.ana
        for other in 0..<others { last = scene.world.join("ana", instance: "instance-b\(other)") }
        func comeBack() -> Int {
            scene.world.join("ana", instance: "instance-a") {
                $0.attempt = 2
                $0.resume = resume
            }
        }
        let back = comeBack()
        #expect(scene.world.closed(back) == .replaced)
        #expect(scene.world.replica(back).closed?.advice == .never)
        #expect(scene.world.closed(last) == nil)
        #expect(scene.world.device("ana", as: scene.ben)?.link == .active)
        // Also when the other one has left: only a person may decide to come back.
        scene.world.send(last, .leave(.left))
        scene.world.turn()
        #expect(scene.world.device("ana", as: scene.ben) == nil)
        let again = comeBack()
        #expect(scene.world.closed(again) == .replaced)
    }

    @Test("R-33: the last 1,024 replaced secrets of a call are remembered, and no more")
    func replacedSecretsAreBounded() {
        var secrets = ReplacedSecrets()
        func secret(_ number: Int) -> [UInt8] { Array("secret-\(number)".utf8) }
        for number in 0..<5_000 { secrets.insert(secret(number), by: [1], with: [9]) }
        #expect(!secrets.contains(secret(5_000 - ReplacedSecrets.maximum - 1), byOtherThan: [2]))
        #expect(secrets.contains(secret(5_000 - ReplacedSecrets.maximum), byOtherThan: [2]))
        #expect(secrets.contains(secret(4_999), byOtherThan: [2]))
        #expect(!secrets.contains(secret(4_999), byOtherThan: [1]))
        #expect(!secrets.contains([], byOtherThan: [2]))
        secrets.removeAll()
        #expect(!secrets.contains(secret(4_999), byOtherThan: [2]))
    }

    @Test("R-33: a secret counts as replaced by another program also when its own program came in between")
    func replacedByWayOfOwn() {
        var secrets = ReplacedSecrets()
        secrets.insert([1], by: [10], with: [2])
        secrets.insert([2], by: [10], with: [3])
        #expect(!secrets.contains([1], byOtherThan: [10]))
        secrets.insert([3], by: [11], with: [4])
        for secret in [[1], [2], [3]] as [[UInt8]] { #expect(secrets.contains(secret, byOtherThan: [10])) }
        // The first two were replaced by another program than this one, the third by itself.
        #expect(secrets.contains([1], byOtherThan: [11]) && !secrets.contains([3], byOtherThan: [11]))
        // Whatever secrets are drawn, the search ends.
        secrets.insert([4], by: [11], with: [4])
        #expect(!secrets.contains([4], byOtherThan: [11]))
    }

    @Test("R-33: an older session of a program does not put out the other program that replaced its newer one")
    func olderSession() {
        var scene = Scene()
        let first = scene.world.replica(scene.ana).resume()
        let second = scene.world.join("ana", instance: "instance-a") { $0.attempt = 5 }
        #expect(scene.world.replica(scene.ana).closed?.advice == .now)
        let other = scene.world.join("ana", instance: "instance-b")
        #expect(scene.world.replica(second).closed?.advice == .never)
        func comeBack() -> Int {
            scene.world.join("ana", instance: "instance-a") {
                $0.attempt = 9
                $0.resume = first
            }
        }
        let back = comeBack()
        #expect(scene.world.closed(back) == .replaced)
        #expect(scene.world.replica(back).closed?.advice == .never)
        #expect(scene.world.closed(other) == nil)
        scene.world.send(other, .leave(.left))
        scene.world.turn()
        let again = comeBack()
        #expect(scene.world.closed(again) == .replaced)
    }

    @Test("R-33: the program that replaced itself comes back with an older secret as expired")
    func ownReplacedSecret() {
        var scene = Scene()
        _ = scene.world.join("ana", instance: "instance-a") { $0.attempt = 2 }
        let back = scene.comeBack(attempt: 3)
        #expect(scene.world.joined(back).outcome == .expired)
    }

    @Test("R-34: a Join with an attempt that is not above the current one of the same program is stale")
    func staleAttempt() {
        var scene = Scene()
        let second = scene.comeBack(attempt: 5)
        for attempt in [4, 5] as [UInt64] {
            let stale = scene.comeBack(attempt: attempt)
            #expect(scene.world.closed(stale) == .staleAttempt)
            #expect(scene.world.replica(stale).closed?.advice == .never)
        }
        #expect(scene.world.closed(second) == nil)
        #expect(scene.world.device("ana", as: scene.ben)?.link == .active)
        let guest1 = scene.comeBack(attempt: 6)
        #expect(scene.world.joined(guest1).outcome == .resumed)
    }

    @Test("R-35: an observer resumes with position and digest alone")
    func observerResumes() {
        var scene = Scene()
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
        var scene = Scene()
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
