// Reading: the records as typed values.

extension CallState {
    /// The call record.
    ///
    /// O(attributes).
    public var call: CallRecord {
        let record = store[indexBySlot[.call]!]
        return CallRecord(
            meetingID: record.bytes(CallField.meetingID).map { ByteString($0) },
            startedAt: record.number(CallField.startedAt) ?? 0,
            title: record.text(CallField.title),
            recording: record.bytes(CallField.recording).flatMap { Recording(encoded: $0) },
            dominantSpeaker: record.number(CallField.dominantSpeaker).map { Slot(truncatingIfNeeded: $0) },
            spotlight: record.bytes(CallField.spotlight).flatMap { SlotList(encoded: $0)?.slots } ?? [],
            isLocked: record.flag(CallField.locked),
            attributes: record.entries(CallField.attributes)
        )
    }

    /// The policy record.
    ///
    /// O(1).
    public var policy: CallPolicy {
        let record = store[indexBySlot[.policy]!]
        return CallPolicy(
            moderation: Moderation(rawValue: UInt32(truncatingIfNeeded: record.number(PolicyField.moderation) ?? 0)),
            standingMute: record.flag(PolicyField.standingMute),
            standingCameraOff: record.flag(PolicyField.standingCameraOff),
            handsEnabled: record.number(PolicyField.handsEnabled) ?? 1 != 0,
            presenters: Presenters(rawValue: UInt32(truncatingIfNeeded: record.number(PolicyField.presenters) ?? 0)),
            grace: record.number(PolicyField.grace) ?? 0,
            idle: record.number(PolicyField.idle) ?? 0
        )
    }

    /// The people, in order of joining.
    ///
    /// O(records).
    public var people: [Person] {
        var people: [Person] = []
        people.reserveCapacity(totals.people)
        forEach(.person) { people.append(person(at: $0)) }
        return people
    }

    /// The number of people.
    ///
    /// O(1).
    @inlinable
    public var peopleCount: Int { totals.people }

    /// The number of devices.
    ///
    /// O(1).
    @inlinable
    public var deviceCount: Int { totals.devices }

    /// The person in `slot`; nil when that is no live person.
    public func person(_ slot: Slot) -> Person? {
        guard let index = liveIndex(slot), store[index].kind == .person else { return nil }
        return person(at: index)
    }

    /// The person `uid`; nil when they are not in the call.
    public func person(uid: ByteString) -> Person? {
        personSlot(uid: uid).flatMap { person($0) }
    }

    /// The device in `slot`; nil when that is no live device.
    public func device(_ slot: Slot) -> Device? {
        guard let index = liveIndex(slot), store[index].kind == .device else { return nil }
        return device(at: index)
    }

    /// The slot of the person `uid`.
    ///
    /// O(1).
    @inlinable
    public func personSlot(uid: ByteString) -> Slot? { slotByUID[uid] }

    /// The slot of the device `id` of a person.
    ///
    /// O(devices of the person).
    public func deviceSlot(of person: Slot, id: ByteString) -> Slot? {
        guard let index = liveIndex(person) else { return nil }
        for slot in store[index].devices {
            if let device = liveIndex(slot), store.holds(id, in: DeviceField.device, at: device) { return slot }
        }
        return nil
    }

    /// The slots of the devices of a person, ascending.
    public func deviceSlots(of person: Slot) -> [Slot] {
        liveIndex(person).map { Array(store[$0].devices) } ?? []
    }

    /// The slots of all live persons, ascending.
    ///
    /// O(records).
    public var personSlots: [Slot] {
        var slots: [Slot] = []
        slots.reserveCapacity(totals.people)
        forEach(.person) { slots.append(store[$0].slot) }
        return slots
    }

    /// The slots of all live records, ascending.
    ///
    /// O(records).
    public var slots: [Slot] {
        var slots: [Slot] = []
        slots.reserveCapacity(totals.liveRecords)
        var index = lowest
        while index != StoredRecord.none {
            if store[index].isLive { slots.append(store[index].slot) }
            index = store[index].upper
        }
        return slots
    }

    /// The kind of the live record in `slot`.
    public func kind(of slot: Slot) -> RecordKind? {
        guard let index = liveIndex(slot) else { return nil }
        return store[index].kind
    }

