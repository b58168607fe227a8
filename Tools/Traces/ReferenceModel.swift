/// A step that cannot be played in the state that the model is in: a fault of the plan, not of the relay.
public struct ReferenceModelError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let description: String
}

/// The state of a call as the steps of a plan make it: the oracle for the relay and its clients.
///
/// It is written from the description of the traces and of the call, in the plainest way, and shares no code with the
/// state that it judges. Every look-up is a walk along an array.
///
/// The rules:
/// - A person is there while one of their devices is; people and devices stand in order of joining, and whoever comes
///   back stands at the end.
/// - A device that joins while it is there takes over in place: its facts are the new ones and it presents no more.
/// - The last device to leave takes the person's hand and name with it; a device takes its facts with it. A dominant
///   speaker who leaves makes it nobody. The recording stays.
/// - When nobody is left the meeting is over: recording, dominant speaker and attributes go.
/// - Raising a raised hand keeps its place. Starting a running recording keeps its starter.
/// - Muting ends speaking.
public struct ReferenceModel: Sendable {
    private struct Device {
        let device: String
        var audioMuted: Bool
        var videoPaused: Bool
        var presenting = false
        var speaking = false
    }

    private struct Person {
        let uid: String
        var name: String?
        var devices: [Device]
    }

    /// People beside those of the trace, such as late joiners: they count for everything but the checks.
    public var guests: Set<String> = []

    private var people: [Person] = []
    private var hands: [String] = []
    private var recordingBy: String?
    private var dominantSpeaker: String?
    private var attributes: [String: String] = [:]
    private let electsDominantSpeaker: Bool

    /// A call with nobody in it.
    ///
    /// - Parameter electsDominantSpeaker: whether the relay elects the dominant speaker (it receives speech); the view
    ///   then leaves it open.
    public init(electsDominantSpeaker: Bool = false) {
        self.electsDominantSpeaker = electsDominantSpeaker
    }

    /// Whether nobody is there.
    public var isEmpty: Bool { people.isEmpty }

    /// Whether the device is there.
    public func isPresent(_ device: TraceDevice) -> Bool { find(device) != nil }

    /// The person's devices that are there, in order of joining.
    public func devices(of uid: String) -> [TraceDevice] {
        guard let person = people.first(where: { $0.uid == uid }) else { return [] }
        return person.devices.map { TraceDevice(uid: uid, device: $0.device) }
    }

    /// Every device that is there, in the view's order.
    public var devices: [TraceDevice] {
        people.flatMap { person in person.devices.map { TraceDevice(uid: person.uid, device: $0.device) } }
    }

    /// The device's microphone and camera; nil when it is not there.
    public func facts(of device: TraceDevice) -> InitialFacts? {
        guard let (person, index) = find(device) else { return nil }
        let found = people[person].devices[index]
        return InitialFacts(audioMuted: found.audioMuted, videoPaused: found.videoPaused)
    }

    /// The devices that speak, in the view's order.
    public var speaking: [TraceDevice] {
        people.flatMap { person in
            person.devices.filter(\.speaking).map { TraceDevice(uid: person.uid, device: $0.device) }
        }
    }

