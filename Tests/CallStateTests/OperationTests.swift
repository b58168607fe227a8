import CallState
import Testing

/// What the relay's operations do in one commit.
@Suite struct OperationTests {
    @Test("R-91 R-18: the first join begins the meeting in its own commit")
    func beginning() {
        let state = CallState.meeting("ana")
        #expect(state.call.meetingID == "m-1" && state.call.startedAt == 1000)
        #expect(state.policy.grace == 15_000 && state.policy.idle == 300_000 && state.policy.handsEnabled)
        #expect(state.position.seq == 1 && state.people.map(\.uid) == ["ana"])
        #expect(state.people[0].devices.map(\.id) == ["laptop"])
        #expect(state.diff(from: 0).records.map(\.slot) == [0, 1, 2, 3])
    }

    @Test("R-93: the end of the meeting takes everybody and every field")
    func ending() {
        var state = CallState.meeting("ana", "ben")
        state.commit { state in
            state.setTitle("t")
            state.setCallAttribute("k", to: [1])
            state.setModeration(.moderators)
            state.setSpotlight([state["ana"]])
            state.startRecording(by: state["ana"], at: 1)
        }
        state.commit { $0.endMeeting(at: 9000) }
        #expect(state.digest == 0 && state.peopleCount == 0 && state.deviceCount == 0 && state.liveRecordCount == 2)
        #expect(state.call == CallState().call && state.policy == CallState().policy)
        #expect(state.removal(of: 2) == Diff.Removal(at: 9000, reason: .ended))
    }

    @Test("R-22 R-49: devices of a uid are in the call together; the person goes with the last")
    func devices() {
        var state = CallState.meeting("ana", "ben")
        state.commit { $0.join("ana", device: "phone") }
        #expect(state.deviceSlots(of: state["ana"]) == [3, 6] && state.peopleCount == 2 && state.deviceCount == 3)
        #expect(state.deviceSlot(of: 2, id: "phone") == 6 && state.owner(of: 6) == 2 && state.owner(of: 2) == nil)
        state.commit { $0.removeDevice(3, at: 5, reason: .left) }
        #expect(state.person(uid: "ana")?.devices.map(\.slot) == [6])
        state.commit { $0.removeDevice(6, at: 5, reason: .left) }
        #expect(state.person(uid: "ana") == nil && state.removal(of: 2) == Diff.Removal(at: 5, reason: .left))
        #expect(state.commit { $0.removeDevice(6, at: 6, reason: .left) } == false)
        #expect(state.commit { $0.removePerson(2, at: 6, reason: .left) } == false)
    }

    @Test("R-92 R-86: leaving clears what the person had; a recording stays")
    func leaving() {
        var state = CallState.meeting("ana", "ben")
        state.commit { state in
            state.raiseHand(of: state["ana"], at: 1)
            state.setPresenting(true, of: state.device(of: "ana"))
            state.setDominantSpeaker(state["ana"])
            state.setSpotlight([state["ben"], state["ana"]])
            state.startRecording(by: state["ana"], at: 7)
        }
        let before = state.position.seq
        state.commit { state in state.removeDevice(state.device(of: "ana"), at: 9, reason: .lost) }
        #expect(state.position.seq == before + 1)
        #expect(state.call.dominantSpeaker == nil && state.call.spotlight == [4] && state.raisedHands.isEmpty)
        #expect(state.call.recording?.byUID == "ana" && state.call.recording?.since == 7)
        state.commit { state in state.removePerson(state["ben"], at: 9, reason: .removed) }
        #expect(state.value(CallField.spotlight, of: .call) == nil)
    }

    @Test("R-50: hands stand in the order in which they went up; raising again keeps the place")
    func hands() {
        var state = CallState.meeting("ana", "ben", "chloe", "dan")
        state.commit { state in state.raiseHand(of: state["chloe"], at: 5) }
        state.commit { state in state.raiseHand(of: state["ana"], at: 5) }
        state.commit { state in
            state.raiseHand(of: state["dan"], at: 1)
            state.raiseHand(of: state["ben"], at: 1)
        }
        #expect(state.raisedHands.map(\.uid) == ["chloe", "ana", "ben", "dan"])
        #expect(state.commit { state in state.raiseHand(of: state["chloe"], at: 99) } == false)
        state.commit { state in state.lowerHand(of: state["chloe"]) }
        state.commit { state in state.raiseHand(of: state["chloe"], at: 5) }
        #expect(state.raisedHands.map(\.uid) == ["ana", "ben", "dan", "chloe"])
        #expect(state.person(uid: "chloe")?.hand == Hand(version: 6, at: 5))
        state.commit { state in state.lowerAllHands(except: state["ben"]) }
        #expect(state.raisedHands.map(\.uid) == ["ben"])
    }

    @Test("R-79: disabled hands go down and stay down")
    func disabledHands() {
        var state = CallState.meeting("ana")
        state.commit { $0.raiseHand(of: 2, at: 1) }
        state.commit { $0.setHandsEnabled(false) }
        #expect(state.raisedHands.isEmpty && !state.policy.handsEnabled)
        #expect(state.commit { $0.raiseHand(of: 2, at: 1) } == false)
        state.commit { $0.setHandsEnabled(true) }
        #expect(state.commit { $0.raiseHand(of: 2, at: 1) } == true)
    }

