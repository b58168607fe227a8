import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("Acting for others")
struct ActingTests {
    /// A bot that has brought in uwe and vera, and ana, who is in by herself.
    struct Scene {
        var world = World()
        let bot: Int
        let ana: Int

        init() {
            bot = world.observe(trusted: true, uid: "bridge", instance: "instance-bot")
            ana = world.join("ana")
            var facts = BringIn()
            facts.name = "Uwe"
            facts.audioMuted = false
            facts.role = .moderator
            world.set(
                bot,
                Setting(target: Target(uid: "uwe", device: "sip"), .bringIn(facts)),
                Setting(target: Target(uid: "vera", device: "sip"), .bringIn(BringIn()))
            )
        }

        func person(_ uid: String) -> Person? { world.person(uid, as: ana) }

        mutating func botResumes() -> Int {
            let resume = world.replica(bot).resume()
            let copy = world.state(bot)
            let back = world.greet(trusted: true, instance: "instance-bot")
            world.links[back].replica = Replica(copy: copy)
            var join = Join(session: "standup", uid: "bridge", device: "bot")
            join.mode = .observer
            join.resume = resume
            world.send(back, .join(join))
            world.turn()
            return back
        }
    }

    @Test("R-90: devices are brought in and taken out, and their facts stated")
    func bringsIn() {
        var scene = Scene()
        #expect(scene.person("uwe")?.name == "Uwe")
        #expect(scene.person("uwe")?.role == .moderator)
        #expect(scene.person("uwe")?.devices.map(\.isAudioMuted) == [false])
        #expect(scene.person("vera")?.devices.map(\.isAudioMuted) == [true])
        let vera = Target(uid: "vera")
        let stated = scene.world.set(
            scene.bot,
            Setting(target: vera, .audioMuted(false)),
            Setting(target: vera, .videoPaused(false)),
            Setting(target: vera, .presenting(true)),
            Setting(target: vera, .handRaised(true)),
            Setting(target: vera, .name("Vera")),
            Setting(target: vera, .recording(true)),
            Setting(.title("by the bot"))
        )
        #expect(stated?.code == .ok)
        #expect(scene.person("vera")?.hand != nil)
        #expect(scene.world.state(scene.ana).call.recording?.byName == "Vera")
        #expect(scene.world.replica(scene.ana).deltas.last?.actor == 0)
        #expect(scene.world.set(scene.bot, Setting(.recording(false)), Setting(.recording(true)))?.code == .ok)
        #expect(scene.world.state(scene.ana).call.recording?.byUID == "bridge")
        scene.world.set(scene.bot, Setting(target: Target(uid: "vera", device: "sip"), .takeOut(.lost)))
        #expect(scene.person("vera") == nil)
        scene.world.expectEqual([scene.bot, scene.ana])
    }

