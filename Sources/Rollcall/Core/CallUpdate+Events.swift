import CallState

extension CallUpdate {
    /// The events that lead from one snapshot to another; from nothing, those of everything that is there.
    ///
    /// They are those of ``difference(_:_:)`` on the relay's state, but for what this client has asked for itself:
    /// there the events compare what was shown with what is shown, so that an answer that only confirms raises none.
    package static func events(from old: CallSnapshot?, to new: CallSnapshot) -> [Event] {
        let nothing = CallSnapshot(confirmed: CallState(), session: new.session, overlay: Overlay(), own: OwnSlots())
        let old = old ?? nothing
        let raw = difference(old.confirmed, new.confirmed)
        var writer = EventWriter(old: old, new: new)
        if old.overlay == Overlay(), new.overlay == Overlay() {
            for event in raw { writer.append(event) }
            return writer.events
        }
        if let slot = new.own.sharedPerson(with: old), old.meeting == new.meeting {
            // Call-level events and hands end the list: the own changes belong before them.
            let others = raw.filter { !$0.isShownOnly(of: slot, device: new.own.device) }
            let place = others.firstIndex { $0.isAfterPeople(in: new.confirmed) } ?? others.count
            for event in others[..<place] { writer.append(event) }
            writer.appendChanges(OwnShown(old), OwnShown(new))
            for event in others[place...] { writer.append(event) }
            writer.requeueHands()
        } else {
            // Not the same person any more: what was shown for the old one is taken back first.
            writer.appendChanges(OwnShown(old), OwnShown(old, withOverlay: false))
            for event in raw { writer.append(event) }
            writer.appendChanges(OwnShown(new, withOverlay: false), OwnShown(new))
        }
        return writer.events
    }
}

extension OwnSlots {
    /// The own person's slot when `old` has the same person there.
    fileprivate func sharedPerson(with old: CallSnapshot) -> Slot? {
        person != 0 && person == old.own.person && device == old.own.device
            && old.confirmed.person(person) != nil ? person : nil
    }
}

extension CallEvent {
    /// Whether the event is about what a client shows over its copy: it compares that by itself.
    fileprivate func isShownOnly(of person: Slot, device: Slot) -> Bool {
        switch self {
        case .audio(let who, _), .video(let who, _), .presenting(let who, _), .name(let who, _),
            .avatar(let who, _), .attribute(let who, _, _), .handRaised(let who, _), .handLowered(let who, _):
            who.slot == person
        case .deviceAudio(let which, _, _), .deviceVideo(let which, _, _), .devicePresenting(let which, _, _):
            which.slot == device
        default:
            false
        }
    }

    /// Whether the event comes after all changes of people who stay.
    fileprivate func isAfterPeople(in new: CallState) -> Bool {
        switch self {
        case .handLowered(let person, _): new.person(person.slot) != nil
        case .dominantSpeaker(_, let was): was.map { new.person($0.slot) != nil } ?? true
        case .handRaised, .recordingStarted, .recordingStopped, .spotlight, .title, .callLock, .callAttribute, .policy:
            true
        default: false
        }
    }
}

/// What a client shows of its own person.
private struct OwnShown {
    /// A hand that is up: at which commit, or not confirmed yet.
    enum RaisedHand: Hashable {
        case confirmed(UInt64)
        case asked
    }

    let person: CallSnapshot.Person?
    let device: CallSnapshot.Device?
    let hand: RaisedHand?

    init(_ snapshot: CallSnapshot, withOverlay: Bool = true) {
        let shown =
            withOverlay
            ? snapshot
            : CallSnapshot(
                confirmed: snapshot.confirmed,
                session: snapshot.session,
                overlay: Overlay(),
                own: snapshot.own
            )
        person = shown.me
        device = shown.myDevice
        if person?.hand == nil {
            hand = nil
        } else {
            hand = snapshot.confirmed.person(snapshot.own.person)?.hand.map { .confirmed($0.version) } ?? .asked
        }
    }