    @Test("R-82: a lock silences in its commit, holds, and lifting it unmutes nobody")
    func locks() {
        var state = CallState.meeting("ana", "ben")
        state.commit { $0.join("ana", device: "phone") }
        let before = state.position.seq
        state.commit { state in
            state.setAudioLocked(true, of: state["ana"])
            state.setVideoLocked(true, of: state["ana"])
        }
        #expect(state.position.seq == before + 1)
        #expect(state.person(2)!.aggregate.isAudioMuted && state.person(2)!.aggregate.isVideoPaused)
        #expect(!state.person(4)!.aggregate.isAudioMuted && state.isAudioHeld(2) && !state.isAudioHeld(4))
        #expect(state.commit { $0.setAudioMuted(false, of: 3) } == false)
        #expect(state.commit { $0.setVideoPaused(false, of: 3) } == false)
        state.commit { state in
            state.setAudioLocked(false, of: 2)
            state.setVideoLocked(false, of: 2)
        }
        #expect(state.device(3)!.isAudioMuted && state.device(3)!.isVideoPaused)
        #expect(state.commit { $0.setAudioMuted(false, of: 3) } == true)
        #expect(state.commit { $0.setVideoPaused(false, of: 3) } == true)
    }

    @Test("R-83 R-20: a standing policy does so to everybody, also to who joins")
    func standing() {
        var state = CallState.meeting("ana", "ben")
        state.commit {
            $0.setStandingMute(true)
            $0.setStandingCameraOff(true)
        }
        state.commit { $0.join("chloe") }
        #expect(state.people.allSatisfy { $0.aggregate.isAudioMuted && $0.aggregate.isVideoPaused })
        #expect(state.commit { $0.setAudioMuted(false, of: 3) } == false)
        state.commit { $0.setStandingMute(false) }
        #expect(state.device(3)!.isAudioMuted)
        #expect(state.commit { $0.setAudioMuted(false, of: 3) } == true)
        #expect(state.commit { $0.setVideoPaused(false, of: 3) } == false)
    }

    @Test("R-83 R-75: mute all is an action, with or without somebody")
    func muteAll() {
        var state = CallState.meeting("ana", "ben")
        state.commit {
            $0.muteEverybody(except: 2)
            $0.pauseEverybody(except: 2)
        }
        #expect(!state.device(3)!.isAudioMuted && state.device(5)!.isAudioMuted)
        #expect(!state.device(3)!.isVideoPaused && state.device(5)!.isVideoPaused)
        state.commit {
            $0.muteEverybody()
            $0.pauseEverybody()
        }
        #expect(state.device(3)!.isAudioMuted && state.device(3)!.isVideoPaused)
        #expect(state.commit { $0.setAudioMuted(false, of: 3) } == true)
    }

