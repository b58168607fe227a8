import Testing

@testable import CallState

/// The events and their order.
@Suite struct DifferenceTests {
    /// The events in short: the case, who, and the value where it tells something.
    private func short(_ events: [CallEvent]) -> [String] { events.map(\.short) }

    @Test("R-60 R-19: who comes late hears the same as who was there")
    func lateJoin() throws {
        var state = CallState.meeting("ana", "ben")
        let empty = CallState()
        state.commit { state in
            state.setAudioMuted(true, of: 3)
            state.setPresenting(true, of: 3)
            state.setVideoPaused(true, of: 5)
            state.raiseHand(of: 4, at: 5)
            state.startRecording(by: 2, at: 6)
            state.setDominantSpeaker(4)
            state.loseLink(of: 5, until: 9)
        }
        state.commit { $0.raiseHand(of: 2, at: 7) }
        let expected = [
            "began m-1",
            "joined ana", "deviceJoined ana/laptop", "deviceAudio ana/laptop true", "devicePresenting ana/laptop true",
            "audio ana true", "presenting ana true",
            "joined ben", "deviceJoined ben/laptop", "deviceVideo ben/laptop true", "deviceLink ben/laptop 1",
            "video ben true", "link ben 1",
            "raised ben", "raised ana", "recording ana", "dominant ben", "policy",
        ]
        #expect(short(difference(empty, state)) == expected)
        #expect(short(difference(empty, try state.copied())) == expected)
    }

    @Test("R-60: a departure first ends what the person had, then tells when and why")
    func departure() {
        var state = CallState.meeting("ana", "ben")
        state.commit { state in
            state.raiseHand(of: 2, at: 5)
            state.setPresenting(true, of: 3)
            state.setDominantSpeaker(2)
            state.setSpotlight([2, 4])
            state.setName("Ana", of: 2)
        }
        let before = state
        state.commit { state in
            state.removePerson(2, at: 77, reason: .lost)
            state.join("chloe")
            state.setDominantSpeaker(4)
            state.setAudioMuted(true, of: 5)
        }
        let events = difference(before, state)
        #expect(
            short(events) == [
                "devicePresenting ana/laptop false", "presenting ana false", "lowered ana", "dominant nobody",
                "deviceLeft ana/laptop", "left ana",
                "joined chloe", "deviceJoined chloe/laptop",
                "deviceAudio ben/laptop true", "audio ben true",
                "dominant ben", "spotlight [4]",
            ]
        )
        let departures = events.compactMap { event -> (Person, Departure)? in
            if case .left(let person, let departure) = event { (person, departure) } else { nil }
        }
        #expect(departures.count == 1 && departures[0].1 == Departure(at: 77, reason: .lost))
        #expect(departures[0].0 == before.person(2), "the whole person as it was")
    }

    @Test("R-60 R-50: hands go down before they go up; one that did both was lowered and raised")
    func hands() {
        var state = CallState.meeting("ana", "ben", "chloe")
        state.commit { $0.raiseHand(of: 2, at: 1) }
        state.commit { $0.raiseHand(of: 4, at: 1) }
        let before = state
        state.commit { $0.lowerHand(of: 2) }
        state.commit { $0.raiseHand(of: 6, at: 1) }
        state.commit { $0.raiseHand(of: 2, at: 1) }
        state.commit { $0.lowerHand(of: 4) }
        #expect(short(difference(before, state)) == ["lowered ana", "lowered ben", "raised chloe", "raised ana"])
    }

    @Test("R-60: every field has its event, with what it was")
    func everyField() {
        var state = CallState.meeting("ana")
        state.commit { $0.setAudioMuted(true, of: 3) }
        let before = state
        state.commit { state in
            state.setName("Ana", of: 2)
            state.setAvatar("u", of: 2)
            state.setRole(.moderator, of: 2)
            state.setAudioLocked(true, of: 2)
            state.setVideoLocked(true, of: 2)
            state.setClientName("app", of: 3)
            state.requestUnmute(of: 2, byUID: "x", until: 5)
            state.setAttribute("a", of: 2, to: [1])
            state.setAttribute("b", of: 2, to: [2])
            state.setTitle("t")
            state.setCallLocked(true)
            state.setCallAttribute("k", to: [1])
            state.startRecording(by: 2, at: 1)
            state.setPresenters(.one)
        }
        #expect(
            short(difference(before, state)) == [
                "name ana ", "avatar ana ", "role ana 0", "audioLock ana true", "videoLock ana true",
                "deviceVideo ana/laptop true", "deviceInfo ana/laptop", "video ana true", "request ana false",
                "attribute ana a", "attribute ana b", "recording ana", "title ", "locked true", "callAttribute k",
                "policy",
            ]
        )
        let middle = state
        state.commit { state in
            state.setAttribute("a", of: 2, to: nil)
            state.setAttribute("b", of: 2, to: [3])
            state.setAttribute("c", of: 2, to: [])
            state.setCallAttribute("k", to: nil)
            state.stopRecording()
            state.startRecording(byUID: "bot", byName: "", at: 2)
        }
        #expect(
            short(difference(middle, state)) == [
                "attribute ana a -", "attribute ana b", "attribute ana c", "stopped ana", "recording bot",
                "callAttribute k -",
            ]
        )
    }

    @Test("R-60 R-49: devices come and go under their person")
    func devices() {
        var state = CallState.meeting("ana")
        state.commit { state in
            state.setPresenting(true, of: 3)
            state.setAudioMuted(true, of: 3)
        }
        let before = state
        state.commit { $0.join("ana", device: "phone") }
        #expect(short(difference(before, state)) == ["deviceJoined ana/phone", "audio ana false"])
        let middle = state
        state.commit { $0.removeDevice(3, at: 5, reason: .left) }
        #expect(
            short(difference(middle, state)) == [
                "devicePresenting ana/laptop false", "deviceLeft ana/laptop", "presenting ana false",
            ]
        )
        let last = state
        state.commit { state in
            state.removeDevice(4, at: 5, reason: .left)
            state.join("ana", device: "phone")
        }
        #expect(short(difference(last, state)).contains("left ana"))
        #expect(short(difference(last, state)).contains("joined ana"), "another appearance is another person")
    }

    @Test("R-60 R-38: another meeting ends everything of the old one first")
    func meetings() throws {
        var state = CallState.meeting("ana")
        state.commit { $0.setTitle("t") }
        let old = state
        state.commit { $0.endMeeting(at: 50) }
        let ended = ["deviceLeft ana/laptop", "left ana", "title t", "policy", "ended m-1"]
        #expect(short(difference(old, state)) == ended)
        #expect(difference(old, state).contains(.left(old.person(2)!, Departure(at: 50, reason: .ended))))
        state.beginEpoch(2)
        state.commit { state in
            state.beginMeeting("m-2", at: 60, grace: 0, idle: 0)
            state.join("ana")
        }
        let began = ["began m-2", "joined ana", "deviceJoined ana/laptop"]
        #expect(short(difference(old, state)) == ended + began)
        #expect(difference(old, state).contains(.left(old.person(2)!, Departure(at: nil, reason: .ended))))
    }

    @Test("R-54 R-60: a snapshot at the same position that repairs a copy tells what was wrong")
    func repair() throws {
        let state = CallState.meeting("ana", "ben")
        var wrong = CallState()
        var diff = state.diff(from: 0)
        diff.records.removeLast(2)
        try wrong.replace(with: diff, at: state.position)
        var repaired = wrong
        try repaired.replace(with: state.diff(from: 0), at: state.position)
        #expect(!repaired.isStep(from: wrong))
        #expect(short(difference(wrong, repaired)) == ["joined ben", "deviceJoined ben/laptop"])
        #expect(difference(state, state).isEmpty)
    }

    @Test("R-60: another uid in the same slot has left and another has joined")
    func otherUID() throws {
        var one = CallState()
        var other = CallState()
        try one.replace(with: .of((2, .person, [.text(1, "ana")])), at: Position(epoch: 1, seq: 1))
        try other.replace(with: .of((2, .person, [.text(1, "eve")])), at: Position(epoch: 1, seq: 2))
        let events = difference(one, other)
        #expect(short(events) == ["left ana", "joined eve", "audio eve true", "video eve true", "link eve 1"])
        #expect(events.first == .left(one.person(2)!, Departure(at: nil, reason: .unspecified)))
    }
}

