// Coming, going and what belongs to a person. Everything here is part of a commit; each function says whether it
// changed something.

extension CallState {
    /// Adds a person, who has no device yet; the same commit adds the first.
    public mutating func addPerson(
        uid: ByteString,
        name: ByteString = .empty,
        avatar: ByteString = .empty,
        role: Role = .participant,
        at: UInt64
    ) -> Slot {
        precondition(slotByUID[uid] == nil, "the uid is in the call")
        let slot = append(.person)
        set(PersonField.uid, of: slot, to: .bytes(uid.bytes))
        setName(name, of: slot)
        setAvatar(avatar, of: slot)
        setRole(role, of: slot)
        set(PersonField.joinedAt, of: slot, to: .number(at))
        return slot
    }

    /// Adds a device of a person; forbidden facts are corrected as
    /// ``setInitialFacts(of:audioMuted:videoPaused:presenting:)`` says.
    public mutating func addDevice(
        person: Slot,
        id: ByteString,
        clientName: ByteString = .empty,
        audioMuted: Bool = true,
        videoPaused: Bool = true,
        presenting: Bool = false,
        at: UInt64
    ) -> Slot {
        precondition(kind(of: person) == .person && deviceSlot(of: person, id: id) == nil, "a new device of a person")
        let slot = append(.device)
        set(DeviceField.person, of: slot, to: .number(UInt64(person)))
        set(DeviceField.device, of: slot, to: .bytes(id.bytes))
        setClientName(clientName, of: slot)
        set(DeviceField.joinedAt, of: slot, to: .number(at))
        setInitialFacts(of: slot, audioMuted: audioMuted, videoPaused: videoPaused, presenting: presenting)
        return slot
    }

    /// Removes a device and, with its last one, the person; true when the person went.
    ///
    /// What the person had goes in the same commit: hand, screen share, dominant speaker, spotlight. A recording stays.
    @discardableResult
    public mutating func removeDevice(_ device: Slot, at: UInt64, reason: LeaveReason) -> Bool {
        guard let person = owner(of: device) else { return false }
        remove(device, at: at, reason: reason)
        guard let index = liveIndex(person), store[index].devices.isEmpty else { return false }
        if number(CallField.dominantSpeaker, of: .call) == UInt64(person) { setDominantSpeaker(nil) }
        let spotlight = call.spotlight
        if spotlight.contains(person) { setSpotlight(spotlight.filter { $0 != person }) }
        remove(person, at: at, reason: reason)
        return true
    }

    /// Removes a person with all devices; true when there was one.
    @discardableResult
    public mutating func removePerson(_ person: Slot, at: UInt64, reason: LeaveReason) -> Bool {
        guard kind(of: person) == .person else { return false }
        for device in deviceSlots(of: person) { removeDevice(device, at: at, reason: reason) }
        // A person without devices exists only inside the commit that adds it.
        if kind(of: person) == .person { remove(person, at: at, reason: reason) }
        return true
    }

    /// Raises a hand.
    ///
    /// A raised hand stays as it is, and so does its place; while hands are disabled none goes up.
    @discardableResult
    public mutating func raiseHand(of person: Slot, at: UInt64) -> Bool {
        guard kind(of: person) == .person, value(PersonField.hand, of: person) == nil, handsEnabled else {
            return false
        }
        let hand = Hand(version: commitVersion, at: at)
        return set(PersonField.hand, of: person, to: .bytes(hand.encoded))
    }

    /// Lowers a hand.
    @discardableResult
    public mutating func lowerHand(of person: Slot) -> Bool {
        guard kind(of: person) == .person else { return false }
        return clear(PersonField.hand, of: person)
    }

    /// Lowers every hand, or all but that of one person.
    ///
    /// O(records).
    @discardableResult
    public mutating func lowerAllHands(except person: Slot? = nil) -> Bool {
        var changed = false
        for other in personSlots where other != person {
            if lowerHand(of: other) { changed = true }
        }
        return changed
    }

    /// Locks a person's microphones, which also mutes their devices; lifting the lock leaves them muted.
    @discardableResult
    public mutating func setAudioLocked(_ locked: Bool, of person: Slot) -> Bool {
        guard kind(of: person) == .person else { return false }
        var changed = setFlag(PersonField.audioLocked, of: person, to: locked)
        guard locked else { return changed }
        for device in deviceSlots(of: person) where setAudioMuted(true, of: device) { changed = true }
        return changed
    }

    /// Locks a person's cameras, which also pauses them; lifting the lock leaves them off.
    @discardableResult
    public mutating func setVideoLocked(_ locked: Bool, of person: Slot) -> Bool {
        guard kind(of: person) == .person else { return false }
        var changed = setFlag(PersonField.videoLocked, of: person, to: locked)
        guard locked else { return changed }
        for device in deviceSlots(of: person) where setVideoPaused(true, of: device) { changed = true }
        return changed
    }

    /// Asks a person to unmute, until `until` (ms since 1970); nothing to ask while one of their devices is unmuted.
    @discardableResult
    public mutating func requestUnmute(of person: Slot, byUID: ByteString, until: UInt64) -> Bool {
        guard kind(of: person) == .person else { return false }
        for device in deviceSlots(of: person) where !flag(DeviceField.audioMuted, of: device) { return false }
        let request = UnmuteRequest(byUID: byUID, until: until)
        return set(PersonField.unmuteRequest, of: person, to: .bytes(request.encoded))
    }

    /// Withdraws or declines an unmute request, or lets it lapse.
    @discardableResult
    public mutating func withdrawUnmuteRequest(of person: Slot) -> Bool {
        guard kind(of: person) == .person else { return false }
        return clear(PersonField.unmuteRequest, of: person)
    }

    /// Sets a person's name; an empty one is none.
    @discardableResult
    public mutating func setName(_ name: ByteString, of person: Slot) -> Bool {
        setText(PersonField.name, of: person, to: name)
    }

    /// Sets the URL of a person's picture; an empty one is none.
    @discardableResult
    public mutating func setAvatar(_ avatar: ByteString, of person: Slot) -> Bool {
        setText(PersonField.avatar, of: person, to: avatar)
    }

    /// Sets a person's role.
    @discardableResult
    public mutating func setRole(_ role: Role, of person: Slot) -> Bool {
        setNumber(PersonField.role, of: person, to: UInt64(role.rawValue))
    }

    /// Sets an attribute of a person, who may have `limit` of them, or, with nil, removes it.
    @discardableResult
    public mutating func setAttribute(
        _ key: ByteString,
        of person: Slot,
        to value: [UInt8]?,
        atMost limit: Int = .max
    ) -> EntryChange {
        setEntry(PersonField.attributes, key: key, of: person, to: value, atMost: limit)
    }

    private var handsEnabled: Bool { number(PolicyField.handsEnabled, of: .policy) ?? 1 != 0 }
}