    /// Whether another raising took the place of this one.
    func isRaisedAnew(since old: OwnShown) -> Bool {
        if case .confirmed(let before) = old.hand, case .confirmed(let after) = hand { before != after } else { false }
    }
}

/// Writes events with the people of the snapshots that they belong to.
private struct EventWriter {
    let old: CallSnapshot
    let new: CallSnapshot
    var events: [CallUpdate.Event] = []
    private let oldHands: [Slot: Int]
    private let newHands: [Slot: Int]

    init(old: CallSnapshot, new: CallSnapshot) {
        self.old = old
        self.new = new
        oldHands = old.handPlaces()
        newHands = new.handPlaces()
    }

    // MARK: The relay's state

    mutating func append(_ event: CallEvent) {
        switch event {
        case .joined(let person): add(.joined(shown(person)))
        case .left(let person, let departure): add(.left(shown(person), departure.reason))
        case .name(let person, was: _): add(.name(shown(person), person.name.string))
        case .avatar(let person, was: _): add(.avatar(shown(person), person.avatar.string))
        case .role(let person, was: _): add(.role(shown(person), person.role))
        case .audioLock(let person, let isLocked): add(.audioLock(shown(person), isLocked))
        case .videoLock(let person, let isLocked): add(.videoLock(shown(person), isLocked))
        case .unmuteRequest(let person, was: _):
            let person = shown(person)
            add(.unmuteRequest(person, person.unmuteRequest))
        case .attribute(let person, let key, let value):
            add(.attribute(shown(person), key: key.string, value: value))
        case .handRaised(let person, _): add(.hand(shown(person), .raised(newHands[person.slot] ?? 1)))
        case .handLowered(let person, _): add(.hand(shown(person), .lowered))
        case .audio(let person, let isMuted): add(.audio(shown(person), isMuted ? .muted : .on))
        case .video(let person, let isPaused): add(.video(shown(person), isPaused ? .paused : .on))
        case .presenting(let person, let isPresenting): add(.presenting(shown(person), isPresenting))
        case .link(let person, let link): add(.reconnecting(shown(person), link == .reconnecting))
        case .deviceJoined(let device, let person): add(.deviceJoined(shown(person), shown(device)))
        case .deviceLeft(let device, let person, let departure):
            add(.deviceLeft(shown(person), shown(device), departure.reason))
        case .deviceAudio(let device, let person, _), .deviceVideo(let device, let person, _),
            .devicePresenting(let device, let person, _), .deviceLink(let device, let person, _),
            .deviceInfo(let device, let person):
            changed(shown(device), of: shown(person))
        case .meetingBegan(let meeting, startedAt: _): add(.meeting(meeting.string))
        case .meetingEnded: add(.meeting(nil))
        case .recordingStarted(let recording): add(.recording(.init(recording)))
        case .recordingStopped: add(.recording(nil))
        case .dominantSpeaker(let person, was: _): add(.dominantSpeaker(person.map { shown($0) }))
        case .spotlight(let slots, was: _): add(.spotlight(slots.compactMap { new.person(slot: $0) }))
        case .title(let title, was: _): add(.title(title.string))
        case .callLock(let isLocked): add(.callLocked(isLocked))
        case .callAttribute(let key, let value): add(.callAttribute(key: key.string, value: value))
        case .policy(let policy, was: _): add(.policy(policy))
        }
    }

    /// A device's change: the first event after it came, or another one of the same device, tells all of it.
    private mutating func changed(_ device: CallSnapshot.Device, of person: CallSnapshot.Person) {
        switch events.last {
        case .deviceJoined(_, device), .deviceChanged(_, device): return
        default: add(.deviceChanged(person, device))
        }
    }

    private mutating func add(_ event: CallUpdate.Event) {
        events.append(event)
    }

