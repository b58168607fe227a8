import CallState

/// What an app would keep that only listens to events: an independent model, beginning with nobody.
///
/// It takes the facts that have events from the events alone, and notes every event that does not fit what came before:
/// so it also holds that joined and left, started and stopped, raised and lowered alternate.
struct EventFold {
    var people: [Slot: Person] = [:]
    var aggregates: [Slot: Aggregate] = [:]
    var meeting: ByteString?
    var startedAt: UInt64 = 0
    var recording: Recording?
    var dominant: Slot?
    var spotlight: [Slot] = []
    var title = ByteString.empty
    var isLocked = false
    var attributes: [ByteString: [UInt8]] = [:]
    var policy = CallState().policy
    var faults: [String] = []

    mutating func take(_ events: [CallEvent]) {
        for event in events { take(event) }
    }

    mutating func take(_ event: CallEvent) {
        switch event {
        case .joined(let person):
            expect(people[person.slot] == nil && !people.values.contains { $0.uid == person.uid }, event)
            var resting = person
            resting.hand = nil
            resting.devices = []
            people[person.slot] = resting
            aggregates[person.slot] = Self.rest
        case .left(let person, _):
            let mine = people.removeValue(forKey: person.slot)
            let wasPresenting = aggregates.removeValue(forKey: person.slot)?.isPresenting
            expect(mine?.uid == person.uid && mine?.hand == nil && mine?.devices == [], event)
            expect(wasPresenting == false && dominant != person.slot, event)
        case .name(let person, let was):
            change(person, event, \.name, from: was, to: person.name)
        case .avatar(let person, let was):
            change(person, event, \.avatar, from: was, to: person.avatar)
        case .role(let person, let was):
            change(person, event, \.role, from: was, to: person.role)
        case .audioLock(let person, let isLocked):
            change(person, event, \.isAudioLocked, from: !isLocked, to: isLocked)
        case .videoLock(let person, let isLocked):
            change(person, event, \.isVideoLocked, from: !isLocked, to: isLocked)
        case .unmuteRequest(let person, let was):
            change(person, event, \.unmuteRequest, from: was, to: person.unmuteRequest)
        case .attribute(let person, let key, let value):
            guard var mine = people[person.slot] else { return fault(event) }
            expect(mine.attributes.first { $0.key == key }?.value != value, event)
            mine.attributes.removeAll { $0.key == key }
            if let value { mine.attributes.append(AttributeValue(key: key, value: value)) }
            mine.attributes.sort { $0.key < $1.key }
            people[person.slot] = mine
        case .handRaised(let person, let hand):
            change(person, event, \.hand, from: nil, to: hand)
        case .handLowered(let person, let hand):
            change(person, event, \.hand, from: hand, to: nil)
        case .audio(let person, let isMuted):
            aggregate(person, event, \.isAudioMuted, from: !isMuted, to: isMuted)
        case .video(let person, let isPaused):
            aggregate(person, event, \.isVideoPaused, from: !isPaused, to: isPaused)
        case .presenting(let person, let isPresenting):
            aggregate(person, event, \.isPresenting, from: !isPresenting, to: isPresenting)
        case .link(let person, let link):
            aggregate(person, event, \.link, from: link == .active ? .reconnecting : .active, to: link)
        case .deviceJoined(let device, let person):
            var resting = device
            resting.isAudioMuted = false
            resting.isVideoPaused = false
            resting.isPresenting = false
            resting.link = .active
            resting.reconnectingUntil = nil
            expect(people[person.slot]?.devices.contains { $0.slot == device.slot } == false, event)
            people[person.slot]?.devices.append(resting)
            people[person.slot]?.devices.sort { $0.slot < $1.slot }
        case .deviceLeft(let device, let person, _):
            let mine = people[person.slot]?.devices.first { $0.slot == device.slot }
            expect(mine != nil && mine?.isPresenting == false, event)
            people[person.slot]?.devices.removeAll { $0.slot == device.slot }
        case .deviceAudio(let device, let person, let isMuted):
            change(device, person, event, \.isAudioMuted, to: isMuted)
        case .deviceVideo(let device, let person, let isPaused):
            change(device, person, event, \.isVideoPaused, to: isPaused)
        case .devicePresenting(let device, let person, let isPresenting):
            change(device, person, event, \.isPresenting, to: isPresenting)
        case .deviceLink(let device, let person, let link):
            replace(device, person, event) {
                $0.link = link
                $0.reconnectingUntil = device.reconnectingUntil
            }
        case .deviceInfo(let device, let person):
            replace(device, person, event) {
                $0.clientName = device.clientName
                $0.joinedAt = device.joinedAt
            }
        default: takeCall(event)
        }
    }

