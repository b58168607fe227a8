import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("Settings")
struct SettingTests {
    /// Ana, who is no moderator once only moderators may moderate, ben, who is one, and chloe with two devices.
    struct Scene {
        var world = World()
        let ana: Int
        let ben: Int
        let chloe: Int

        init(moderatorsOnly: Bool = false) {
            ana = world.join("ana")
            ben = world.join("ben") { $0.role = .moderator }
            chloe = world.join("chloe")
            _ = world.join("chloe", "phone")
            if moderatorsOnly { world.set(ben, Setting(.moderation(.moderators))) }
        }

        var state: CallState { world.state(ben) }

        func device(_ uid: String, _ device: String = "laptop") -> Device? { world.device(uid, device, as: ben) }

        func person(_ uid: String) -> Person? { world.person(uid, as: ben) }
    }

    // MARK: Refusals

    @Test(
        "R-76 R-88: what only moderators may do is refused to others, and the sentence says why",
        arguments: moderatedCases
    )
    func moderated(setting: Setting, text: String) {
        var scene = Scene(moderatorsOnly: true)
        let seq = scene.state.position.seq
        let refused = scene.world.set(scene.ana, setting)
        #expect(refused?.code == .denied)
        #expect(refused?.text == "ana may not \(text): this call lets only moderators do so")
        #expect(scene.state.position.seq == seq)
        #expect(scene.world.set(scene.ben, setting)?.code == .ok)
        var open = Scene()
        #expect(open.world.set(open.ana, setting)?.code == .ok)
    }

    static let moderatedCases: [(Setting, String)] = [
        (Setting(target: Target(uid: "chloe"), .audioMuted(true)), "mute another"),
        (Setting(target: .everyone, .audioMuted(true)), "mute everybody"),
        (Setting(target: Target(uid: "chloe"), .videoPaused(true)), "pause the video of another"),
        (Setting(target: .everyone, .videoPaused(true)), "pause the video of everybody"),
        (Setting(target: Target(uid: "chloe"), .presenting(false)), "stop the screen share of another"),
        (Setting(target: .everyone, .presenting(false)), "stop the screen share of everybody"),
        (Setting(target: Target(uid: "chloe"), .handRaised(false)), "lower another's hand"),
        (Setting(target: .everyone, .handRaised(false)), "lower everybody's hand"),
        (Setting(.role(.moderator)), "set a role"),
        (Setting(target: Target(uid: "chloe"), .audioLocked(true)), "lock somebody's audio"),
        (Setting(target: Target(uid: "chloe"), .videoLocked(true)), "lock somebody's video"),
        (Setting(target: Target(uid: "chloe"), .unmuteRequest(1_000)), "ask somebody to unmute"),
        (Setting(target: Target(uid: "chloe"), .unmuteRequest(0)), "withdraw a request to unmute"),
        (Setting(target: Target(uid: "chloe"), .removed(true)), "remove somebody"),
        (Setting(target: Target(uid: "chloe"), .removed(false)), "let somebody in again"),
        (Setting(.spotlight(["chloe"])), "set the spotlight"),
        (Setting(.title("t")), "set the title of the call"),
        (Setting(.callAttribute(Attribute(key: "k", value: [1]))), "set an attribute of the call"),
        (Setting(.callLocked(true)), "lock or unlock the call"),
        (Setting(.moderation(.everyone)), "change the policy of the call"),
        (Setting(.standingMute(true)), "change the policy of the call"),
        (Setting(.standingCameraOff(true)), "change the policy of the call"),
        (Setting(.handsEnabled(false)), "change the policy of the call"),
        (Setting(.presenters(.one)), "change the policy of the call"),
        (Setting(.grace(1_000)), "change the policy of the call"),
        (Setting(.idle(1_000)), "change the policy of the call"),
    ]

    @Test("R-77 R-90: what only who acts for others may do is refused to participants", arguments: actedCases)
    func acted(setting: Setting, text: String) {
        var scene = Scene()
        let refused = scene.world.set(scene.ana, setting)
        #expect(refused?.code == .denied)
        #expect(refused?.text == "ana may not \(text)")
    }

