import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("Settings that are refused")
struct SettingRefusalTests {
    @Test(
        "R-76 R-88: what only moderators may do is refused to others, and the sentence says why",
        arguments: moderatedCases
    )
    func moderated(setting: Setting, text: String) {
        var scene = SettingScene(moderatorsOnly: true)
        let seq = scene.state.position.seq
        let refused = scene.world.set(scene.ana, setting)
        #expect(refused?.code == .denied)
        #expect(refused?.text == "ana may not \(text): this call lets only moderators do so")
        #expect(scene.state.position.seq == seq)
        #expect(scene.world.set(scene.ben, setting)?.code == .ok)
        var open = SettingScene()
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
        var scene = SettingScene()
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
        var scene = SettingScene()
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
}
