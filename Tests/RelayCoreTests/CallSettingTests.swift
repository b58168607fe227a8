import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("Settings of the call")
struct CallSettingTests {
    @Test("R-86: the recording keeps its starter")
    func recording() {
        var scene = SettingScene()
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
        var scene = SettingScene()
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
        var scene = SettingScene()
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