extension CallEvent {
    fileprivate var short: String {
        switch self {
        case .joined(let person): "joined \(person.uid)"
        case .left(let person, _): "left \(person.uid)"
        case .name(let person, let was): "name \(person.uid) \(was)"
        case .avatar(let person, let was): "avatar \(person.uid) \(was)"
        case .role(let person, let was): "role \(person.uid) \(was.rawValue)"
        case .audioLock(let person, let isLocked): "audioLock \(person.uid) \(isLocked)"
        case .videoLock(let person, let isLocked): "videoLock \(person.uid) \(isLocked)"
        case .unmuteRequest(let person, let was): "request \(person.uid) \(was != nil)"
        case .attribute(let person, let key, let value): "attribute \(person.uid) \(key)\(value == nil ? " -" : "")"
        case .handRaised(let person, _): "raised \(person.uid)"
        case .handLowered(let person, _): "lowered \(person.uid)"
        case .audio(let person, let isMuted): "audio \(person.uid) \(isMuted)"
        case .video(let person, let isPaused): "video \(person.uid) \(isPaused)"
        case .presenting(let person, let isPresenting): "presenting \(person.uid) \(isPresenting)"
        case .link(let person, let link): "link \(person.uid) \(link.rawValue)"
        case .deviceJoined(let device, let person): "deviceJoined \(person.uid)/\(device.id)"
        case .deviceLeft(let device, let person, _): "deviceLeft \(person.uid)/\(device.id)"
        case .deviceAudio(let device, let person, let isMuted): "deviceAudio \(person.uid)/\(device.id) \(isMuted)"
        case .deviceVideo(let device, let person, let isPaused): "deviceVideo \(person.uid)/\(device.id) \(isPaused)"
        case .devicePresenting(let device, let person, let on): "devicePresenting \(person.uid)/\(device.id) \(on)"
        case .deviceLink(let device, let person, let link): "deviceLink \(person.uid)/\(device.id) \(link.rawValue)"
        case .deviceInfo(let device, let person): "deviceInfo \(person.uid)/\(device.id)"
        case .meetingBegan(let id, _): "began \(id)"
        case .meetingEnded(let id): "ended \(id)"
        case .recordingStarted(let recording): "recording \(recording.byUID)"
        case .recordingStopped(let recording): "stopped \(recording.byUID)"
        case .dominantSpeaker(let person, _): "dominant \(person?.uid ?? "nobody")"
        case .spotlight(let slots, _): "spotlight \(slots)"
        case .title(_, let was): "title \(was)"
        case .callLock(let isLocked): "locked \(isLocked)"
        case .callAttribute(let key, let value): "callAttribute \(key)\(value == nil ? " -" : "")"
        case .policy: "policy"
        }
    }
}
