import CallState

/// The election of a call's dominant speaker, as a value.
///
/// The dominant speaker stays while they speak, and in silence. Once they are silent, of those who have been speaking
/// for long enough the one who began first takes over, then the lower slot. Nobody is dominant only when the dominant
/// one has left or is muted and no other qualifies.
///
/// All reports of one millisecond come first, then one ``evaluate(at:)``: the result does not depend on their order.
struct Election {
    /// What an evaluation decided.
    enum Decision: Hashable {
        /// Nothing changes.
        case unchanged
        /// This person is dominant now; nil is nobody.
        case dominant(Slot?)
    }

    private struct SpeakingDevice {
        var device: Slot
        var person: Slot
    }

    private struct SpeakingPerson {
        var person: Slot
        var began: UInt64
    }

    /// How long somebody must have been speaking to take over, in ms.
    var qualifyingTime: UInt64
    /// Changes in any second.
    var maximumChanges: Int
    /// Whether somebody states the dominant speaker, so that nobody is elected until the meeting ends.
    var isSuspended = false

    private var devices: [SpeakingDevice] = []
    /// In order of (began, slot): the first is next.
    private var people: [SpeakingPerson] = []
    /// Who is dominant.
    private(set) var dominant: Slot?
    /// Whether the dominant one has lost the place by leaving or by being muted.
    private var isVacated = false
    /// When the last changes were, oldest first; at most ``maximumChanges``.
    private var changes: [UInt64] = []

    /// An election in which nobody has spoken.
    init(qualifyingTime: UInt64, maximumChanges: Int) {
        self.qualifyingTime = qualifyingTime
        self.maximumChanges = max(1, maximumChanges)
    }

    /// The devices that speak.
    var speakingDevices: [Slot] { devices.map(\.device) }

    /// Whether nobody speaks.
    var isSilent: Bool { devices.isEmpty }

    /// A device of a person speaks or does not.
    ///
    /// The latest report counts; a repeated one changes nothing.
    mutating func report(device: Slot, of person: Slot, speaks: Bool, at now: UInt64) {
        let known = devices.firstIndex { $0.device == device }
        if speaks {
            guard known == nil else { return }
            devices.append(SpeakingDevice(device: device, person: person))
            guard !people.contains(where: { $0.person == person }) else { return }
            let place = people.firstIndex { (now, person) < ($0.began, $0.person) } ?? people.endIndex
            people.insert(SpeakingPerson(person: person, began: now), at: place)
        } else if let known {
            let person = devices.remove(at: known).person
            guard !devices.contains(where: { $0.person == person }) else { return }
            people.removeAll { $0.person == person }
        }
    }

    /// A device does not speak any more, whatever it said: it was muted, cut off or has left.
    mutating func silence(device: Slot) {
        report(device: device, of: 0, speaks: false, at: 0)
    }

    /// The dominant speaker has left or is muted.
    mutating func vacate() {
        if dominant != nil { isVacated = true }
    }

    /// Goes on after a restart: nobody speaks, and the dominant speaker is whom the state shows.
    mutating func restore(dominant: Slot?, isSuspended: Bool) {
        self.dominant = dominant
        self.isSuspended = isSuspended
    }

    /// Somebody who may act for others has stated the dominant speaker.
    mutating func state(_ person: Slot?) {
        dominant = person
        isVacated = false
        isSuspended = true
    }

    /// When ``evaluate(at:)`` can change something without a new report, in ms; nil is never.
    var nextDeadline: UInt64? {
        guard !isSuspended, let next = people.first else { return nil }
        if let dominant, !isVacated, people.contains(where: { $0.person == dominant }) { return nil }
        let qualifies = next.began + qualifyingTime
        return changes.count < maximumChanges ? qualifies : max(qualifies, changes[0] + 1_000)
    }

    /// Decides, after all reports of `now`.
    ///
    /// To become *nobody* waits for nothing, since the place is empty; it counts as a change.
    mutating func evaluate(at now: UInt64) -> Decision {
        if let due = nextDeadline, due <= now {
            return change(to: people[0].person, at: now)
        }
        if isVacated, !isSuspended { return change(to: nil, at: now) }
        return .unchanged
    }

    private mutating func change(to person: Slot?, at now: UInt64) -> Decision {
        isVacated = false
        if person == dominant { return .unchanged }
        dominant = person
        changes.append(now)
        if changes.count > maximumChanges { changes.removeFirst() }
        return .dominant(person)
    }
}
