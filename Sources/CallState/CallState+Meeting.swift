// The life of a meeting and the facts of the call itself. Everything here is part of a commit; each function says
// whether it changed something. A value at rest (no title, not locked, a default policy) is no field at all.

extension CallState {
    /// Begins a meeting: the call goes from empty to occupied.
    ///
    /// `grace` and `idle` in ms, `at` in ms since 1970.
    public mutating func beginMeeting(_ meetingID: ByteString, at: UInt64, grace: UInt64, idle: UInt64) {
        set(CallField.meetingID, of: .call, to: .bytes(meetingID.bytes))
        set(CallField.startedAt, of: .call, to: .number(at))
        set(PolicyField.grace, of: .policy, to: .number(grace))
        set(PolicyField.idle, of: .policy, to: .number(idle))
    }

    /// Ends the meeting: everybody goes, and the call and its policy lose every field.
    public mutating func endMeeting(at: UInt64, reason: LeaveReason = .ended) {
        for person in personSlots { removePerson(person, at: at, reason: reason) }
        clearAll(of: .call)
        clearAll(of: .policy)
    }

    /// Sets the title; an empty one is none.
    @discardableResult
    public mutating func setTitle(_ title: ByteString) -> Bool {
        setText(CallField.title, of: .call, to: title)
    }

    /// Keeps new uids out, or lets them in again.
    @discardableResult
    public mutating func setCallLocked(_ locked: Bool) -> Bool {
        setFlag(CallField.locked, of: .call, to: locked)
    }

    /// Sets an attribute of the call, which may have `limit` of them, or, with nil, removes it.
    @discardableResult
    public mutating func setCallAttribute(
        _ key: ByteString,
        to value: [UInt8]?,
        atMost limit: Int = .max
    ) -> EntryChange {
        setEntry(CallField.attributes, key: key, of: .call, to: value, atMost: limit)
    }

    /// Starts the recording; changes nothing while there is one.
    @discardableResult
    public mutating func startRecording(byUID: ByteString, byName: ByteString, at: UInt64) -> Bool {
        guard value(CallField.recording, of: .call) == nil else { return false }
        let recording = Recording(byUID: byUID, byName: byName, since: at)
        return set(CallField.recording, of: .call, to: .bytes(recording.encoded))
    }

    /// Starts the recording in the name of a person; changes nothing while there is one.
    @discardableResult
    public mutating func startRecording(by person: Slot, at: UInt64) -> Bool {
        guard let index = liveIndex(person) else { return false }
        let uid = store[index].text(PersonField.uid)
        let name = store[index].text(PersonField.name)
        return startRecording(byUID: uid, byName: name, at: at)
    }

    /// Stops the recording.
    @discardableResult
    public mutating func stopRecording() -> Bool {
        clear(CallField.recording, of: .call)
    }

    /// Puts persons into the spotlight, in order; whoever is named twice or is not in the call is left out.
    @discardableResult
    public mutating func setSpotlight(_ persons: [Slot]) -> Bool {
        var slots: [Slot] = []
        for slot in persons where kind(of: slot) == .person && !slots.contains(slot) { slots.append(slot) }
        if slots.isEmpty { return clear(CallField.spotlight, of: .call) }
        return set(CallField.spotlight, of: .call, to: .bytes(SlotList(slots).encoded))
    }

    /// Makes a person the dominant speaker, or with nil nobody.
    @discardableResult
    public mutating func setDominantSpeaker(_ person: Slot?) -> Bool {
        guard let person, kind(of: person) == .person else { return clear(CallField.dominantSpeaker, of: .call) }
        return set(CallField.dominantSpeaker, of: .call, to: .number(UInt64(person)))
    }

    // MARK: At rest is absent

    /// Sets a boolean whose absence means false.
    mutating func setFlag(_ field: UInt32, of slot: Slot, to value: Bool) -> Bool {
        value ? set(field, of: slot, to: .number(1)) : clear(field, of: slot)
    }

    /// Sets a number whose absence means `rest`.
    mutating func setNumber(_ field: UInt32, of slot: Slot, to value: UInt64, rest: UInt64 = 0) -> Bool {
        value == rest ? clear(field, of: slot) : set(field, of: slot, to: .number(value))
    }

    /// Sets a text whose absence means the empty one.
    mutating func setText(_ field: UInt32, of slot: Slot, to value: ByteString) -> Bool {
        value.isEmpty ? clear(field, of: slot) : set(field, of: slot, to: .bytes(value.bytes))
    }

    private mutating func clearAll(of slot: Slot) {
        guard let index = liveIndex(slot) else { return }
        for field in store[index].fields where field.value != nil {
            write(field.number, key: field.key, nil, at: index, version: commitVersion)
        }
    }
}
