/// The events that turn `old` into `new`, whatever brought the new state: a commit, a delta, many, a snapshot.
///
/// Records match by (meeting, slot, uid, device id); anything else is left + joined. The order within one update is:
/// departures, then who joined, then changes of who stayed, each in order of joining; hands (all lowerings, then
/// raisings in the order of the queue); recording; dominant speaker; spotlight, title, lock, attributes, policy. When
/// the meeting changed, everything of the old one ends first.
///
/// O(what changed) when `new` went on from `old` by commits or deltas and no tombstone between them is lost, else
/// O(call).
public func difference(_ old: CallState, _ new: CallState) -> [CallEvent] {
    difference(old, new, byVersion: new.isStep(from: old))
}

/// `byVersion`: find who changed by the versions of `new`, which must be a step from `old`; else by looking at
/// everybody.
func difference(_ old: CallState, _ new: CallState, byVersion: Bool) -> [CallEvent] {
    let oldMeeting = old.call.meetingID
    let newMeeting = new.call.meetingID
    if oldMeeting == newMeeting {
        var difference = Difference(old, new, tombstones: new, otherwise: .unspecified)
        difference.compare(byVersion ? new.changedPeople(since: old) : Difference.allPeople(old, new))
        return difference.events
    }
    // Slots belong to a meeting: tombstones of another history tell nothing of the old one.
    let nothing = CallState()
    var ending = Difference(old, nothing, tombstones: new.isStep(from: old) ? new : nothing, otherwise: .ended)
    ending.compare(old.personSlots)
    var beginning = Difference(nothing, new, tombstones: nothing, otherwise: .unspecified)
    beginning.compare(new.personSlots)

    var events = ending.events
    if let oldMeeting { events.append(.meetingEnded(oldMeeting)) }
    if let newMeeting { events.append(.meetingBegan(newMeeting, startedAt: new.call.startedAt)) }
    return events + beginning.events
}

extension CallState {
    /// Whether this state went on from `old` and still knows everything that was removed since.
    func isStep(from old: CallState) -> Bool {
        lineage == old.lineage && position.epoch == old.position.epoch && position.seq >= old.position.seq
            && floor <= old.position.seq
    }

    /// The slots of the people who may have changed since `old`, ascending; found from the newest record on.
    fileprivate func changedPeople(since old: CallState) -> [Slot] {
        var slots: [Slot] = []
        var index = newest
        while index != StoredRecord.none, store[index].version > old.position.seq {
            let slot = store[index].slot
            if store[index].isLive {
                if store[index].kind == .person { slots.append(slot) }
                if let person = owner(of: slot) { slots.append(person) }
            } else {
                if old.kind(of: slot) == .person { slots.append(slot) }
                if let person = old.owner(of: slot) { slots.append(person) }
            }
            index = store[index].older
        }
        return Difference.ascending(slots)
    }
}

/// A difference while it is made.
struct Difference {
    let old: CallState
    let new: CallState
    /// Where to look for when and why somebody went, and the reason when it is not there.
    let tombstones: CallState
    let otherwise: LeaveReason

    var events: [CallEvent] = []
    private var lowered: [CallEvent] = []
    private var raised: [(person: Person, hand: Hand)] = []
    /// The dominant speaker as the events so far have it.
    private var dominant: Person?

    init(_ old: CallState, _ new: CallState, tombstones: CallState, otherwise: LeaveReason) {
        self.old = old
        self.new = new
        self.tombstones = tombstones
        self.otherwise = otherwise
    }

    /// The slots of everybody in either state.
    static func allPeople(_ old: CallState, _ new: CallState) -> [Slot] {
        ascending(old.personSlots + new.personSlots)
    }

    /// Ascending, each once.
    static func ascending(_ slots: [Slot]) -> [Slot] {
        var result: [Slot] = []
        for slot in slots.sorted() where slot != result.last { result.append(slot) }
        return result
    }

