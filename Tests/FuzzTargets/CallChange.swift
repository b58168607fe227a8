import CallState

/// The changes of a call that a relay makes, drawn from choices: all inside a running commit.
struct CallChange {
    /// ms since 1970.
    private(set) var clock: UInt64 = 1_700_000_000_000
    private var meetings = 0

    /// One commit of a few changes, or one that is undone; true when the state is another one.
    mutating func commit(to state: inout CallState, _ choices: inout ChoiceReader) -> Bool {
        clock += UInt64(choices.byte())
        if state.call.meetingID == nil {
            state.beginEpoch(state.position.epoch + 1 + UInt64(choices.below(3)))
        }
        state.beginCommit()
        for _ in 0...choices.below(4) { change(&state, &choices) }
        if choices.below(8) == 7 {
            state.rollbackCommit()
            return false
        }
        return state.endCommit()
    }

    private mutating func change(_ state: inout CallState, _ choices: inout ChoiceReader) {
        if state.call.meetingID == nil { return begin(&state, &choices) }
        switch choices.below(16) {
        case 0, 1, 2: join(&state, &choices)
        case 3, 4: leave(&state, &choices)
        case 5, 6, 7: changeDevice(&state, &choices)
        case 8, 9, 10: changePerson(&state, &choices)
        case 11, 12: changeCall(&state, &choices)
        case 13: changePolicy(&state, &choices)
        case 14: changeUnknown(&state, &choices)
        default: if choices.below(4) == 3 { state.endMeeting(at: clock) }
        }
    }

    private mutating func begin(_ state: inout CallState, _ choices: inout ChoiceReader) {
        meetings += 1
        state.beginMeeting(ByteString("m-\(meetings)"), at: clock, grace: choices.number(), idle: choices.number())
        join(&state, &choices)
    }

    private func join(_ state: inout CallState, _ choices: inout ChoiceReader) {
        let uid = ByteString("u\(choices.below(6))")
        let (name, avatar) = (choices.text(), choices.text())
        let person =
            state.personSlot(uid: uid)
            ?? state.addPerson(
                uid: uid,
                name: name,
                avatar: avatar,
                role: Role(rawValue: .init(choices.byte())),
                at: clock
            )
        let id = ByteString("d\(choices.below(3))")
        let facts = choices.byte()
        let (muted, paused, presenting) = (facts & 1 == 0, facts & 2 == 0, facts & 4 != 0)
        if let device = state.deviceSlot(of: person, id: id) {
            state.setInitialFacts(of: device, audioMuted: muted, videoPaused: paused, presenting: presenting)
            state.restoreLink(of: device)
        } else {
            _ = state.addDevice(
                person: person,
                id: id,
                clientName: name,
                audioMuted: muted,
                videoPaused: paused,
                presenting: presenting,
                at: clock
            )
        }
    }

    private func leave(_ state: inout CallState, _ choices: inout ChoiceReader) {
        let devices = state.deviceSlots
        if devices.isEmpty { return }
        let device = devices[choices.below(devices.count)]
        let reason = LeaveReason(rawValue: UInt32(choices.below(7)))
        if choices.flag(), let person = state.owner(of: device) {
            state.removePerson(person, at: clock, reason: reason)
        } else {
            state.removeDevice(device, at: clock, reason: reason)
        }
        if state.peopleCount == 0 { state.endMeeting(at: clock) }
    }

    private func changeDevice(_ state: inout CallState, _ choices: inout ChoiceReader) {
        let devices = state.deviceSlots
        if devices.isEmpty { return }
        let device = devices[choices.below(devices.count)]
        switch choices.below(6) {
        case 0: state.setAudioMuted(choices.flag(), of: device)
        case 1: state.setVideoPaused(choices.flag(), of: device)
        case 2: state.setPresenting(choices.flag(), of: device)
        case 3: state.loseLink(of: device, until: choices.number())
        case 4: state.restoreLink(of: device)
        default: state.setClientName(choices.text(), of: device)
        }
    }

    private func changePerson(_ state: inout CallState, _ choices: inout ChoiceReader) {
        let people = state.personSlots
        if people.isEmpty { return }
        let person = people[choices.below(people.count)]
        switch choices.below(12) {
        case 0: state.setName(choices.text(), of: person)
        case 1: state.setAvatar(choices.text(), of: person)
        case 2: state.setRole(Role(rawValue: UInt32(choices.byte())), of: person)
        case 3: state.setAudioLocked(choices.flag(), of: person)
        case 4: state.setVideoLocked(choices.flag(), of: person)
        case 5: state.requestUnmute(of: person, byUID: choices.text(), until: choices.number())
        case 6: state.withdrawUnmuteRequest(of: person)
        case 7, 8: state.setAttribute(key(&choices), of: person, to: choices.flag() ? choices.blob() : nil)
        case 9: state.lowerHand(of: person)
        default: state.raiseHand(of: person, at: clock)
        }
    }

    private func changeCall(_ state: inout CallState, _ choices: inout ChoiceReader) {
        let people = state.personSlots
        let person = people.isEmpty ? nil : people[choices.below(people.count)]
        switch choices.below(8) {
        case 0: state.setTitle(choices.text())
        case 1: state.setCallLocked(choices.flag())
        case 2: state.setCallAttribute(key(&choices), to: choices.flag() ? choices.blob() : nil)
        case 3: if let person { state.startRecording(by: person, at: clock) }
        case 4: state.stopRecording()
        case 5: state.setSpotlight(people.dropLast(choices.below(4)).reversed())
        case 6: state.setDominantSpeaker(choices.flag() ? person : nil)
        default: _ = choices.flag() ? state.lowerAllHands(except: person) : state.muteEverybody(except: person)
        }
    }

    private func changePolicy(_ state: inout CallState, _ choices: inout ChoiceReader) {
        switch choices.below(8) {
        case 0: state.setModeration(Moderation(rawValue: UInt32(choices.byte())))
        case 1: state.setStandingMute(choices.flag())
        case 2: state.setStandingCameraOff(choices.flag())
        case 3: state.setHandsEnabled(choices.flag())
        case 4: state.setPresenters(Presenters(rawValue: UInt32(choices.byte())))
        case 5: state.setGrace(choices.number())
        case 6: state.setIdle(choices.number())
        default: state.pauseEverybody()
        }
    }

    /// What a later version of the protocol may bring.
    private func changeUnknown(_ state: inout CallState, _ choices: inout ChoiceReader) {
        let slot = choices.flag() ? state.append(RecordKind(rawValue: 6 + UInt32(choices.below(8)))) : Slot.call
        let field = 100 + UInt32(choices.below(3))
        switch choices.below(3) {
        case 0: state.set(field, of: slot, to: .number(choices.number()))
        case 1: state.setEntry(200, key: key(&choices), of: slot, to: choices.flag() ? choices.blob() : nil)
        default: state.clear(field, of: slot)
        }
    }

    private func key(_ choices: inout ChoiceReader) -> ByteString { ByteString("k\(choices.below(4))") }
}
