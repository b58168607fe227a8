import CallState

/// A device's facts and its person's, as a newcomer gives them.
struct Newcomer {
    var uid: ByteString
    var device: ByteString
    var clientName = ByteString.empty
    var name: ByteString?
    var avatar: ByteString?
    var role: Role?
    var attributes: [AttributeValue] = []
    var audioMuted = true
    var videoPaused = true
    var presenting = false
}

/// How a call's first participant wants it.
struct MeetingTerms {
    /// The meeting's name.
    var meeting: ByteString
    /// In ms.
    var grace: UInt64
    /// In ms; 0 is never.
    var idle: UInt64
}

// Coming in. All inside a commit.
extension Call {
    /// Puts a device in that is not in yet; with it its person and, with the first person, the meeting.
    mutating func add(_ newcomer: Newcomer, terms: MeetingTerms) -> Slot {
        if !isOccupied {
            state.beginMeeting(terms.meeting, at: clock, grace: terms.grace, idle: terms.idle)
        }
        let person = state.personSlot(uid: newcomer.uid) ?? state.addPerson(uid: newcomer.uid, at: clock)
        fill(person, from: newcomer)
        return state.addDevice(
            person: person,
            id: newcomer.device,
            clientName: newcomer.clientName,
            audioMuted: newcomer.audioMuted,
            videoPaused: newcomer.videoPaused,
            presenting: newcomer.presenting,
            at: clock
        )
    }

    /// Takes a device over in place: the person's fields and the times of joining stay.
    mutating func takeOver(_ device: Slot, of person: Slot, by newcomer: Newcomer) {
        fill(person, from: newcomer)
        state.setInitialFacts(
            of: device,
            audioMuted: newcomer.audioMuted,
            videoPaused: newcomer.videoPaused,
            presenting: newcomer.presenting
        )
        state.setClientName(newcomer.clientName, of: device)
        state.restoreLink(of: device)
    }

    /// What the person does not have yet comes from the newcomer; what is set stays.
    private mutating func fill(_ person: Slot, from newcomer: Newcomer) {
        if let name = newcomer.name, state.value(PersonField.name, of: person) == nil {
            state.setName(name, of: person)
        }
        if let avatar = newcomer.avatar, state.value(PersonField.avatar, of: person) == nil {
            state.setAvatar(avatar, of: person)
        }
        if let role = newcomer.role, state.value(PersonField.role, of: person) == nil {
            state.setRole(role, of: person)
        }
        for attribute in newcomer.attributes
        where state.entry(PersonField.attributes, key: attribute.key, of: person) == nil {
            state.setAttribute(attribute.key, of: person, to: attribute.value)
        }
    }
}

extension Call {
    /// What to tell about a device that is about to go.
    func departed(_ device: Slot, _ reason: LeaveReason) -> Departed {
        let person = state.owner(of: device) ?? 0
        return Departed(
            slot: device,
            uid: state.text(PersonField.uid, of: person),
            device: state.text(DeviceField.device, of: device),
            reason: reason
        )
    }
}

extension CallState {
    /// Whether every device of the person is muted.
    func isAudioMuted(person: Slot) -> Bool {
        deviceSlots(of: person).allSatisfy { flag(DeviceField.audioMuted, of: $0) }
    }

    /// Whether the device's link lives.
    func isActive(device: Slot) -> Bool {
        number(DeviceField.connection, of: device) ?? 0 == UInt64(LinkState.active.rawValue)
    }
}
