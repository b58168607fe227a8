/// What everybody in a call should see, in a form that can be compared and printed.
///
/// A client's state is turned into the same value (people in order of joining, devices in order of joining within their
/// person) and compared by ``differences(from:)``.
public struct ReferenceView: Hashable, Sendable {
    /// One device's facts.
    public struct Device: Hashable, Sendable {
        /// The device.
        public var device: String
        /// Whether its microphone is muted.
        public var audioMuted: Bool
        /// Whether its camera is off.
        public var videoPaused: Bool
        /// Whether it presents.
        public var presenting: Bool

        /// Creates a device's row.
        public init(device: String, audioMuted: Bool, videoPaused: Bool, presenting: Bool) {
            self.device = device
            self.audioMuted = audioMuted
            self.videoPaused = videoPaused
            self.presenting = presenting
        }
    }

    /// One person's row.
    public struct Person: Hashable, Sendable {
        /// The person.
        public var uid: String
        /// The name; nil until the person takes one (a replayer joins people without a name).
        public var name: String?
        /// The devices, in order of joining.
        public var devices: [Device]
        /// Muted on every device.
        public var audioMuted: Bool
        /// Camera off on every device.
        public var videoPaused: Bool
        /// Presenting on any device.
        public var presenting: Bool
        /// The place in the queue of hands, from 1; nil when the hand is down.
        public var handPlace: Int?

        /// Creates a person's row.
        public init(
            uid: String,
            name: String?,
            devices: [Device],
            audioMuted: Bool,
            videoPaused: Bool,
            presenting: Bool,
            handPlace: Int?
        ) {
            self.uid = uid
            self.name = name
            self.devices = devices
            self.audioMuted = audioMuted
            self.videoPaused = videoPaused
            self.presenting = presenting
            self.handPlace = handPlace
        }
    }

    /// Who speaks, as far as it was stated.
    public enum DominantSpeaker: Hashable, Sendable {
        /// Left to the relay's election: not compared.
        case elected
        /// Nobody.
        case nobody
        /// This person.
        case person(String)
    }

    /// The people, in order of joining.
    public var people: [Person]
    /// Who started the recording that runs; nil when none runs.
    public var recordingBy: String?
    /// The dominant speaker.
    public var dominantSpeaker: DominantSpeaker
    /// The attributes of the call.
    public var attributes: [String: String]

    /// Creates a view; without arguments that of a call with nobody in it.
    public init(
        people: [Person] = [],
        recordingBy: String? = nil,
        dominantSpeaker: DominantSpeaker = .nobody,
        attributes: [String: String] = [:]
    ) {
        self.people = people
        self.recordingBy = recordingBy
        self.dominantSpeaker = dominantSpeaker
        self.attributes = attributes
    }

    /// The uids with a raised hand, first to last.
    public var hands: [String] {
        people.filter { $0.handPlace != nil }.sorted { $0.handPlace! < $1.handPlace! }.map(\.uid)
    }
}

extension ReferenceView {
    /// What this view shows otherwise than `expected`, a line for each difference; empty when they agree.
    ///
    /// The dominant speaker is compared only where both views have one that was not left to the election.
    /// - Complexity: O(people + devices + attributes).
    public func differences(from expected: ReferenceView) -> [String] {
        var lines: [String] = []
        func compare<Value: Equatable>(_ what: String, _ actual: Value, _ wanted: Value) {
            if actual != wanted { lines.append("\(what): \(Self.text(actual)), expected \(Self.text(wanted))") }
        }
        let actualByUID = Dictionary(people.map { ($0.uid, $0) }, uniquingKeysWith: { first, _ in first })
        let wantedByUID = Dictionary(expected.people.map { ($0.uid, $0) }, uniquingKeysWith: { first, _ in first })
        for person in expected.people where actualByUID[person.uid] == nil {
            lines.append("\(person.uid): missing, expected \(person)")
        }
        for person in people {
            guard let wanted = wantedByUID[person.uid] else {
                lines.append("\(person.uid): unexpected, \(person)")
                continue
            }
            compare("\(person.uid) name", person.name, wanted.name)
            compare("\(person.uid) devices", person.devices, wanted.devices)
            compare("\(person.uid) audioMuted", person.audioMuted, wanted.audioMuted)
            compare("\(person.uid) videoPaused", person.videoPaused, wanted.videoPaused)
            compare("\(person.uid) presenting", person.presenting, wanted.presenting)
            compare("\(person.uid) handPlace", person.handPlace, wanted.handPlace)
        }
        if Set(actualByUID.keys) == Set(wantedByUID.keys) {
            compare("order of joining", people.map(\.uid), expected.people.map(\.uid))
        }
        compare("recording by", recordingBy, expected.recordingBy)
        if dominantSpeaker != .elected, expected.dominantSpeaker != .elected {
            compare("dominant speaker", dominantSpeaker, expected.dominantSpeaker)
        }
        for key in Set(attributes.keys).union(expected.attributes.keys).sorted() {
            compare("attribute \(key)", attributes[key], expected.attributes[key])
        }
        return lines
    }

    private static func text<Value>(_ value: Value) -> String {
        if let optional = value as? String? { return optional ?? "none" }
        if let optional = value as? Int? { return optional.map { String($0) } ?? "none" }
        return String(describing: value)
    }
}

extension ReferenceView: CustomStringConvertible {
    /// A line for each person and one for the call.
    ///
    /// Equal views print equal text.
    public var description: String {
        var lines = people.map(\.description)
        lines.append("recording \(recordingBy ?? "off"), dominant speaker \(dominantSpeaker)")
        lines += attributes.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }
        return lines.joined(separator: "\n")
    }
}

extension ReferenceView.Person: CustomStringConvertible {
    /// One line, such as `u01 muted camera-off hand 2 [dev-01 muted camera-off]`.
    public var description: String {
        var words = [uid]
        if let name { words.append("'\(name)'") }
        words.append(audioMuted ? "muted" : "unmuted")
        words.append(videoPaused ? "camera-off" : "camera-on")
        if presenting { words.append("presenting") }
        if let handPlace { words.append("hand \(handPlace)") }
        return words.joined(separator: " ") + " \(devices)"
    }
}

extension ReferenceView.Device: CustomStringConvertible {
    /// A few words, such as `dev-01 muted camera-on presenting`.
    public var description: String {
        "\(device) \(audioMuted ? "muted" : "unmuted") \(videoPaused ? "camera-off" : "camera-on")"
            + (presenting ? " presenting" : "")
    }
}

extension ReferenceView.DominantSpeaker: CustomStringConvertible {
    /// The uid, `nobody`, or `(elected)`.
    public var description: String {
        switch self {
        case .elected: "(elected)"
        case .nobody: "nobody"
        case .person(let uid): uid
        }
    }
}
