import CallState
import Rollcall
import RollcallCalls
import RollcallProtocol
import Testing

/// What listeners are told while the call goes on.
@Suite("Rules of what happens live")
struct LiveRuleTests {
    private func joined(_ own: ByteString = "ana", _ adjust: (inout CallState) -> Void = { _ in }) -> CoreScript {
        var script = CoreScript(own: own, "ana", "ben", "chloe")
        script.commit(adjust)
        _ = script.join()
        return script
    }

    @Test("L-6: who joins live comes with their events, and the list after all")
    func liveJoin() {
        var script = joined()
        script.commit { state in
            state.join("dan")
            state.setAudioMuted(true, of: state.device("dan"))
            state.raiseHand(of: state.person("dan"), at: 1)
            state.setVideoPaused(true, of: state.device("ben"))
        }
        #expect(
            script.turn() == [
                "joined dan", "muted dan", "paused ben", "raised dan", "list ana,ben,chloe,dan", "hands dan",
                "status ben",
            ]
        )
    }

    @Test("L-6: of one who has several marks each change of one is told")
    func severalMarks() {
        var script = joined { $0.setDominantSpeaker($0.person("ben")) }
        script.core.local.pin = .init(slot: script.state.person("ben"), meeting: "m-1", type: "pin")
        #expect(script.turn() == ["status ben"])
        script.commit { $0.setSpotlight([$0.person("ben")]) }
        #expect(script.turn() == ["status ben"])
        script.core.local.pin = nil
        #expect(script.turn() == ["status ben"])
        script.commit { $0.setSpotlight([]) }
        #expect(script.turn() == ["status ben"])
    }

    @Test("L-9: a departure ends what the person had, then left, then the list")
    func departure() {
        var script = joined { state in
            state.setPresenting(true, of: state.device("ben"))
            state.raiseHand(of: state.person("ben"), at: 5)
            state.setDominantSpeaker(state.person("ben"))
            state.setSpotlight([state.person("ben")])
            state.setName("Ben", of: state.person("ben"))
        }
        script.core.local.pin = .init(slot: script.state.person("ben"), meeting: "m-1", type: "pin")
        _ = script.turn()
        script.commit { $0.removePerson($0.person("ben"), at: 1_077_000, reason: .lost) }
        let callbacks = script.callbacks()
        #expect(
            callbacks.map(\.short) == [
                "stopped sharing ben", "lowered ben", "dominant nobody", "left ben", "list ana,chloe", "hands ",
            ]
        )
        for case .participantLeft(let who) in callbacks {
            #expect(who.name == "Ben" && who.joinedAt == 1_000 && who.leftAt == 1_077)
            #expect(who.state == "ended" && who.isJoined && who.deviceID == "laptop")
            #expect(!who.status.isPresenting && !who.status.isHandRaised && !who.status.isPinned)
            #expect(!who.status.isSpotlit && !who.status.isDominantSpeaker)
        }
        #expect(script.core.local.pin == nil, "L-16: the pin goes with the person")
    }

    @Test("L-9 L-16: somebody who left and came back in one update has left and joined, and is pinned no more")
    func leftAndBack() {
        var script = joined()
        script.core.local.pin = .init(slot: script.state.person("ben"), meeting: "m-1", type: "pin")
        #expect(script.turn() == ["status ben"])
        script.commit { $0.removePerson($0.person("ben"), at: 1, reason: .left) }
        script.commit { $0.join("ben") }
        #expect(script.turn() == ["left ben", "joined ben", "list ana,chloe,ben"])
        #expect(script.core.local.pin == nil)
    }

    @Test("L-10: hands go down before they go up; one that did both is lowered and raised")
    func hands() {
        var script = joined { $0.raiseHand(of: $0.person("ana"), at: 1) }
        script.commit { $0.raiseHand(of: $0.person("ben"), at: 2) }
        _ = script.turn()
        script.commit { $0.lowerHand(of: $0.person("ana")) }
        script.commit { $0.raiseHand(of: $0.person("chloe"), at: 3) }
        script.commit { $0.raiseHand(of: $0.person("ana"), at: 4) }
        #expect(
            script.turn() == [
                "lowered ana", "raised chloe", "raised ana", "hands ben,chloe,ana", "status ana", "status chloe",
            ]
        )
    }

    @Test("L-10: a queue kept by callbacks stays in order when the own hand goes down and up unsent")
    func ownHandAgain() {
        var script = joined("ana") { $0.raiseHand(of: $0.person("ana"), at: 1) }
        script.commit { $0.raiseHand(of: $0.person("ben"), at: 2) }
        script.commit { $0.raiseHand(of: $0.person("chloe"), at: 3) }
        _ = script.turn()
        script.lose()
        script.ask(.handRaised(false))
        #expect(script.turn() == ["lost", "lowered ana", "hands ben,chloe", "status ana"])
        // Of what was not sent the last counts: the hand was never down, and keeps its place.
        script.ask(.handRaised(true))
        #expect(
            script.turn() == [
                "lowered ben", "lowered chloe", "raised ana", "raised ben", "raised chloe", "hands ana,ben,chloe",
                "status ana",
            ]
        )
        script.answer()
        script.restore()
        #expect(script.turn() == ["restored"])
    }

    @Test("L-7: media events are about the own device, whoever caused the change; another device is another matter")
    func ownDevice() {
        var script = joined("ana") { $0.join("ana", device: "phone") }
        script.commit { $0.setAudioMuted(true, of: $0.device("ana", "phone")) }
        #expect(script.turn().isEmpty, "the person is not muted, and this device is not")
        script.commit { $0.setAudioMuted(true, of: $0.device("ana", "laptop")) }
        #expect(script.turn() == ["muted ana", "own muted", "status ana"])
    }

    @Test("L-7: what is about the own person alone is told apart from facts of the call")
    func local() {
        var script = joined("ana")
        script.commit { state in
            state.setAudioMuted(true, of: state.device("ana"))
            state.setAudioMuted(true, of: state.device("ben"))
            state.setDominantSpeaker(state.person("ana"))
            state.startRecording(by: state.person("ana"), at: 1)
        }
        let kept = script.callbacks().filter { !$0.isAboutLocalParticipant }
        #expect(
            kept.map(\.short) == ["muted ben", "records ana", "dominant ana", "own muted", "recording", "status ben"]
        )
    }

    @Test("L-8: one participant for each uid with its devices; only when all are muted is the person")
    func aggregate() {
        var script = joined("ana") { $0.join("ben", device: "phone") }
        script.commit { $0.setAudioMuted(true, of: $0.device("ben", "phone")) }
        #expect(script.turn().isEmpty)
        for case .participantListChanged(let all) in script.core.replay {
            #expect(all.map(\.short) == ["ana", "ben", "chloe"])
            #expect(all[1].devices.map(\.deviceID) == ["laptop", "phone"])
            #expect(all[1].devices.map(\.isAudioMuted) == [false, true] && !all[1].isAudioMuted)
        }
        script.commit { $0.setAudioMuted(true, of: $0.device("ben", "laptop")) }
        #expect(script.turn() == ["muted ben", "status ben"])
    }

    @Test("L-8: the list is told when a device of somebody comes or goes, though nothing else of them changes")
    func furtherDevice() {
        var script = joined("ana")
        script.commit { $0.join("ben", device: "phone") }
        #expect(script.turn() == ["list ana,ben,chloe"])
        script.commit { _ = $0.removeDevice($0.device("ben", "laptop"), at: 1, reason: .left) }
        #expect(script.turn() == ["list ana,ben,chloe"])
    }

    @Test("L-11: a recording names who started it, also when they have left")
    func recorder() {
        var script = joined("ana") { state in
            state.setName("Ben", of: state.person("ben"))
            state.startRecording(by: state.person("ben"), at: 1_005_000)
        }
        script.commit { $0.removePerson($0.person("ben"), at: 2, reason: .left) }
        _ = script.turn()
        for case .participantStartedRecording(let who) in script.core.replay {
            #expect(who.uid == "ben" && who.name == "Ben" && who.state == "ended" && who.mid == "m-1")
        }
        #expect(script.core.replay.map(\.short).contains("records ben"))
        script.commit { $0.stopRecording() }
        let stopped = script.callbacks()
        #expect(stopped.map(\.short) == ["stopped recording ben", "recording stopped"])
    }

    @Test("L-6: a status that changed is told once, with what it was")
    func status() {
        var script = joined("ana")
        script.commit { state in
            state.setAudioMuted(true, of: state.device("ben"))
            state.setAudioLocked(true, of: state.person("ben"))
            state.setSpotlight([state.person("chloe")])
        }
        let statuses = script.callbacks().compactMap { callback -> (String, Bool, Bool)? in
            guard case .participantStatusChanged(let who, let old, let new) = callback else { return nil }
            #expect(who.status == new)
            return (who.short, old.isAudioLocked || old.isSpotlit, new.isAudioLocked || new.isSpotlit)
        }
        #expect(statuses.map(\.0) == ["ben", "chloe"])
        #expect(statuses.allSatisfy { !$0.1 && $0.2 })
    }

    @Test("L-6: who was in the spotlight and is the dominant speaker instead has another status")
    func otherMark() {
        var script = joined("ana") { $0.setSpotlight([$0.person("ben")]) }
        script.commit { state in
            state.setSpotlight([])
            state.setDominantSpeaker(state.person("ben"))
        }
        #expect(script.turn() == ["dominant ben", "status ben"])
    }

    @Test("L-6 L-10: every hand goes down at once in a large call, each told once, in order of joining")
    func manyHands() {
        var script = joined("ana") { state in
            for number in 0..<1_000 { state.join(ByteString("p\(number)")) }
        }
        script.commit { state in
            for number in 0..<1_000 { state.raiseHand(of: state.person(ByteString("p\(number)")), at: 1) }
        }
        #expect(script.turn().count == 2_001)
        script.commit { $0.lowerAllHands() }
        let told = script.turn()
        #expect(told.prefix(2) == ["lowered p0", "lowered p1"] && told.count == 2_001)
        #expect(told[1_000] == "hands " && told.suffix(2) == ["status p998", "status p999"])
    }

    @Test("L-6: another name, picture, role or attribute changes the list", arguments: 0..<4)
    func list(what: Int) {
        var script = joined("ana")
        script.commit { state in
            let ben = state.person("ben")
            switch what {
            case 0: state.setName("B", of: ben)
            case 1: state.setAvatar("b.png", of: ben)
            case 2: state.setRole(.moderator, of: ben)
            default: state.setAttribute("badge", of: ben, to: [65])
            }
        }
        let callbacks = script.callbacks()
        #expect(callbacks.map(\.short) == ["list ana,ben,chloe"])
        for case .participantListChanged(let all) in callbacks {
            let shown = [all[1].name, all[1].avatar, all[1].isModerator ? "moderator" : nil, all[1].attribute("badge")]
            #expect(shown[what] == ["B", "b.png", "moderator", "A"][what])
        }
    }
}