    /// Writes the events for the people in `slots` and for the call.
    mutating func compare(_ slots: [Slot]) {
        let oldCall = old.call
        let newCall = new.call
        dominant = oldCall.dominantSpeaker.flatMap { old.person($0) }

        var joined: [Person] = []
        var stayed: [(was: Person, now: Person)] = []
        for slot in slots {
            let was = old.person(slot)
            let now = new.person(slot)
            if let was, let now, was.uid == now.uid {
                if was != now { stayed.append((was, now)) }
                continue
            }
            if let was { depart(was) }
            if let now { joined.append(now) }
        }
        for person in joined { join(person) }
        for (was, now) in stayed { change(was, now) }
        queue()
        compareCall(oldCall, newCall)
        if old.policy != new.policy { events.append(.policy(new.policy, was: old.policy)) }
    }

    // MARK: People

    private mutating func depart(_ person: Person) {
        for device in person.devices { stopPresenting(device, of: person) }
        if person.aggregate.isPresenting { events.append(.presenting(person, isPresenting: false)) }
        if let hand = person.hand { events.append(.handLowered(person, hand)) }
        if dominant?.slot == person.slot {
            events.append(.dominantSpeaker(nil, was: dominant))
            dominant = nil
        }
        for device in person.devices { events.append(.deviceLeft(device, of: person, departure(device.slot))) }
        events.append(.left(person, departure(person.slot)))
    }

    private mutating func join(_ person: Person) {
        events.append(.joined(person))
        for device in person.devices { join(device, of: person) }
        compareAggregate(.rest, person.aggregate, person)
        if let hand = person.hand { raised.append((person, hand)) }
    }

    private mutating func change(_ was: Person, _ now: Person) {
        if was.name != now.name { events.append(.name(now, was: was.name)) }
        if was.avatar != now.avatar { events.append(.avatar(now, was: was.avatar)) }
        if was.role != now.role { events.append(.role(now, was: was.role)) }
        if was.isAudioLocked != now.isAudioLocked { events.append(.audioLock(now, isLocked: now.isAudioLocked)) }
        if was.isVideoLocked != now.isVideoLocked { events.append(.videoLock(now, isLocked: now.isVideoLocked)) }
        compareDevices(was, now)
        compareAggregate(was.aggregate, now.aggregate, now)
        if was.unmuteRequest != now.unmuteRequest { events.append(.unmuteRequest(now, was: was.unmuteRequest)) }
        for (key, value) in Self.changes(was.attributes, now.attributes) {
            events.append(.attribute(now, key: key, value: value))
        }
        if was.hand != now.hand {
            if let hand = was.hand { lowered.append(.handLowered(now, hand)) }
            if let hand = now.hand { raised.append((now, hand)) }
        }
    }

    private mutating func queue() {
        events += lowered
        raised.sort { ($0.hand.version, $0.person.slot) < ($1.hand.version, $1.person.slot) }
        for (person, hand) in raised { events.append(.handRaised(person, hand)) }
    }

    private mutating func compareAggregate(_ was: Aggregate, _ now: Aggregate, _ person: Person) {
        if was.isAudioMuted != now.isAudioMuted { events.append(.audio(person, isMuted: now.isAudioMuted)) }
        if was.isVideoPaused != now.isVideoPaused { events.append(.video(person, isPaused: now.isVideoPaused)) }
        if was.isPresenting != now.isPresenting { events.append(.presenting(person, isPresenting: now.isPresenting)) }
        if was.link != now.link { events.append(.link(person, now.link)) }
    }

    // MARK: Devices

    private mutating func compareDevices(_ was: Person, _ now: Person) {
        if was.devices == now.devices { return }
        for device in was.devices where Self.match(device, in: now.devices) == nil {
            stopPresenting(device, of: now)
            events.append(.deviceLeft(device, of: now, departure(device.slot)))
        }
        for device in now.devices where Self.match(device, in: was.devices) == nil { join(device, of: now) }
        for device in now.devices {
            if let old = Self.match(device, in: was.devices), old != device { change(old, device, of: now) }
        }
    }