    private mutating func takeCall(_ event: CallEvent) {
        switch event {
        case .meetingBegan(let id, let at):
            expect(meeting == nil, event)
            meeting = id
            startedAt = at
        case .meetingEnded(let id):
            expect(meeting == id && people.isEmpty && recording == nil && dominant == nil && spotlight == [], event)
            meeting = nil
            startedAt = 0
        case .recordingStarted(let new):
            expect(recording == nil, event)
            recording = new
        case .recordingStopped(let old):
            expect(recording == old, event)
            recording = nil
        case .dominantSpeaker(let person, let was):
            expect(dominant == was?.slot && dominant != person?.slot, event)
            dominant = person?.slot
        case .spotlight(let slots, let was):
            expect(spotlight == was && spotlight != slots, event)
            spotlight = slots
        case .title(let new, let was):
            expect(title == was && title != new, event)
            title = new
        case .callLock(let new):
            expect(isLocked != new, event)
            isLocked = new
        case .callAttribute(let key, let value):
            expect(attributes[key] != value, event)
            attributes[key] = value
        case .policy(let new, let was):
            expect(policy == was && policy != new, event)
            policy = new
        default: fault(event)
        }
    }

    /// What differs between the model and `state`; nil when nothing does and every event fitted.
    func compare(_ state: CallState) -> String? {
        if let fault = faults.first { return "out of place: \(fault)" }
        let mine = people.values.sorted { $0.slot < $1.slot }
        if mine != state.people { return "people \(mine), not \(state.people)" }
        for person in mine where aggregates[person.slot] != person.aggregate { return "aggregate of \(person)" }
        let call = state.call
        if meeting != call.meetingID || startedAt != call.startedAt { return "meeting" }
        if recording != call.recording || dominant != call.dominantSpeaker { return "recording or dominant speaker" }
        if spotlight != call.spotlight || title != call.title || isLocked != call.isLocked { return "call" }
        if attributes.sorted(by: { $0.key < $1.key }).map({ AttributeValue(key: $0.key, value: $0.value) })
            != call.attributes
        {
            return "attributes of the call"
        }
        return policy == state.policy ? nil : "policy"
    }

    // MARK: Steps

    private static let rest: Aggregate = {
        var rest = Aggregate([])
        rest.isAudioMuted = false
        rest.isVideoPaused = false
        rest.link = .active
        return rest
    }()

    private mutating func expect(_ condition: Bool, _ event: CallEvent) {
        if !condition { fault(event) }
    }

    private mutating func fault(_ event: CallEvent) { faults.append("\(event)") }

    private mutating func change<Value: Equatable>(
        _ person: Person,
        _ event: CallEvent,
        _ path: WritableKeyPath<Person, Value>,
        from was: Value,
        to now: Value
    ) {
        guard var mine = people[person.slot], mine.uid == person.uid else { return fault(event) }
        expect(mine[keyPath: path] == was && was != now, event)
        mine[keyPath: path] = now
        people[person.slot] = mine
    }

    private mutating func aggregate<Value: Equatable>(
        _ person: Person,
        _ event: CallEvent,
        _ path: WritableKeyPath<Aggregate, Value>,
        from was: Value,
        to now: Value
    ) {
        guard var mine = aggregates[person.slot] else { return fault(event) }
        expect(mine[keyPath: path] == was, event)
        mine[keyPath: path] = now
        aggregates[person.slot] = mine
    }

    private mutating func change(
        _ device: Device,
        _ person: Person,
        _ event: CallEvent,
        _ path: WritableKeyPath<Device, Bool>,
        to now: Bool
    ) {
        replace(device, person, event) { $0[keyPath: path] = now }
    }

    private mutating func replace(
        _ device: Device,
        _ person: Person,
        _ event: CallEvent,
        _ body: (inout Device) -> Void
    ) {
        guard
            let index = people[person.slot]?.devices.firstIndex(where: { $0.slot == device.slot && $0.id == device.id }
            ),
            var mine = people[person.slot]?.devices[index]
        else { return fault(event) }
        let before = mine
        body(&mine)
        expect(mine != before, event)
        people[person.slot]?.devices[index] = mine
    }
}