    /// The person as in the new snapshot; one who is gone, as in the old one.
    private func shown(_ person: StatePerson) -> CallSnapshot.Person {
        if let now = new.confirmed.person(person.slot), now.uid == person.uid,
            old.meeting == new.meeting || now == person
        {
            return CallSnapshot.Person(now, overlay: new.overlay, own: new.own, hands: newHands)
        }
        return CallSnapshot.Person(person, overlay: old.overlay, own: old.own, hands: oldHands)
    }

    private func shown(_ device: StateDevice) -> CallSnapshot.Device {
        CallSnapshot.Device(device, overlay: device.slot == new.own.device ? new.overlay : Overlay())
    }

    // MARK: What the client shows of itself

    mutating func appendChanges(_ was: OwnShown, _ now: OwnShown) {
        guard let old = was.person, let person = now.person else { return }
        if old.name != person.name { add(.name(person, person.name)) }
        if old.avatar != person.avatar { add(.avatar(person, person.avatar)) }
        if let device = now.device, let before = was.device, device.isChanged(since: before) {
            changed(device, of: person)
        }
        if old.audio != person.audio { add(.audio(person, person.audio)) }
        if old.video != person.video { add(.video(person, person.video)) }
        if old.isPresenting != person.isPresenting { add(.presenting(person, person.isPresenting)) }
        for key in Set((old.attributes + person.attributes).map(\.key)).sorted() {
            let value = person.attributes.first { $0.key == key }?.value
            if value != old.attributes.first(where: { $0.key == key })?.value {
                add(.attribute(person, key: key.string, value: value))
            }
        }
        let isAnew = now.isRaisedAnew(since: was)
        if was.hand != nil, now.hand == nil || isAnew { add(.hand(person, .lowered)) }
        if now.hand != nil, was.hand == nil || isAnew { add(.hand(person, .raised(person.hand ?? 1))) }
    }

    /// Raises anew whoever else stands at another place for somebody who keeps a queue by events alone.
    ///
    /// That happens around the own hand, which shows before the relay knows of it: another's turns out to be before it,
    /// or it was down for the eye only, and is up again where it was.
    mutating func requeueHands() {
        sortRaisings()
        var queue = oldHands.sorted { $0.value < $1.value }.map(\.key)
        var raised: Set<Slot> = []
        for case .hand(let person, let change) in events {
            queue.removeAll { $0 == person.slot }
            if change == .lowered { continue }
            queue.append(person.slot)
            raised.insert(person.slot)
        }
        let wanted = newHands.sorted { $0.value < $1.value }.map(\.key)
        let kept = zip(queue, wanted).prefix { $0 == $1 }.count
        var again: [CallUpdate.Event] = []
        for slot in wanted[kept...] where !raised.contains(slot) {
            guard let person = new.person(slot: slot) else { continue }
            again += [.hand(person, .lowered), .hand(person, .raised(newHands[slot] ?? 1))]
        }
        if again.isEmpty { return }
        let last = events.lastIndex { $0.handOrder(in: new) != nil }
        events.insert(contentsOf: again, at: last.map { $0 + 1 } ?? events.count)
        sortRaisings()
    }

    /// Puts the raised hands into the order of the queue again, and the lowered ones before them.
    private mutating func sortRaisings() {
        let places = events.indices.filter { events[$0].handOrder(in: new) != nil }
        let sorted = places.map { events[$0] }
            .sorted { ($0.handOrder(in: new) ?? 0) < ($1.handOrder(in: new) ?? 0) }
        for (place, event) in zip(places, sorted) { events[place] = event }
    }
}

extension CallUpdate.Event {
    /// Where a change of the hand of somebody who stays stands among the others; nil for any other event.
    fileprivate func handOrder(in new: CallSnapshot) -> Int? {
        guard case .hand(let person, let change) = self, new.confirmed.person(person.slot) != nil else { return nil }
        if case .raised(let place) = change { return place }
        return 0
    }
}

extension CallSnapshot.Device {
    fileprivate func isChanged(since old: CallSnapshot.Device) -> Bool {
        audio != old.audio || video != old.video || isPresenting != old.isPresenting
    }
}