    static let actedCases: [(Setting, String)] = {
        let chloe = Target(uid: "chloe")
        let why = ": it lacks the right to act for others"
        return [
            (Setting(target: chloe, .audioMuted(false)), "unmute another\(why), but one can ask them to unmute"),
            (Setting(target: chloe, .videoPaused(false)), "turn on the camera of another\(why)"),
            (Setting(target: chloe, .presenting(true)), "start a screen share of another\(why)"),
            (Setting(target: chloe, .handRaised(true)), "raise another's hand\(why)"),
            (Setting(target: chloe, .name("x")), "change another's name, picture or attributes\(why)"),
            (Setting(target: chloe, .recording(true)), "start the recording in another's name\(why)"),
            (Setting(target: Target(uid: "dan", device: "d"), .bringIn(BringIn())), "bring a device in\(why)"),
            (Setting(target: chloe, .takeOut(.left)), "take a device out\(why)"),
            (Setting(.dominantSpeaker("chloe")), "state the dominant speaker\(why)"),
        ]
    }()

    @Test("R-75 R-76: targets and values that are not allowed", arguments: invalidCases)
    func invalid(setting: Setting, code: Code) {
        var scene = Scene()
        let seq = scene.state.position.seq
        let refused = scene.world.set(scene.ana, setting)
        #expect(refused?.code == code)
        #expect(refused?.text.isEmpty == false)
        #expect(scene.state.position.seq == seq)
    }

    static let invalidCases: [(Setting, Code)] = {
        func bytes(_ count: Int) -> ByteString { ByteString(Array(repeating: 97, count: count)) }
        func both(uid: ByteString = .empty, device: ByteString = .empty) -> Target {
            var target = Target(uid: uid, device: device)
            target.everyone = true
            return target
        }
        return [
            (Setting(target: .everyone, .audioMuted(false)), .invalid),
            (Setting(target: .everyone, .videoPaused(false)), .invalid),
            (Setting(target: .everyone, .presenting(true)), .invalid),
            (Setting(target: .everyone, .handRaised(true)), .invalid),
            (Setting(target: .everyone, .role(.moderator)), .invalid),
            (Setting(target: .everyone, .removed(true)), .invalid),
            (Setting(target: Target(uid: ""), .name("x")), .invalid),
            (Setting(.removed(true)), .invalid),
            (Setting(target: Target(uid: "ana"), .removed(true)), .invalid),
            (Setting(target: Target(uid: "chloe", device: "tablet"), .audioMuted(true)), .noSuchTarget),
            (Setting(target: Target(uid: "nobody"), .removed(true)), .noSuchTarget),
            (Setting(target: Target(uid: "chloe", device: "tablet"), .removed(true)), .invalid),
            (Setting(target: Target(uid: "chloe", device: "tablet"), .audioLocked(true)), .noSuchTarget),
            (Setting(target: Target(uid: "ana", device: "tablet"), .handRaised(true)), .noSuchTarget),
            (Setting(target: both(uid: "chloe"), .audioMuted(true)), .invalid),
            (Setting(target: both(device: "phone"), .handRaised(false)), .invalid),
            (Setting(target: .everyone, .title("x")), .invalid),
            (Setting(target: .everyone, .recording(true)), .invalid),
            (Setting(target: Target(uid: "chloe"), .callLocked(true)), .invalid),
            (Setting(target: Target(uid: ""), .title("x")), .invalid),
            (Setting(target: Target(uid: "nobody"), .spotlight([])), .invalid),
            (Setting(target: Target(uid: "nobody"), .recording(false)), .noSuchTarget),
            (Setting(.role(Role(rawValue: 7))), .invalid),
            (Setting(.name(bytes(257))), .invalid),
            (Setting(.avatar(bytes(2_049))), .invalid),
            (Setting(.attribute(Attribute(key: .empty, value: [1]))), .invalid),
            (Setting(.attribute(Attribute(key: bytes(65), value: [1]))), .invalid),
            (Setting(.attribute(Attribute(key: "k", value: Array(repeating: 1, count: 1_025)))), .invalid),
            (Setting(.title(bytes(257))), .invalid),
            (Setting(.spotlight(["ana", "ana"])), .invalid),
            (Setting(.spotlight(["nobody"])), .noSuchTarget),
            (Setting(.spotlight((0..<33).map { ByteString("u\($0)") })), .invalid),
            (Setting(.moderation(Moderation(rawValue: 7))), .invalid),
            (Setting(.presenters(Presenters(rawValue: 7))), .invalid),
            (Setting(.grace(120_001)), .invalid),
            (Setting(.idle(1 << 53)), .invalid),
            (Setting(target: Target(uid: "chloe"), .unmuteRequest(3_600_001)), .invalid),
        ]
    }()