    @Test("R-78: with one presenter a start stops the one before, in the same commit")
    func onePresenter() {
        var state = CallState.meeting("ana", "ben", "chloe")
        state.commit { $0.setPresenting(true, of: 5) }
        state.commit { $0.setPresenting(true, of: 3) }
        state.commit { $0.setPresenters(.one) }
        #expect(state.device(3)!.isPresenting && !state.device(5)!.isPresenting, "the newest stays")
        state.commit { $0.setPresenting(true, of: 7) }
        #expect(state.deviceSlots.filter { state.flag(DeviceField.presenting, of: $0) } == [7])
        #expect(state.diff(from: state.position.seq - 1).records.map(\.slot) == [3, 7])
        #expect(state.commit { $0.setPresenting(true, of: 7) } == false)
        state.commit { $0.setPresenters(.many) }
        state.commit { state in
            state.setPresenting(true, of: 5)
            state.setPresenting(true, of: 3)
            state.setPresenting(false, of: 7)
        }
        state.commit { $0.setPresenters(.one) }
        #expect(
            state.device(3)!.isPresenting && !state.device(5)!.isPresenting,
            "of one commit, who joined first stays"
        )
    }

    @Test("R-20 R-32: initial facts that are forbidden are corrected")
    func initialFacts() {
        var state = CallState.meeting("ana", "ben")
        state.commit {
            $0.setPresenters(.one)
            $0.setPresenting(true, of: 3)
            $0.setAudioLocked(true, of: 4)
        }
        state.commit { state in
            _ = state.addDevice(
                person: 4,
                id: "phone",
                clientName: "app",
                audioMuted: false,
                videoPaused: false,
                presenting: true,
                at: 2000
            )
        }
        let phone = state.device(6)!
        #expect(phone.isAudioMuted && !phone.isVideoPaused && !phone.isPresenting && phone.clientName == "app")
        state.commit { $0.setInitialFacts(of: 3, audioMuted: true, videoPaused: true, presenting: true) }
        #expect(state.device(3)!.isPresenting && state.device(3)!.isAudioMuted)
        state.commit { $0.setInitialFacts(of: 3, audioMuted: true, videoPaused: true, presenting: false) }
        #expect(!state.device(3)!.isPresenting)
    }

    @Test("R-84: an unmute request ends when the person unmutes, or is withdrawn")
    func unmuteRequests() {
        var state = CallState.meeting("ana", "ben")
        #expect(state.commit { $0.requestUnmute(of: 2, byUID: "ben", until: 9) } == false, "ana is not muted")
        state.commit { $0.setAudioMuted(true, of: 3) }
        state.commit { $0.requestUnmute(of: 2, byUID: "ben", until: 9) }
        #expect(state.person(2)!.unmuteRequest == UnmuteRequest(byUID: "ben", until: 9))
        state.commit { $0.setAudioMuted(false, of: 3) }
        #expect(state.person(2)!.unmuteRequest == nil)
        state.commit {
            $0.setAudioMuted(true, of: 3)
            $0.requestUnmute(of: 2, byUID: "ben", until: 9)
        }
        #expect(state.commit { $0.withdrawUnmuteRequest(of: 2) } == true)
        #expect(state.commit { $0.withdrawUnmuteRequest(of: 2) } == false)
    }

    @Test("R-102: a lost link shows until when it may come back")
    func links() {
        var state = CallState.meeting("ana")
        state.commit { $0.loseLink(of: 3, until: 5000) }
        #expect(state.device(3)!.link == .reconnecting && state.device(3)!.reconnectingUntil == 5000)
        let lost = state.digest
        state.commit { $0.restoreLink(of: 3) }
        #expect(state.device(3)!.link == .active && state.device(3)!.reconnectingUntil == nil)
        #expect(state.digest != lost)
        #expect(state.commit { $0.restoreLink(of: 3) } == false)
    }

    @Test("R-80 R-81 R-89: names, roles, attributes, title, lock, grace and idle")
    func settings() {
        var state = CallState.meeting("ana")
        state.commit { state in
            state.setName("Ana", of: 2)
            state.setAvatar("https://a", of: 2)
            state.setRole(.moderator, of: 2)
            state.setAttribute("lang", of: 2, to: [101, 110])
            state.setAttribute("a", of: 2, to: [])
            state.setTitle("standup")
            state.setCallLocked(true)
            state.setCallAttribute("k", to: [1])
            state.setModeration(.moderators)
            state.setGrace(0)
            state.setIdle(0)
        }
        let ana = state.person(2)!
        #expect(ana.name == "Ana" && ana.avatar == "https://a" && ana.role == .moderator)
        #expect(ana.attributes.map(\.key) == ["a", "lang"])
        #expect(state.call.title == "standup" && state.call.isLocked && state.call.attributes.count == 1)
        #expect(state.policy.moderation == .moderators && state.policy.grace == 0 && state.policy.idle == 0)
        state.commit { state in
            state.setName("", of: 2)
            state.setRole(.participant, of: 2)
            state.setAttribute("a", of: 2, to: nil)
            state.setCallLocked(false)
        }
        #expect(state.value(PersonField.name, of: 2) == nil && state.value(PersonField.role, of: 2) == nil)
        #expect(state.entry(PersonField.attributes, key: "a", of: 2) == nil && !state.call.isLocked)
        #expect(state.value(CallField.locked, of: .call) == nil)
    }

    @Test("R-86 R-87: recording and spotlight")
    func recordingAndSpotlight() {
        var state = CallState.meeting("ana", "ben")
        state.commit { state in
            state.setName("Ana", of: 2)
            state.startRecording(by: 2, at: 7)
            state.setSpotlight([4, 2, 4, 99, 3])
        }
        #expect(state.call.recording == Recording(byUID: "ana", byName: "Ana", since: 7))
        #expect(state.call.spotlight == [4, 2])
        #expect(state.commit { $0.startRecording(by: 4, at: 8) } == false)
        #expect(state.commit { $0.startRecording(by: 99, at: 8) } == false)
        state.commit {
            $0.stopRecording()
            $0.setSpotlight([])
        }
        #expect(state.call.recording == nil && state.value(CallField.spotlight, of: .call) == nil)
        state.commit { $0.startRecording(byUID: "bot", byName: "", at: 9) }
        #expect(state.call.recording?.byUID == "bot")
    }

    @Test("operations on what is not there change nothing")
    func nobody() {
        var state = CallState.meeting("ana")
        state.beginCommit()
        let changes = [
            state.setAudioMuted(true, of: 2), state.setVideoPaused(true, of: 99), state.setPresenting(true, of: 2),
            state.loseLink(of: 2, until: 1), state.restoreLink(of: 99),
            state.setInitialFacts(of: 2, audioMuted: true, videoPaused: true, presenting: true),
            state.setAudioLocked(true, of: 3), state.setVideoLocked(true, of: 3),
            state.requestUnmute(of: 3, byUID: "x", until: 1), state.withdrawUnmuteRequest(of: 3),
            state.raiseHand(of: 3, at: 1), state.lowerHand(of: 3), state.setDominantSpeaker(99),
        ]
        #expect(!changes.contains(true))
        #expect(state.endCommit() == false)
    }
}