    /// Plays one step.
    ///
    /// A `check` changes nothing; see ``failures(of:)``.
    ///
    /// - Throws: ``ReferenceModelError`` when the step needs somebody who is not there.
    public mutating func apply(_ action: PlanAction) throws(ReferenceModelError) {
        switch action {
        case .join(let device, let facts): join(device, facts)
        case .leave(let device, _): try leave(device)
        case .lost(let device, _): try leave(device)
        case .setAudioMuted(let device, let muted):
            try change(device) { found in
                found.audioMuted = muted
                if muted { found.speaking = false }
            }
        case .setVideoPaused(let device, let paused): try change(device) { $0.videoPaused = paused }
        case .setPresenting(let device, let presenting): try change(device) { $0.presenting = presenting }
        case .setSpeaking(let device, let speaking): try change(device) { $0.speaking = speaking && !$0.audioMuted }
        case .raiseHand(let via):
            try need(via)
            if !hands.contains(via.uid) { hands.append(via.uid) }
        case .lowerHand(let uid, let via):
            try need(via)
            hands.removeAll { $0 == uid }
        case .setRecording(let on, let via):
            try need(via)
            recordingBy = on ? recordingBy ?? via.uid : nil
        case .stateDominantSpeaker(let uid):
            if let uid, devices(of: uid).isEmpty { throw absent(uid) }
            dominantSpeaker = uid
        case .rename(let name, let via):
            guard let (person, _) = find(via) else { throw absent("\(via)") }
            people[person].name = name
        case .setCallAttribute(let key, let value, let via):
            if let via { try need(via) }
            if isEmpty { throw ReferenceModelError(description: "attribute \(key) of a call with nobody in it") }
            attributes[key] = value
        case .check:
            break
        }
    }

    private mutating func join(_ device: TraceDevice, _ facts: InitialFacts) {
        let joining = Device(device: device.device, audioMuted: facts.audioMuted, videoPaused: facts.videoPaused)
        if let (person, index) = find(device) {
            people[person].devices[index] = joining
        } else if let person = people.firstIndex(where: { $0.uid == device.uid }) {
            people[person].devices.append(joining)
        } else {
            people.append(Person(uid: device.uid, devices: [joining]))
        }
    }

    private mutating func leave(_ device: TraceDevice) throws(ReferenceModelError) {
        guard let (person, index) = find(device) else { throw absent("\(device)") }
        people[person].devices.remove(at: index)
        guard people[person].devices.isEmpty else { return }
        people.remove(at: person)
        hands.removeAll { $0 == device.uid }
        if dominantSpeaker == device.uid { dominantSpeaker = nil }
        guard people.isEmpty else { return }
        recordingBy = nil
        dominantSpeaker = nil
        attributes = [:]
    }

    private mutating func change(
        _ device: TraceDevice,
        _ body: (inout Device) -> Void
    ) throws(ReferenceModelError) {
        guard let (person, index) = find(device) else { throw absent("\(device)") }
        body(&people[person].devices[index])
    }

    private func need(_ device: TraceDevice) throws(ReferenceModelError) {
        if find(device) == nil { throw absent("\(device)") }
    }

    private func absent(_ who: String) -> ReferenceModelError {
        ReferenceModelError(description: "\(who) is not in the call")
    }

    private func find(_ device: TraceDevice) -> (person: Int, device: Int)? {
        guard let person = people.firstIndex(where: { $0.uid == device.uid }),
            let index = people[person].devices.firstIndex(where: { $0.device == device.device })
        else { return nil }
        return (person, index)
    }
}

extension ReferenceModel {
    /// The state as everybody should see it.
    ///
    /// - Complexity: O(devices + hands).
    public var view: ReferenceView {
        var places: [String: Int] = [:]
        for (index, uid) in hands.enumerated() { places[uid] = index + 1 }
        let rows = people.map { person in
            ReferenceView.Person(
                uid: person.uid,
                name: person.name,
                devices: person.devices.map {
                    ReferenceView.Device(
                        device: $0.device,
                        audioMuted: $0.audioMuted,
                        videoPaused: $0.videoPaused,
                        presenting: $0.presenting
                    )
                },
                audioMuted: person.devices.allSatisfy(\.audioMuted),
                videoPaused: person.devices.allSatisfy(\.videoPaused),
                presenting: person.devices.contains(where: \.presenting),
                handPlace: places[person.uid]
            )
        }
        let speaker: ReferenceView.DominantSpeaker =
            electsDominantSpeaker ? .elected : dominantSpeaker.map { .person($0) } ?? .nobody
        return ReferenceView(
            people: rows,
            recordingBy: recordingBy,
            dominantSpeaker: speaker,
            attributes: attributes
        )
    }
}
