public import CallState
package import RollcallProtocol

/// A call as it is at one moment, complete; a value that never changes.
///
/// What this client has asked for its own device and person and is not answered yet is shown as if it were so already;
/// ``position``, ``digest`` and ``confirmed`` are without it.
public struct CallSnapshot: Sendable {
    /// The copy as the relay stated it, for tools.
    public let confirmed: CallState
    /// The call's session id.
    public let session: String
    /// What is asked for and not answered yet.
    let overlay: Overlay
    /// This client's person and device; zero for an observer.
    let own: OwnSlots

    init(confirmed: CallState, session: String, overlay: Overlay, own: OwnSlots) {
        self.confirmed = confirmed
        self.session = session
        self.overlay = overlay
        self.own = own
    }

    /// A copy as the client in those slots shows it when it has asked for `settings`; for tests of what builds on it.
    package init(_ confirmed: CallState, session: String, person: Slot, device: Slot, asking settings: [Setting] = []) {
        var overlay = Overlay()
        let own = OwnIdentity(
            uid: confirmed.person(person)?.uid ?? .empty,
            device: confirmed.device(device)?.id ?? .empty,
            isObserver: person == 0
        )
        for setting in settings { overlay.add(setting, own: own) }
        self.init(
            confirmed: confirmed,
            session: session,
            overlay: overlay,
            own: OwnSlots(person: person, device: device)
        )
    }

    /// Whether something is shown that this client has asked for and the relay has not answered.
    package var isAsking: Bool { overlay != Overlay() }
    /// The slot of this client's person; zero for an observer.
    package var ownPerson: Slot { own.person }
    /// The slot of this client's device; zero for an observer.
    package var ownDevice: Slot { own.device }

    /// Where in the call's history this is.
    public var position: Position { confirmed.position }
    /// 64 bits that are equal on all copies at the same position.
    public var digest: UInt64 { confirmed.digest }
    /// The number of people.
    ///
    /// O(1).
    public var peopleCount: Int { confirmed.peopleCount }

    /// The people, in order of joining.
    ///
    /// O(people).
    public var people: [Person] {
        let hands = handPlaces()
        return confirmed.people.map { Person($0, overlay: overlay, own: own, hands: hands) }
    }

    /// The people whose hands are up, in the order of the queue; a hand that the relay does not know yet is last.
    public var raisedHands: [Person] {
        people.filter { $0.hand != nil }.sorted { ($0.hand ?? 0) < ($1.hand ?? 0) }
    }

    /// The people who share a screen, in order of joining.
    public var presenters: [Person] { people.filter(\.isPresenting) }

    /// The person with that uid, compared as bytes; nil when it is not in the call.
    public func person(uid: String) -> Person? {
        confirmed.personSlot(uid: ByteString(uid)).flatMap { person(slot: $0) }
    }

    /// The person in that slot; nil when nobody is.
    public func person(slot: Slot) -> Person? {
        guard let person = confirmed.person(slot) else { return nil }
        let needsPlaces = person.hand != nil || slot == own.person
        return Person(person, overlay: overlay, own: own, hands: needsPlaces ? handPlaces() : [:])
    }

    /// This client's own person; nil for an observer.
    public var me: Person? { own.person == 0 ? nil : person(slot: own.person) }

    /// This client's own device; nil for an observer.
    public var myDevice: Device? { me?.devices.first { $0.slot == own.device } }

    /// Names the meeting; nil while nobody is in the call.
    public var meeting: String? { confirmed.call.meetingID?.string }
    /// When the meeting began, ms since 1970 by the relay's clock; zero without one.
    public var startedAt: UInt64 { confirmed.call.startedAt }
    /// The title; empty when none was given.
    public var title: String { confirmed.call.title.string }
    /// Who records the call; nil while nobody does.
    public var recording: Recording? { confirmed.call.recording.map(Recording.init) }
    /// The dominant speaker; nil is nobody.
    public var dominantSpeaker: Person? { confirmed.call.dominantSpeaker.flatMap { person(slot: $0) } }
    /// The people in the spotlight, in order, the same for everyone.
    public var spotlight: [Person] { confirmed.call.spotlight.compactMap { person(slot: $0) } }
    /// Whether new people are kept out.
    public var isLocked: Bool { confirmed.call.isLocked }
    /// The attributes of the call, by key.
    public var attributes: [AttributeValue] { confirmed.call.attributes }
    /// The policy of the call.
    public var policy: CallPolicy { confirmed.policy }

    /// The place in the queue of each raised hand, from 1.
    func handPlaces() -> [Slot: Int] {
        var places: [Slot: Int] = [:]
        for person in confirmed.raisedHands where !(person.slot == own.person && overlay.handRaised == false) {
            places[person.slot] = places.count + 1
        }
        if overlay.handRaised == true, places[own.person] == nil, confirmed.person(own.person) != nil {
            places[own.person] = places.count + 1
        }
        return places
    }
}

extension CallSnapshot {
    /// Who records, since when.
    public struct Recording: Hashable, Sendable {
        /// Who started it.
        public var uid: String
        /// Their name at that time.
        public var name: String
        /// When, ms since 1970 by the relay's clock.
        public var since: UInt64

        init(_ recording: StateRecording) {
            uid = recording.byUID.string
            name = recording.byName.string
            since = recording.since
        }
    }
}

/// The slots of a client's own person and device; zero for an observer.
struct OwnSlots: Hashable, Sendable {
    var person: Slot = 0
    var device: Slot = 0
}
