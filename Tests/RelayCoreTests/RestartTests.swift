import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("A relay that starts anew")
struct RestartTests {
    @Test("R-118: after a short planned stop everybody resumes in the same epoch, and nothing has changed for anybody")
    func planned() {
        var scene = RestartScene()
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
        var scene = RestartScene()
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
        var scene = RestartScene()
        let epoch = scene.world.state(scene.ana).position.epoch
        scene.world.restart(after: 60_000)
        scene.ana = scene.comeBack(scene.ana, as: "ana")
        #expect(scene.world.joined(scene.ana).follows == .delta)
        #expect(scene.world.joined(scene.ana).position.epoch == epoch)
        #expect(scene.world.device("ben", as: scene.ana)?.link == .reconnecting)
        scene.ben = scene.comeBack(scene.ben, as: "ben")
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test("R-27: numbers of incarnations and attachments are not given again after a restart")
    func numbers() {
        var scene = RestartScene()
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
        var scene = RestartScene()
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

    @Test("R-90 R-118: a bot comes back with the devices that it brought, or they leave after its grace")
    func bots() {
        var scene = RestartScene()
        let bot = scene.world.observe(trusted: true, uid: "bot", instance: "instance-bot")
        scene.world.set(bot, Setting(target: Target(uid: "phone", device: "sip"), .bringIn(BringIn())))
        scene.world.advance(1_000)
        func comeBack(_ scene: inout RestartScene, _ bot: Int) -> Int {
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
        var scene = RestartScene()
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
}