    // MARK: Devices

    @Test("R-77: a device's own microphone and camera, and those of the person's other devices")
    func ownDevices() {
        var scene = Scene()
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
        var scene = Scene()
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
        var scene = Scene()
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
        var scene = Scene()
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
        var scene = Scene()
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
        var scene = Scene()
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
        var scene = Scene(moderatorsOnly: true)
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
        var scene = Scene()
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
        var scene = Scene()
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
        var scene = Scene()
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

    // MARK: The call

    @Test("R-86: the recording keeps its starter")
    func recording() {
        var scene = Scene()
        scene.world.set(scene.ana, Setting(.name("Ana")))
        scene.world.set(scene.ana, Setting(.recording(true)))
        let recording = Recording(byUID: "ana", byName: "Ana", since: scene.world.now.wall)
        scene.world.advance(100)
        scene.world.set(scene.ben, Setting(.recording(true)))
        scene.world.set(scene.ana, Setting(target: Target(uid: "ana"), .recording(true)))
        #expect(scene.state.call.recording == recording)
        scene.world.send(scene.ana, .leave(.left))
        scene.world.turn()
        #expect(scene.state.call.recording == recording)
        scene.world.set(scene.ben, Setting(.recording(false)))
        #expect(scene.state.call.recording == nil)
    }

    @Test("R-87 R-92: who leaves is taken out of the spotlight in the same commit")
    func spotlight() {
        var scene = Scene()
        scene.world.set(scene.ana, Setting(.spotlight(["chloe", "ana"])))
        let ana = scene.world.joined(scene.ana).person
        let chloe = scene.world.joined(scene.chloe).person
        #expect(scene.state.call.spotlight == [chloe, ana])
        let seq = scene.state.position.seq
        scene.world.send(scene.ana, .leave(.left))
        scene.world.turn()
        #expect(scene.state.position.seq == seq + 1)
        #expect(scene.state.call.spotlight == [chloe])
        #expect(scene.world.set(scene.ben, Setting(.spotlight(["chloe", "chloe"])))?.code == .invalid)
        #expect(scene.world.set(scene.ben, Setting(.spotlight(["ana"])))?.code == .noSuchTarget)
        scene.world.set(scene.ben, Setting(.spotlight([])))
        #expect(scene.state.value(CallField.spotlight, of: .call) == nil)
    }

    @Test("R-89: title, attributes, lock, grace and idle period")
    func callFields() {
        var scene = Scene()
        #expect(scene.world.set(scene.ana, Setting(.grace(120_001)))?.code == .invalid)
        #expect(scene.world.set(scene.ana, Setting(.idle(1 << 53)))?.code == .invalid)
        let ack = scene.world.set(
            scene.ana,
            Setting(.title("T")),
            Setting(.callAttribute(Attribute(key: "k", value: [1]))),
            Setting(.callLocked(true)),
            Setting(.grace(120_000)),
            Setting(.idle(0)),
            Setting(.moderation(.moderators))
        )
        #expect(ack?.code == .ok)
        #expect(scene.state.call.title == "T")
        #expect(scene.state.call.attributes == [AttributeValue(key: "k", value: [1])])
        #expect(scene.state.call.isLocked)
        #expect(scene.state.policy.grace == 120_000)
        #expect(scene.state.policy.idle == 0)
        #expect(scene.state.policy.moderation == .moderators)
    }
}
