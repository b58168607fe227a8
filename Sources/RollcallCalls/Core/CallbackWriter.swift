import CallState
import Rollcall

/// Writes what happened between two states as callbacks.
///
/// What happened comes from the client library's one comparison of states; here it is only given to listeners.
struct CallbackWriter {
    /// The state before; nil when the listener knows nothing yet.
    private let old: SessionModel?
    private let new: SessionModel
    private let oldView: PeopleView
    private let newView: PeopleView

    private(set) var callbacks: [Callback] = []
    /// Those who go in this update, until they are gone.
    private var leaving: [Slot: Participant] = [:]
    private var recording: CallSnapshot.Recording?
    /// Those who stay and may have another status.
    private var touched: Set<Slot> = []
    private var isListChanged = false
    private var areHandsChanged = false

    /// A writer from `old`, or from nothing, to `new`; both have a snapshot.
    init(from old: SessionModel?, to new: SessionModel) {
        self.old = old
        self.new = new
        newView = PeopleView(new)
        oldView = old.map(PeopleView.init) ?? PeopleView(SessionModel())
        recording = old?.snapshot?.recording
    }

    /// Everything that is in effect, as if it happened now; `onParticipantListChanged` comes first.
    static func replay(_ model: SessionModel) -> [Callback] {
        guard let snapshot = model.snapshot else { return [] }
        var writer = CallbackWriter(from: nil, to: model)
        writer.add(.participantListChanged(writer.newView.participants))
        for event in ReplayOrder.events(of: snapshot) { writer.append(event) }
        if writer.areHandsChanged { writer.add(.raisedHandsChanged(writer.newView.raisedHands)) }
        return writer.callbacks
    }

    /// What leads from `old` to `new`, in order.
    static func changes(from old: SessionModel, to new: SessionModel) -> [Callback] {
        guard let before = old.snapshot, let after = new.snapshot else { return [] }
        var writer = CallbackWriter(from: old, to: new)
        let events = CallUpdate.events(from: before, to: after)
        for case .left(let person, _) in events { writer.depart(person) }
        for event in events { writer.append(event) }
        for callback in old.media.changes(to: new.media) { writer.add(callback) }
        for callback in old.layout.changes(to: new.layout) { writer.add(callback) }
        writer.finish()
        return writer.callbacks
    }

    private mutating func add(_ callback: Callback) {
        callbacks.append(callback)
    }

    /// Somebody goes: what stood for them is over in the same commit.
    private mutating func depart(_ person: CallSnapshot.Person) {
        let isSameMeeting = old?.snapshot?.meeting == new.snapshot?.meeting
        // Of a meeting that is over without a word it is only known that it was before the next one.
        let time = isSameMeeting ? new.snapshot?.confirmed.removal(of: person.slot)?.at : new.snapshot?.startedAt
        leaving[person.slot] = oldView.departed(person, at: time)
    }

    private mutating func append(_ event: CallUpdate.Event) {
        switch event {
        case .joined(let person):
            isListChanged = true
            add(.participantJoined(shown(person)))
        case .left(let person, _):
            isListChanged = true
            add(.participantLeft(shown(person)))
            leaving[person.slot] = nil
        case .audio(let person, let audio):
            add(audio == .muted ? .participantAudioMuted(shown(person)) : .participantAudioUnmuted(shown(person)))
        case .video(let person, let video):
            add(video == .paused ? .participantVideoPaused(shown(person)) : .participantVideoResumed(shown(person)))
        case .presenting(let person, let isOn):
            add(isOn ? .participantStartedScreenShare(shown(person)) : .participantStoppedScreenShare(shown(person)))
        case .hand(let person, .raised):
            areHandsChanged = true
            add(.participantHandRaised(shown(person)))
        case .hand(let person, .lowered):
            areHandsChanged = true
            add(.participantHandLowered(shown(person)))
        case .reconnecting(let person, let isLost):
            add(isLost ? .participantReconnecting(shown(person)) : .participantReconnected(shown(person)))
        case .name(let person, _), .avatar(let person, _), .role(let person, _), .attribute(let person, _, _):
            isListChanged = true
            touch(person)
        case .audioLock(let person, _), .videoLock(let person, _), .unmuteRequest(let person, _):
            touch(person)
        case .recording(let now):
            if let recording { add(.participantStoppedRecording(oldView.recorder(recording, now: newView))) }
            if let now { add(.participantStartedRecording(newView.recorder(now))) }
            recording = now
        case .dominantSpeaker(let person):
            add(person.map { .dominantSpeakerChanged(shown($0)) } ?? .dominantSpeakerCleared)
        case .deviceJoined, .deviceLeft:
            // Whoever is admitted is seen, also on a device that changes nothing else of the person.
            isListChanged = true
        case .deviceChanged, .meeting, .spotlight, .title, .callLocked, .callAttribute, .policy:
            // A device's change shows in the person; that of the own one in the media events.
            break
        }
    }

    /// The participant of an event; one who goes as they went.
    private mutating func shown(_ person: CallSnapshot.Person) -> Participant {
        touch(person)
        return leaving[person.slot] ?? newView.participant(person)
    }

    private mutating func touch(_ person: CallSnapshot.Person) {
        touched.insert(person.slot)
    }

    /// What sums an update up.
    private mutating func finish() {
        guard let old, let before = old.snapshot, let after = new.snapshot else { return }
        if isListChanged { add(.participantListChanged(newView.participants)) }
        if areHandsChanged || isOwnHandConfirmed(before, after) {
            add(.raisedHandsChanged(newView.raisedHands))
        }
        if before.meeting != after.meeting { return }
        // What is not the person's own shows in the status too.
        touched.formUnion(oldView.marked.union(newView.marked))
        touched.insert(after.ownPerson)
        let (people, peopleNow) = (before.people(in: touched), after.people(in: touched))
        for slot in touched.sorted() {
            guard let was = people[slot], let now = peopleNow[slot], was.uid == now.uid else { continue }
            let (oldStatus, newStatus) = (oldView.status(was), newView.status(now))
            if oldStatus != newStatus {
                add(.participantStatusChanged(newView.participant(now), old: oldStatus, new: newStatus))
            }
        }
    }

    /// Whether the relay has said when the own hand went up: it has another time then, and perhaps another place.
    private func isOwnHandConfirmed(_ before: CallSnapshot, _ after: CallSnapshot) -> Bool {
        guard before.ownPerson == after.ownPerson, before.isAsking else { return false }
        guard let was = before.me, let now = after.me, was.hand != nil, now.hand != nil else { return false }
        return was.handRaisedAt != now.handRaisedAt || was.hand != now.hand
    }
}

extension CallSnapshot {
    /// The people in those slots, as far as somebody is there.
    ///
    /// One at a time for a few, since the place of a hand costs a look at everybody.
    fileprivate func people(in slots: Set<Slot>) -> [Slot: Person] {
        let found = slots.count > 4 ? people.filter { slots.contains($0.slot) } : slots.compactMap { person(slot: $0) }
        return Dictionary(found.map { ($0.slot, $0) }) { first, _ in first }
    }
}
