import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("A relay that starts anew")
struct RestartTests {
    /// A call with ana and ben that a store keeps.
    struct Scene {
        var world: World
        var ana: Int
        var ben: Int
        private var attempts: UInt64 = 1

        init(_ durability: RelayConfiguration.Durability = .async) {
            world = World(.keeping(durability))
            ana = world.join("ana", instance: "instance-a")
            ben = world.join("ben", instance: "instance-b")
            world.advance(1_000)
        }

        /// The program of a client comes back with what it has.
        mutating func comeBack(_ client: Int, as uid: String, _ change: (inout Join) -> Void = { _ in }) -> Int {
            attempts += 1
            return world.comeBack(client, as: uid, attempt: attempts, instance: "instance-" + uid.prefix(1), change)
        }
    }

    @Test("R-118: after a short planned stop everybody resumes in the same epoch, and nothing has changed for anybody")
    func planned() {
        var scene = Scene()
        let position = scene.world.state(scene.ana).position
        scene.world.restart(after: 500)
        scene.ana = scene.comeBack(scene.ana, as: "ana")
        scene.ben = scene.comeBack(scene.ben, as: "ben")
        for client in [scene.ana, scene.ben] {
            #expect(scene.world.joined(client).outcome == .resumed)
            #expect(scene.world.joined(client).follows == .nothing)
            #expect(scene.world.joined(client).position == position)
        }
        scene.world.advance(10_000)
        #expect(scene.world.state(scene.ana).position == position)
        #expect(!scene.world.log.contains { if case .left = $0 { true } else { false } })
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test("R-118: who has not come back 5 s after that is reconnecting, and has a minute")
    func plannedLate() {
        var scene = Scene()
        scene.world.restart(after: 500)
        scene.ana = scene.comeBack(scene.ana, as: "ana")
        scene.world.advance(4_900)
        #expect(scene.world.device("ben", as: scene.ana)?.link == .active)
        scene.world.advance(200)
        #expect(scene.world.device("ben", as: scene.ana)?.link == .reconnecting)
        scene.world.advance(59_000)
        #expect(scene.world.device("ben", as: scene.ana)?.link == .reconnecting)
        scene.world.advance(1_500)
        #expect(scene.world.person("ben", as: scene.ana) == nil)
        #expect(scene.world.device("ana", as: scene.ana)?.link == .active)
    }

    @Test("R-118: after a long stop all are reconnecting at once, in the same epoch; resumes are deltas")
    func longStop() {
        var scene = Scene()
        let epoch = scene.world.state(scene.ana).position.epoch
        scene.world.restart(after: 60_000)
        scene.ana = scene.comeBack(scene.ana, as: "ana")
        #expect(scene.world.joined(scene.ana).follows == .delta)
        #expect(scene.world.joined(scene.ana).position.epoch == epoch)
        #expect(scene.world.device("ben", as: scene.ana)?.link == .reconnecting)
        scene.ben = scene.comeBack(scene.ben, as: "ben")
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test("R-30 R-118: after a crash a new epoch begins; what was kept resumes by a delta across the epochs")
    func crash() {
        var scene = Scene()
        scene.world.set(scene.ana, Setting(.handRaised(true)))
        scene.world.advance(1_000)
        let before = scene.world.state(scene.ana).position
        scene.world.crash()
        scene.ana = scene.comeBack(scene.ana, as: "ana")
        let joined = scene.world.joined(scene.ana)
        #expect(joined.outcome == .resumed)
        #expect(joined.follows == .delta)
        #expect(joined.position.epoch > before.epoch)
        #expect(joined.position.seq > before.seq)
        #expect(scene.world.replica(scene.ana).snapshots.isEmpty)
        #expect(scene.world.person("ana", as: scene.ana)?.hand?.version == 3)
        #expect(scene.world.device("ben", as: scene.ana)?.link == .reconnecting)
        scene.ben = scene.comeBack(scene.ben, as: "ben")
        #expect(scene.world.device("ben", as: scene.ana)?.link == .active)
        #expect(scene.world.joined(scene.ben).follows == .delta)
        scene.world.expectEqual([scene.ana, scene.ben])
        // A second crash: the positions of both epochs go on.
        scene.world.advance(1_000)
        let old = scene.ben
        scene.world.crash()
        scene.ana = scene.comeBack(scene.ana, as: "ana")
        scene.ben = scene.comeBack(old, as: "ben")
        #expect(scene.world.joined(scene.ana).follows == .delta)
        #expect(scene.world.joined(scene.ben).follows == .delta)
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test("R-30 R-118: who was shown what is lost gets a snapshot with the reason epoch")
    func lost() {
        var scene = Scene()
        scene.world.set(scene.ana, Setting(.handRaised(true)))
        scene.world.set(scene.ana, Setting(.title("lost")))
        #expect(scene.world.state(scene.ben).call.title == "lost")
        scene.world.crash()
        scene.ben = scene.comeBack(scene.ben, as: "ben")
        #expect(scene.world.joined(scene.ben).outcome == .resumed)
        #expect(scene.world.replica(scene.ben).snapshots.map(\.reason) == [.epoch])
        #expect(scene.world.state(scene.ben).call.title == "")
        scene.ana = scene.comeBack(scene.ana, as: "ana")
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test(
        "R-119: the facts of a device that was shown what is lost count; a lock wins, and what was changed since stays"
    )
    func restated() {
        var scene = Scene()
        scene.world.set(scene.ana, Setting(.audioMuted(true)))
        scene.world.set(scene.ben, Setting(.presenting(true)))
        scene.world.crash()
        // Kept: unmuted. Ben comes first and mutes ana's camera.
        scene.ben = scene.comeBack(scene.ben, as: "ben") {
            $0.presenting = true
            $0.audioMuted = false
            $0.videoPaused = false
        }
        #expect(scene.world.device("ben", as: scene.ben)?.isPresenting == true)
        #expect(scene.world.device("ana", as: scene.ben)?.isAudioMuted == false)
        scene.world.set(scene.ben, Setting(target: Target(uid: "ana"), .videoPaused(true)))
        scene.ana = scene.comeBack(scene.ana, as: "ana") {
            $0.audioMuted = true
            $0.videoPaused = false
            $0.presenting = false
        }
        #expect(scene.world.device("ana", as: scene.ben)?.isAudioMuted == true)
        #expect(scene.world.device("ana", as: scene.ben)?.isVideoPaused == true)
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test("R-29 R-119: the facts of a device that was shown nothing that is lost do not count")
    func notRestated() {
        var scene = Scene()
        scene.world.set(scene.ben, Setting(target: Target(uid: "ana"), .audioMuted(true)))
        scene.world.advance(1_000)
        scene.world.crash()
        scene.ana = scene.comeBack(scene.ana, as: "ana") {
            $0.audioMuted = false
            $0.videoPaused = true
        }
        #expect(scene.world.device("ana", as: scene.ana)?.isAudioMuted == true)
        #expect(scene.world.device("ana", as: scene.ana)?.isVideoPaused == false)
    }

    @Test("R-119: a lock that was kept is not undone by facts that were lost")
    func lockWins() {
        var scene = Scene()
        scene.world.set(scene.ben, Setting(target: Target(uid: "ana"), .audioLocked(true)))
        scene.world.advance(1_000)
        scene.world.set(scene.ben, Setting(target: Target(uid: "ana"), .audioLocked(false)))
        scene.world.set(scene.ana, Setting(.audioMuted(false)))
        scene.world.crash()
        scene.ana = scene.comeBack(scene.ana, as: "ana") { $0.audioMuted = false }
        #expect(scene.world.device("ana", as: scene.ana)?.isAudioMuted == true)
    }

    @Test("R-72 R-118: the answers to operations outlive a crash, and so do secrets, attempts and who stays out")
    func privates() {
        var scene = Scene()
        let refused = scene.world.set(scene.ana, op: 7, Setting(target: Target(uid: "nobody"), .audioMuted(true)))
        scene.world.set(scene.ana, op: 9, Setting(.handRaised(true)))
        let chloe = scene.world.join("chloe")
        scene.world.set(scene.ana, op: 10, Setting(target: Target(uid: "chloe"), .removed(true)))
        let dan = scene.world.join("dan", instance: "instance-d")
        let evil = scene.world.join("dan", instance: "instance-e")
        scene.world.advance(1_000)
        scene.world.crash()
        scene.ana = scene.comeBack(scene.ana, as: "ana")
        #expect(scene.world.joined(scene.ana).lastOp == 10)
        scene.world.set(scene.ana, op: 11, Setting(.handRaised(false)))
        #expect(scene.world.set(scene.ana, op: 9, Setting(.handRaised(true)))?.code == .ok)
        let repeated = scene.world.set(scene.ana, op: 7, Setting(.title("x")))
        #expect(repeated?.code == refused?.code)
        #expect(repeated?.text == refused?.text)
        #expect(scene.world.set(scene.ana, op: 8, Setting(.title("x")))?.code == .tooOld)
        #expect(scene.world.person("ana", as: scene.ana)?.hand == nil)
        let again = scene.comeBack(chloe, as: "chloe")
        #expect(scene.world.closed(again) == .removed)
        let replaced = scene.comeBack(dan, as: "dan")
        #expect(scene.world.closed(replaced) == .replaced)
        let stale = scene.comeBack(evil, as: "evil") {
            $0.uid = "dan"
            $0.attempt = 1
        }
        #expect(scene.world.closed(stale) == .staleAttempt)
    }

    @Test("R-27: numbers of incarnations and attachments are not given again after a restart")
    func numbers() {
        var scene = Scene()
        let before = scene.world.joined(scene.ben)
        scene.world.crash()
        let chloe = scene.world.join("chloe")
        #expect(scene.world.joined(chloe).incarnation > before.incarnation)
        #expect(scene.world.joined(chloe).attachment > before.attachment)
    }

    @Test(
        "R-102 R-118: a grace shorter than a minute is a minute after a restart; 0 too",
        arguments: [0, 15_000, 100_000]
    )
    func grace(grace: UInt64) {
        var scene = Scene()
        scene.world.set(scene.ana, Setting(.grace(grace)))
        scene.world.advance(1_000)
        scene.world.crash(for: 2_000)
        scene.ana = scene.comeBack(scene.ana, as: "ana")
        let until = scene.world.device("ben", as: scene.ana)?.reconnectingUntil
        #expect(until == scene.world.now.wall + max(grace, 60_000))
        scene.world.advance(max(grace, 60_000) - 100)
        #expect(scene.world.person("ben", as: scene.ana) != nil)
        scene.world.advance(200)
        #expect(scene.world.person("ben", as: scene.ana) == nil)
        // The next link that is lost has the grace of the call.
        scene.ben = scene.world.join("ben", instance: "instance-z")
        scene.world.cut(scene.ben)
        scene.world.advance(grace)
        #expect(scene.world.person("ben", as: scene.ana) == nil)
    }

    @Test("R-115 R-118: attendance: after a crash an interval ends where the call was last known")
    func attendance() throws {
        var scene = Scene()
        let wall = scene.world.now.wall
        scene.world.set(scene.ana, Setting(.title("t")))
        scene.world.advance(5_000)
        scene.world.crash(for: 30_000)
        scene.world.advance(100_000)
        let looker = scene.world.greet()
        scene.world.send(looker, .attendance(request: 1, AttendanceQuery()))
        scene.world.turn()
        guard case .attendance(_, let report)? = scene.world.replica(looker).frames.last else {
            Issue.record("no report")
            return
        }
        let meeting = try #require(report.meetings.first)
        #expect(report.meetings.count == 1)
        #expect(meeting.people.map(\.duration).allSatisfy { $0 == wall - 1_700_000_000_000 })
    }

    @Test("R-90 R-118: a bot comes back with the devices that it brought, or they leave after its grace")
    func bots() {
        var scene = Scene()
        let bot = scene.world.observe(trusted: true, uid: "bot", instance: "instance-bot")
        scene.world.set(bot, Setting(target: Target(uid: "phone", device: "sip"), .bringIn(BringIn())))
        scene.world.advance(1_000)
        func comeBack(_ scene: inout Scene, _ bot: Int) -> Int {
            let resume = scene.world.replica(bot).resume()
            let copy = scene.world.state(bot)
            let back = scene.world.greet(trusted: true, instance: "instance-bot")
            scene.world.links[back].replica = Replica(copy: copy)
            var join = Join(session: "standup", uid: "bot", device: "bot")
            join.mode = .observer
            join.resume = resume
            scene.world.send(back, .join(join))
            scene.world.turn()
            return back
        }
        scene.world.crash()
        let back = comeBack(&scene, bot)
        #expect(scene.world.joined(back).incarnation == scene.world.joined(bot).incarnation)
        #expect(scene.world.joined(back).follows == .delta)
        #expect(scene.world.device("phone", "sip", as: back)?.link == .active)
        #expect(
            scene.world.set(back, Setting(target: Target(uid: "phone", device: "sip"), .audioMuted(true)))?.code == .ok
        )
        scene.world.advance(1_000)
        scene.world.crash()
        scene.ana = scene.comeBack(scene.ana, as: "ana")
        #expect(scene.world.device("phone", "sip", as: scene.ana)?.link == .reconnecting)
        scene.world.advance(61_000)
        #expect(scene.world.person("phone", as: scene.ana) == nil)
    }

    @Test("R-94 R-118: the idle time goes on, but nobody is put out before they could come back")
    func idle() {
        var world = World(.keeping(.async))
        let ana = world.join("ana", instance: "instance-a") { $0.idle = 100_000 }
        world.advance(90_000)
        world.set(ana, Setting(.handRaised(true)))
        world.advance(1_000)
        let copy = world.state(ana)
        let resume = world.replica(ana).resume()
        world.crash(for: 30_000)
        let back = world.greet(instance: "instance-a")
        world.links[back].replica = Replica(copy: copy)
        var join = Join(session: "standup", uid: "ana", device: "laptop")
        join.attempt = 2
        join.resume = resume
        world.send(back, .join(join))
        world.turn()
        world.advance(59_000)
        #expect(world.closed(back) == nil)
        world.advance(2_000)
        #expect(world.closed(back) == .idle)
    }

    @Test("R-84 R-118: a request to unmute lapses when it would have")
    func unmuteRequest() {
        var scene = Scene()
        scene.world.set(scene.ana, Setting(.audioMuted(true)))
        scene.world.set(scene.ben, Setting(target: Target(uid: "ana"), .unmuteRequest(30_000)))
        scene.world.advance(1_000)
        scene.world.crash(for: 9_000)
        scene.ben = scene.comeBack(scene.ben, as: "ben")
        scene.world.advance(19_000)
        #expect(scene.world.person("ana", as: scene.ben)?.unmuteRequest != nil)
        scene.world.advance(1_500)
        #expect(scene.world.person("ana", as: scene.ben)?.unmuteRequest == nil)
    }

    @Test("R-44 R-118: what was removed before a crash is told in the delta after it")
    func tombstones() {
        var scene = Scene()
        let chloe = scene.world.join("chloe")
        scene.world.advance(100)
        scene.world.cut(scene.ben)
        scene.world.send(chloe, .leave(.left))
        scene.world.advance(1_000)
        scene.world.crash()
        scene.ben = scene.comeBack(scene.ben, as: "ben")
        #expect(scene.world.joined(scene.ben).follows == .delta)
        #expect(scene.world.person("chloe", as: scene.ben) == nil)
        scene.ana = scene.comeBack(scene.ana, as: "ana")
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test("R-118: a meeting that ended between the last batch and the crash goes on, and ends again")
    func endedMeeting() {
        var scene = Scene()
        scene.world.send(scene.ana, .leave(.left))
        scene.world.send(scene.ben, .leave(.left))
        scene.world.turn()
        scene.world.crash()
        #expect(scene.world.core.calls.compactMap(\.self).count == 1)
        scene.world.advance(61_000)
        #expect(scene.world.core.calls.compactMap(\.self).isEmpty)
        #expect(scene.world.store.calls.isEmpty)
        let late = scene.world.join("ana")
        #expect(scene.world.joined(late).outcome == .new)
        #expect(scene.world.state(late).peopleCount == 1)
    }

    @Test("R-118: an observer resumes across a crash too")
    func observer() {
        var scene = Scene()
        let looker = scene.world.observe()
        scene.world.advance(1_000)
        let resume = scene.world.replica(looker).resume()
        let copy = scene.world.state(looker)
        scene.world.crash()
        let back = scene.world.greet()
        scene.world.links[back].replica = Replica(copy: copy)
        var join = Join(session: "standup", uid: "", device: "")
        join.mode = .observer
        join.resume = resume
        scene.world.send(back, .join(join))
        scene.world.turn()
        #expect(scene.world.joined(back).follows == .delta)
        scene.ana = scene.comeBack(scene.ana, as: "ana")
        scene.world.expectEqual([scene.ana, back])
    }

    @Test("R-57 R-118: who looked on at a meeting that is lost is shown the call between two meetings in a later epoch")
    func lostMeeting() {
        var world = World(.keeping(.async))
        let watcher = world.observe(trusted: true, uid: "chair")
        let early = world.join("early")
        world.send(early, .leave(.left))
        world.advance(1_000)
        world.answersAtOnce = false
        let late = world.greet()
        world.send(late, .join(Join(session: "standup", uid: "late", device: "d")))
        world.turn()
        // The store gives an epoch, and keeps nothing of it.
        world.answer(1)
        world.turn()
        let seen = world.state(watcher).position
        #expect(seen == world.joined(late).position)
        world.crash()
        world.answersAtOnce = true
        let resume = Resume(secret: [], position: seen, digest: world.state(watcher).digest)
        let again = world.observe(trusted: true, uid: "chair") { $0.resume = resume }
        world.advance(100)
        #expect(world.store.calls["standup"]?.header.isOccupied == false)
        #expect(world.state(again).position > seen)
        #expect(world.state(again).people.isEmpty)
        // The next meeting begins above that again.
        let next = world.join("next")
        world.advance(100)
        #expect(world.joined(next).outcome == .new)
        world.expectEqual([again, next])
    }
}