    @Test("R-75 R-90: what a bot must name, and what it can't do")
    func refusals() {
        var scene = Scene()
        let cases: [(Setting, Code)] = [
            (Setting(.audioMuted(true)), .noSuchTarget),
            (Setting(.handRaised(true)), .noSuchTarget),
            (Setting(.bringIn(BringIn())), .invalid),
            (Setting(target: Target(uid: "x"), .bringIn(BringIn())), .invalid),
            (Setting(target: .everyone, .takeOut(.left)), .invalid),
            (Setting(target: Target(uid: "uwe"), .takeOut(.removed)), .invalid),
            (Setting(target: Target(uid: "nobody"), .takeOut(.left)), .noSuchTarget),
            (Setting(target: Target(uid: "ana", device: "laptop"), .bringIn(BringIn())), .invalid),
            (Setting(.dominantSpeaker("nobody")), .noSuchTarget),
        ]
        for (setting, code) in cases { #expect(scene.world.set(scene.bot, setting)?.code == code, "\(setting)") }
        scene.world.set(scene.ana, Setting(.standingMute(true)))
        let held = scene.world.set(scene.bot, Setting(target: Target(uid: "uwe"), .audioMuted(false)))
        #expect(held?.code == .heldDown)
        scene.world.set(scene.ana, Setting(.callLocked(true)))
        scene.world.set(scene.ana, Setting(target: Target(uid: "vera"), .removed(true)))
        let new = Setting(target: Target(uid: "xaver", device: "sip"), .bringIn(BringIn()))
        #expect(scene.world.set(scene.bot, new)?.code == .heldDown)
        let removed = Setting(target: Target(uid: "vera", device: "sip"), .bringIn(BringIn()))
        #expect(scene.world.set(scene.bot, removed)?.text.contains("was removed") == true)
    }

    @Test("A call's limits hold for those who are brought in")
    func full() {
        var configuration = RelayConfiguration()
        configuration.limits.people = 1
        var world = World(configuration)
        let bot = world.observe(trusted: true, uid: "bridge")
        let one = Setting(target: Target(uid: "uwe", device: "sip"), .bringIn(BringIn()))
        let two = Setting(target: Target(uid: "vera", device: "sip"), .bringIn(BringIn()))
        #expect(world.set(bot, one)?.code == .ok)
        #expect(world.set(bot, two)?.code == .full)
    }

    @Test("R-90 R-91: bringing in the first one begins the meeting; taking out the last one ends it")
    func beginsMeeting() {
        var world = World()
        let bot = world.observe(trusted: true, uid: "bridge")
        #expect(world.claims.isEmpty)
        #expect(world.set(bot, Setting(.title("x")))?.code == .noSuchTarget)
        let bring = Setting(target: Target(uid: "uwe", device: "sip"), .bringIn(BringIn()))
        let ack = world.set(bot, bring)
        #expect(ack?.code == .ok)
        #expect(world.claims == ["standup"])
        #expect(world.replica(bot).position.epoch == 100)
        #expect(world.replica(bot).snapshots.map(\.reason) == [.join, .epoch])
        #expect(world.state(bot).call.meetingID != nil)
        let take = Setting(target: Target(uid: "uwe"), .takeOut(.unspecified))
        #expect(world.set(bot, take, bring)?.code == .invalid)
        #expect(world.state(bot).peopleCount == 1)
        #expect(world.set(bot, take)?.code == .ok)
        #expect(world.state(bot).call.meetingID == nil)
        #expect(world.set(bot, bring)?.position.epoch == 101)
        world.nextEpoch = 100
        world.set(bot, take)
        #expect(world.set(bot, bring)?.code == .store)
        world.expectHealthy()
    }

    @Test(
        "R-35 R-90: with the bot's link all its devices are reconnecting in one commit, and its resume takes them along"
    )
    func botLosesLink() {
        var scene = Scene()
        let seq = scene.world.state(scene.ana).position.seq
        scene.world.cut(scene.bot)
        #expect(scene.world.state(scene.ana).position.seq == seq + 1)
        for uid in ["uwe", "vera"] { #expect(scene.person(uid)?.aggregate.link == .reconnecting) }
        #expect(scene.person("ana")?.aggregate.link == .active)
        let back = scene.botResumes()
        #expect(scene.world.joined(back).incarnation == scene.world.joined(scene.bot).incarnation)
        #expect(scene.world.joined(back).lastOp == 1)
        #expect(scene.world.state(scene.ana).position.seq == seq + 2)
        for uid in ["uwe", "vera"] { #expect(scene.person(uid)?.aggregate.link == .active) }
        scene.world.advance(20_000)
        #expect(scene.person("uwe") != nil)
        // The resume may also come before the end of the old connection.
        let third = scene.botResumes()
        #expect(scene.world.closed(back) == .replaced)
        #expect(scene.world.joined(third).outcome == .observer)
        #expect(scene.person("uwe")?.aggregate.link == .active)
        scene.world.expectEqual([third, scene.ana])
    }

    @Test("R-90: after the bot's grace its devices are lost in one commit")
    func botIsLost() {
        var scene = Scene()
        scene.world.cut(scene.bot)
        let seq = scene.world.state(scene.ana).position.seq
        scene.world.advance(15_000)
        #expect(scene.world.state(scene.ana).position.seq == seq + 1)
        #expect(scene.person("uwe") == nil)
        #expect(scene.person("vera") == nil)
        let back = scene.botResumes()
        #expect(scene.world.joined(back).incarnation != scene.world.joined(scene.bot).incarnation)
    }

    @Test("R-90: without grace the bot's devices are lost at once; a bot without a name can't be resumed")
    func noGrace() {
        var scene = Scene()
        scene.world.set(scene.ana, Setting(.grace(0)))
        scene.world.cut(scene.bot)
        #expect(scene.person("uwe") == nil)
        var world = World()
        let ana = world.join("ana")
        let bot = world.observe(trusted: true)
        #expect(world.joined(bot).secret.isEmpty)
        #expect(world.set(bot, Setting(target: Target(uid: "u", device: "d"), .bringIn(BringIn())))?.code == .ok)
        world.cut(bot)
        #expect(world.person("u", as: ana)?.aggregate.link == .reconnecting)
        world.advance(15_000)
        #expect(world.person("u", as: ana) == nil)
    }

    @Test("R-103: a bot that leaves takes its devices along")
    func botLeaves() {
        var scene = Scene()
        scene.world.send(scene.bot, .leave(.left))
        scene.world.turn()
        #expect(scene.world.closed(scene.bot) == .left)
        #expect(scene.person("uwe") == nil)
        #expect(scene.world.state(scene.ana).peopleCount == 1)
    }

    @Test("R-32 R-90: the real device takes over what a bot brought in")
    func realDevice() {
        var scene = Scene()
        let uwe = scene.world.join("uwe", "sip")
        #expect(scene.world.joined(uwe).outcome == .replaced)
        scene.world.cut(scene.bot)
        #expect(scene.person("uwe")?.aggregate.link == .active)
        #expect(scene.person("vera")?.aggregate.link == .reconnecting)
        // Once its own link is lost, a bot can take it over again.
        scene.world.cut(uwe)
        let other = scene.world.observe(trusted: true, uid: "bridge2")
        let bring = Setting(target: Target(uid: "uwe", device: "sip"), .bringIn(BringIn()))
        #expect(scene.world.set(other, bring)?.code == .ok)
        scene.world.advance(20_000)
        #expect(scene.person("uwe")?.aggregate.link == .active)
        // And one bot can take over from another.
        let third = scene.world.observe(trusted: true, uid: "bridge3")
        #expect(scene.world.set(third, bring)?.code == .ok)
        scene.world.cut(other)
        #expect(scene.person("uwe")?.aggregate.link == .active)
        scene.world.expectEqual([scene.ana, third])
    }

    @Test("R-90: a real device that is taken out gets Closed")
    func takenOut() {
        var scene = Scene()
        scene.world.set(scene.bot, Setting(target: Target(uid: "ana"), .takeOut(.left)))
        #expect(scene.world.closed(scene.ana) == .removed)
        #expect(scene.world.replica(scene.ana).closed?.text.contains("bridge took device laptop of ana") == true)
        let guest1 = scene.world.join("ana")
        #expect(scene.world.joined(guest1).outcome == .new)
    }

    @Test("A brought-in device that is removed or taken out in the command that brings it in leaves nothing behind")
    func broughtAndTaken() {
        var scene = Scene()
        let xaver = Target(uid: "xaver", device: "sip")
        let both = scene.world.set(
            scene.bot,
            Setting(target: xaver, .bringIn(BringIn())),
            Setting(target: xaver, .takeOut(.left))
        )
        #expect(both?.code == .ok)
        #expect(scene.person("xaver") == nil)
        scene.world.set(scene.bot, Setting(target: Target(uid: "uwe"), .removed(true)))
        scene.world.cut(scene.bot)
        scene.world.advance(20_000)
        #expect(scene.world.state(scene.ana).people.map(\.uid) == ["ana"])
        scene.world.expectHealthy()
    }
}
