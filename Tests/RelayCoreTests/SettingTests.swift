import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("Settings of devices and people")
struct SettingTests {
    // MARK: Devices

    @Test("R-77: a device's own microphone and camera, and those of the person's other devices")
    func ownDevices() {
        var scene = SettingScene()
        let phone = Target(uid: "chloe", device: "phone")
        #expect(scene.world.set(scene.chloe, Setting(.audioMuted(true)), Setting(.videoPaused(true)))?.code == .ok)
        #expect(scene.device("chloe")?.isAudioMuted == true)
        #expect(scene.device("chloe", "phone")?.isAudioMuted == false)
        #expect(scene.world.set(scene.chloe, Setting(target: phone, .audioMuted(true)))?.code == .ok)
        #expect(scene.device("chloe", "phone")?.isAudioMuted == true)
        let refused = scene.world.set(scene.chloe, Setting(target: phone, .audioMuted(false)))
        #expect(refused?.code == .denied)
        #expect(
            refused?.text
                == "chloe may not unmute another of its own devices: it lacks the right to act for others: only the device itself can"
        )
    }

    @Test("R-75: everyone is everybody but the sender, in one commit")
    func everyone() {
        var scene = SettingScene()
        let seq = scene.state.position.seq
        scene.world.set(scene.chloe, Setting(target: .everyone, .audioMuted(true)))
        #expect(scene.state.position.seq == seq + 1)
        #expect(scene.person("ana")?.aggregate.isAudioMuted == true)
        #expect(scene.person("ben")?.aggregate.isAudioMuted == true)
        #expect(scene.device("chloe")?.isAudioMuted == false)
        #expect(scene.device("chloe", "phone")?.isAudioMuted == false)
        scene.world.set(scene.ana, Setting(.handRaised(true)))
        scene.world.set(scene.ben, Setting(.handRaised(true)))
        scene.world.set(scene.ana, Setting(target: .everyone, .handRaised(false)))
        #expect(scene.state.raisedHands.map(\.uid) == ["ana"])
        scene.world.set(scene.ana, Setting(target: .everyone, .videoPaused(true)))
        scene.world.set(scene.ben, Setting(.presenting(true)))
        scene.world.set(scene.ana, Setting(target: .everyone, .presenting(false)))
        #expect(scene.person("ben")?.aggregate.isPresenting == false)
        #expect(scene.person("ben")?.aggregate.isVideoPaused == true)
        #expect(scene.device("ana")?.isVideoPaused == false)
    }

    @Test("R-78: with presenters one the new start stops the old in the same commit; setting it keeps the last one")
    func presenters() {
        var scene = SettingScene()
        scene.world.set(scene.chloe, Setting(.presenting(true)))
        scene.world.set(scene.ana, Setting(.presenting(true)))
        scene.world.set(scene.ben, Setting(.presenters(.one)))
        #expect(scene.person("ana")?.aggregate.isPresenting == true)
        #expect(scene.person("chloe")?.aggregate.isPresenting == false)
        let seq = scene.state.position.seq
        scene.world.set(scene.ben, Setting(.presenting(true)))
        #expect(scene.state.position.seq == seq + 1)
        #expect(scene.person("ana")?.aggregate.isPresenting == false)
        #expect(scene.person("ben")?.aggregate.isPresenting == true)
    }

    @Test("R-50 R-79: hands are ordered by the commit in which they went up")
    func hands() {
        var scene = SettingScene()
        scene.world.set(scene.chloe, Setting(.handRaised(true)))
        scene.world.set(scene.ana, Setting(.handRaised(true)))
        scene.world.set(scene.chloe, Setting(.handRaised(true)))
        #expect(scene.state.raisedHands.map(\.uid) == ["chloe", "ana"])
        scene.world.set(scene.ana, Setting(target: Target(uid: "chloe"), .handRaised(false)))
        scene.world.set(scene.chloe, Setting(.handRaised(true)))
        #expect(scene.state.raisedHands.map(\.uid) == ["ana", "chloe"])
        scene.world.set(scene.ben, Setting(.handsEnabled(false)))
        #expect(scene.state.raisedHands.isEmpty)
        let refused = scene.world.set(scene.ana, Setting(.handRaised(true)))
        #expect(refused?.code == .heldDown)
        #expect(refused?.text == "ana can't raise the hand: hands are disabled in this call")
        scene.world.set(scene.ben, Setting(.handsEnabled(true)))
        #expect(scene.world.set(scene.ana, Setting(.handRaised(true)))?.code == .ok)
    }

    // MARK: Persons

    @Test("R-80: name, picture and attributes")
    func description() {
        var scene = SettingScene()
        let ack = scene.world.set(
            scene.ana,
            Setting(.name("Ana")),
            Setting(.avatar("https://a")),
            Setting(.attribute(Attribute(key: "k", value: [1, 2])))
        )
        #expect(ack?.code == .ok)
        #expect(scene.person("ana")?.name == "Ana")
        #expect(scene.person("ana")?.avatar == "https://a")
        #expect(scene.person("ana")?.attributes == [AttributeValue(key: "k", value: [1, 2])])
        scene.world.set(scene.ana, Setting(.attribute(Attribute(key: "k", value: nil))))
        #expect(scene.person("ana")?.attributes == [])
    }

    @Test("R-80: a person and a call have a limited number of attributes")
    func attributeLimit() {
        var scene = SettingScene()
        for number in 0..<32 {
            scene.world.set(scene.ana, Setting(.attribute(Attribute(key: ByteString("k\(number)"), value: []))))
            scene.world.set(scene.ana, Setting(.callAttribute(Attribute(key: ByteString("k\(number)"), value: []))))
        }
        let one = Attribute(key: "more", value: [])
        #expect(scene.world.set(scene.ana, Setting(.attribute(one)))?.code == .full)
        #expect(scene.world.set(scene.ana, Setting(.callAttribute(one)))?.code == .full)
        let known = Attribute(key: "k3", value: [3])
        #expect(scene.world.set(scene.ana, Setting(.attribute(known)), Setting(.callAttribute(known)))?.code == .ok)
        scene.world.set(scene.ana, Setting(.attribute(Attribute(key: "k3", value: nil))))
        #expect(scene.world.set(scene.ana, Setting(.attribute(one)))?.code == .ok)
    }

    @Test("R-81 R-88: a role given by a moderator counts in the next command")
    func role() {
        var scene = SettingScene(moderatorsOnly: true)
        #expect(scene.world.set(scene.ana, Setting(.title("x")))?.code == .denied)
        #expect(scene.world.set(scene.ana, Setting(.role(.moderator)))?.code == .denied)
        scene.world.set(scene.ben, Setting(target: Target(uid: "ana"), .role(.moderator)))
        #expect(scene.world.set(scene.ana, Setting(.title("x")))?.code == .ok)
        scene.world.set(scene.ben, Setting(target: Target(uid: "ana"), .role(.participant)))
        #expect(scene.world.set(scene.ana, Setting(.title("y")))?.code == .denied)
        let late = scene.world.join("dan")
        #expect(scene.world.joined(late).rights == [.participate])
    }

    @Test("R-88: only moderators can't be set while there is none, nor the last one lose the role while it stands")
    func lastModerator() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        let only = Setting(.moderation(.moderators))
        let refused = world.set(ana, only)
        #expect(refused?.code == .invalid)
        #expect(refused?.text == "nobody in this call is a moderator, so nobody could undo it: make somebody one first")
        #expect(world.state(ana).policy.moderation == .everyone)
        // In one command with a role, in this order.
        #expect(world.set(ana, only, Setting(.role(.moderator)))?.code == .invalid)
        #expect(world.set(ana, Setting(.role(.moderator)), only)?.code == .ok)
        #expect(world.set(ana, Setting(.role(.participant)))?.code == .heldDown)
        #expect(world.set(ana, Setting(target: Target(uid: "ben"), .role(.participant)))?.code == .ok)
        #expect(world.set(ana, Setting(target: Target(uid: "ben"), .role(.moderator)))?.code == .ok)
        #expect(world.set(ana, Setting(.role(.participant)))?.code == .ok)
        #expect(world.set(ben, Setting(.role(.participant)))?.code == .heldDown)
        #expect(world.set(ben, Setting(.moderation(.everyone)), Setting(.role(.participant)))?.code == .ok)
    }

    @Test("R-88: it stands while the last moderator is away, and who comes in as one may change it")
    func moderatorAway() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben") { $0.role = .moderator }
        #expect(world.set(ana, Setting(.moderation(.moderators)))?.code == .ok)
        world.cut(ben)
        #expect(world.set(ana, Setting(.title("t")))?.code == .denied)
        world.advance(15_000)
        #expect(world.person("ben", as: ana) == nil)
        #expect(world.state(ana).policy.moderation == .moderators)
        #expect(world.set(ana, Setting(.title("t")))?.code == .denied)
        let chloe = world.join("chloe") { $0.role = .moderator }
        #expect(world.set(chloe, Setting(.moderation(.everyone)))?.code == .ok)
        #expect(world.set(ana, Setting(.title("t")))?.code == .ok)
    }

    @Test("R-88 R-90: who acts for others may set it before a moderator comes, and undo it")
    func moderationByBot() {
        var world = World()
        let ana = world.join("ana")
        let bot = world.observe(trusted: true, uid: "bot")
        #expect(world.set(bot, Setting(.moderation(.moderators)))?.code == .ok)
        #expect(world.set(ana, Setting(.title("t")))?.code == .denied)
        #expect(world.set(bot, Setting(target: Target(uid: "ana"), .role(.moderator)))?.code == .ok)
        #expect(world.set(bot, Setting(target: Target(uid: "ana"), .role(.participant)))?.code == .ok)
        #expect(world.set(bot, Setting(.moderation(.everyone)))?.code == .ok)
        #expect(world.set(ana, Setting(.title("t")))?.code == .ok)
    }

    @Test("R-82: a lock mutes in the same commit, holds down, and lifting it leaves muted")
    func locks() {
        var scene = SettingScene()
        let chloe = Target(uid: "chloe")
        let seq = scene.state.position.seq
        scene.world.set(
            scene.ana,
            Setting(target: chloe, .audioLocked(true)),
            Setting(target: chloe, .videoLocked(true))
        )
        #expect(scene.state.position.seq == seq + 1)
        #expect(scene.person("chloe")?.aggregate.isAudioMuted == true)
        #expect(scene.person("chloe")?.aggregate.isVideoPaused == true)
        let refused = scene.world.set(scene.chloe, Setting(.audioMuted(false)))
        #expect(refused?.code == .heldDown)
        #expect(refused?.text == "chloe can't unmute: a moderator has locked their audio")
        let camera = scene.world.set(scene.chloe, Setting(.videoPaused(false)))
        #expect(camera?.text == "chloe can't turn on the camera: a moderator has locked their video")
        scene.world.set(
            scene.ana,
            Setting(target: chloe, .audioLocked(false)),
            Setting(target: chloe, .videoLocked(false))
        )
        #expect(scene.person("chloe")?.aggregate.isAudioMuted == true)
        #expect(scene.world.set(scene.chloe, Setting(.audioMuted(false)), Setting(.videoPaused(false)))?.code == .ok)
        #expect(scene.person("chloe")?.aggregate.isAudioMuted == false)
    }

    @Test("R-83: standing policies")
    func standingPolicies() {
        var scene = SettingScene()
        scene.world.set(scene.ana, Setting(.standingMute(true)), Setting(.standingCameraOff(true)))
        for uid in ["ana", "ben", "chloe"] {
            #expect(scene.person(uid)?.aggregate.isAudioMuted == true)
            #expect(scene.person(uid)?.aggregate.isVideoPaused == true)
        }
        let refused = scene.world.set(scene.ana, Setting(.audioMuted(false)))
        #expect(refused?.text == "ana can't unmute: the standing mute of this call forbids it")
        let camera = scene.world.set(scene.ana, Setting(.videoPaused(false)))
        #expect(camera?.code == .heldDown)
        scene.world.set(scene.ana, Setting(.standingMute(false)), Setting(.standingCameraOff(false)))
        #expect(scene.person("ana")?.aggregate.isAudioMuted == true)
        #expect(scene.world.set(scene.ana, Setting(.audioMuted(false)), Setting(.videoPaused(false)))?.code == .ok)
    }

    @Test("R-84: a request to unmute lapses, is withdrawn, is declined, and ends by unmuting")
    func unmuteRequests() {
        var scene = SettingScene()
        let ana = Target(uid: "ana")
        scene.world.set(scene.ana, Setting(.audioMuted(true)))
        scene.world.set(scene.ben, Setting(target: ana, .unmuteRequest(5_000)))
        let request = UnmuteRequest(byUID: "ben", until: scene.world.now.wall + 5_000)
        #expect(scene.person("ana")?.unmuteRequest == request)
        scene.world.advance(3_000)
        // A later request lasts longer than the first one's time.
        scene.world.set(scene.ben, Setting(target: ana, .unmuteRequest(5_000)))
        scene.world.advance(4_999)
        #expect(scene.person("ana")?.unmuteRequest != nil)
        scene.world.advance(1)
        #expect(scene.person("ana")?.unmuteRequest == nil)
        scene.world.set(scene.ben, Setting(target: ana, .unmuteRequest(5_000)))
        scene.world.set(scene.ben, Setting(target: ana, .unmuteRequest(0)))
        #expect(scene.person("ana")?.unmuteRequest == nil)
        scene.world.set(scene.ben, Setting(target: ana, .unmuteRequest(5_000)))
        #expect(scene.world.set(scene.ana, Setting(.unmuteRequest(0)))?.code == .ok)
        #expect(scene.person("ana")?.unmuteRequest == nil)
        scene.world.set(scene.ben, Setting(target: ana, .unmuteRequest(5_000)))
        scene.world.set(scene.ana, Setting(.audioMuted(false)))
        #expect(scene.person("ana")?.unmuteRequest == nil)
        scene.world.advance(6_000)
        scene.world.expectHealthy()
    }
}
