import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("A relay that starts anew after a crash")
struct CrashTests {
    @Test("R-30 R-118: after a crash a new epoch begins; what was kept resumes by a delta across the epochs")
    func crash() {
        var scene = RestartScene()
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
        var scene = RestartScene()
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
        var scene = RestartScene()
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
        var scene = RestartScene()
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
        var scene = RestartScene()
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
        var scene = RestartScene()
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

    @Test("R-115 R-118: attendance: after a crash an interval ends where the call was last known")
    func attendance() throws {
        var scene = RestartScene()
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

    @Test("R-44 R-118: what was removed before a crash is told in the delta after it")
    func tombstones() {
        var scene = RestartScene()
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
        var scene = RestartScene()
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
        var scene = RestartScene()
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