    private mutating func join(_ device: Device, of person: Person) {
        events.append(.deviceJoined(device, of: person))
        var rest = device
        rest.isAudioMuted = false
        rest.isVideoPaused = false
        rest.isPresenting = false
        rest.link = .active
        rest.reconnectingUntil = nil
        change(rest, device, of: person)
    }

    private mutating func change(_ was: Device, _ now: Device, of person: Person) {
        if was.isAudioMuted != now.isAudioMuted {
            events.append(.deviceAudio(now, of: person, isMuted: now.isAudioMuted))
        }
        if was.isVideoPaused != now.isVideoPaused {
            events.append(.deviceVideo(now, of: person, isPaused: now.isVideoPaused))
        }
        if was.isPresenting != now.isPresenting {
            events.append(.devicePresenting(now, of: person, isPresenting: now.isPresenting))
        }
        if was.link != now.link || was.reconnectingUntil != now.reconnectingUntil {
            events.append(.deviceLink(now, of: person, now.link))
        }
        if was.clientName != now.clientName || was.joinedAt != now.joinedAt {
            events.append(.deviceInfo(now, of: person))
        }
    }

    private mutating func stopPresenting(_ device: Device, of person: Person) {
        if device.isPresenting { events.append(.devicePresenting(device, of: person, isPresenting: false)) }
    }

    private static func match(_ device: Device, in devices: [Device]) -> Device? {
        devices.first { $0.slot == device.slot && $0.id == device.id }
    }

    private func departure(_ slot: Slot) -> Departure {
        guard let removal = tombstones.removal(of: slot) else { return Departure(at: nil, reason: otherwise) }
        return Departure(at: removal.at, reason: removal.reason)
    }

    // MARK: The call

    private mutating func compareCall(_ was: CallRecord, _ now: CallRecord) {
        if was.recording != now.recording {
            if let recording = was.recording { events.append(.recordingStopped(recording)) }
            if let recording = now.recording { events.append(.recordingStarted(recording)) }
        }
        let speaker = now.dominantSpeaker.flatMap { new.person($0) }
        if speaker?.slot != dominant?.slot { events.append(.dominantSpeaker(speaker, was: dominant)) }
        if was.spotlight != now.spotlight { events.append(.spotlight(now.spotlight, was: was.spotlight)) }
        if was.title != now.title { events.append(.title(now.title, was: was.title)) }
        if was.isLocked != now.isLocked { events.append(.callLock(isLocked: now.isLocked)) }
        for (key, value) in Self.changes(was.attributes, now.attributes) {
            events.append(.callAttribute(key: key, value: value))
        }
    }

    /// The keys that changed, ascending, with their values now; both lists are ascending by key.
    private static func changes(
        _ was: [AttributeValue],
        _ now: [AttributeValue]
    ) -> [(key: ByteString, value: [UInt8]?)] {
        if was == now { return [] }
        var changes: [(key: ByteString, value: [UInt8]?)] = []
        var place = 0
        for attribute in now {
            while place < was.count, was[place].key < attribute.key {
                changes.append((was[place].key, nil))
                place += 1
            }
            let isOld = place < was.count && was[place].key == attribute.key
            if !isOld || was[place].value != attribute.value { changes.append((attribute.key, attribute.value)) }
            if isOld { place += 1 }
        }
        for attribute in was[place...] { changes.append((attribute.key, nil)) }
        return changes
    }
}

extension Aggregate {
    /// Unmuted, camera on, not presenting, link alive: what listeners count from.
    static let rest = Aggregate(isAudioMuted: false, isVideoPaused: false, isPresenting: false, link: .active)

    private init(isAudioMuted: Bool, isVideoPaused: Bool, isPresenting: Bool, link: LinkState) {
        self.isAudioMuted = isAudioMuted
        self.isVideoPaused = isVideoPaused
        self.isPresenting = isPresenting
        self.link = link
    }
}