    /// The value of a field; nil without one.
    public func value(_ field: UInt32, of slot: Slot) -> FieldValue? {
        guard let index = liveIndex(slot) else { return nil }
        let (place, found) = store.place(of: field, key: .empty, at: index)
        return found ? store[index].fields[place].value : nil
    }

    /// The value of an entry of a keyed field; nil without one.
    public func entry(_ field: UInt32, key: ByteString, of slot: Slot) -> [UInt8]? {
        guard let index = liveIndex(slot) else { return nil }
        let (place, found) = store.place(of: field, key: key, at: index)
        guard found, case .bytes(let bytes)? = store[index].fields[place].value else { return nil }
        return bytes
    }

    /// The live entries of a keyed field, by key.
    public func entries(_ field: UInt32, of slot: Slot) -> [AttributeValue] {
        liveIndex(slot).map { store[$0].entries(field) } ?? []
    }

    /// The number in a field; nil without one.
    public func number(_ field: UInt32, of slot: Slot) -> UInt64? {
        guard let index = liveIndex(slot) else { return nil }
        return store.number(field, at: index)
    }

    /// Whether a boolean field is true.
    public func flag(_ field: UInt32, of slot: Slot) -> Bool {
        number(field, of: slot) ?? 0 != 0
    }

    /// The text in a field; empty without one.
    public func text(_ field: UInt32, of slot: Slot) -> ByteString {
        liveIndex(slot).map { store[$0].text(field) } ?? .empty
    }

    /// The version of the record in `slot`, live or tombstone: seq of the commit that last changed it.
    public func version(of slot: Slot) -> UInt64? {
        indexBySlot[slot].map { store[$0].version }
    }

    /// The version of a field, set or cleared: seq of the commit that last changed it; nil when it never had a value.
    public func version(of field: UInt32, in slot: Slot) -> UInt64? {
        guard let index = liveIndex(slot) else { return nil }
        let (place, found) = store.place(of: field, key: .empty, at: index)
        return found ? store[index].fields[place].version : nil
    }

    /// When and why the record in `slot` went, while its tombstone is held.
    public func removal(of slot: Slot) -> Diff.Removal? {
        indexBySlot[slot].flatMap { store[$0].removal }
    }

    /// The raised hands in the order of the queue.
    ///
    /// O(records).
    public var raisedHands: [Person] {
        var hands: [(hand: Hand, index: Int32)] = []
        forEach(.person) { index in
            if let hand = hand(at: index) { hands.append((hand, index)) }
        }
        hands.sort { ($0.hand.version, store[$0.index].slot) < ($1.hand.version, store[$1.index].slot) }
        return hands.map { person(at: $0.index) }
    }

    // MARK: Decoding

    func hand(at index: Int32) -> Hand? {
        store[index].bytes(PersonField.hand).flatMap { Hand(encoded: $0) }
    }

    func person(at index: Int32) -> Person {
        let record = store[index]
        return Person(
            slot: record.slot,
            uid: record.text(PersonField.uid),
            name: record.text(PersonField.name),
            avatar: record.text(PersonField.avatar),
            role: Role(rawValue: UInt32(truncatingIfNeeded: record.number(PersonField.role) ?? 0)),
            hand: hand(at: index),
            isAudioLocked: record.flag(PersonField.audioLocked),
            isVideoLocked: record.flag(PersonField.videoLocked),
            unmuteRequest: record.bytes(PersonField.unmuteRequest).flatMap { UnmuteRequest(encoded: $0) },
            joinedAt: record.number(PersonField.joinedAt) ?? 0,
            attributes: record.entries(PersonField.attributes),
            devices: record.devices.compactMap { device($0) }
        )
    }

    func device(at index: Int32) -> Device {
        let record = store[index]
        return Device(
            slot: record.slot,
            person: Slot(truncatingIfNeeded: record.number(DeviceField.person) ?? 0),
            id: record.text(DeviceField.device),
            link: LinkState(rawValue: UInt32(truncatingIfNeeded: record.number(DeviceField.connection) ?? 0)),
            reconnectingUntil: record.number(DeviceField.reconnectingUntil),
            isAudioMuted: record.flag(DeviceField.audioMuted),
            isVideoPaused: record.flag(DeviceField.videoPaused),
            isPresenting: record.flag(DeviceField.presenting),
            joinedAt: record.number(DeviceField.joinedAt) ?? 0,
            clientName: record.text(DeviceField.clientName)
        )
    }
}
