import Foundation

/// One line of a trace as JSON has it, before its fields are judged.
struct TraceLine: Decodable {
    struct Device: Decodable {
        var uid: String
        var device: String
    }

    struct Counts: Decodable {
        var joined: Int?
        var audioOn: Int?
        var videoOn: Int?
    }

    var t: Double
    var session: String
    var uid: String
    var device: String
    var event: String
    var noop: Bool?

    var role: String?
    var audioMuted: Bool?
    var videoPaused: Bool?
    var muted: Bool?
    var reason: String?
    var by: String?
    var stream: String?
    var derived: String?
    var newDevice: String?
    var newUid: String?

    var what: String?
    var counts: Counts?
    var queue: [String]?
    var participants: [Device]?
    var agrees: Bool?
    var agreesInOrder: Bool?

    var events: Int?
    var presentAtStart: [Device]?

    var unknownFields: [String] = []

    /// Any name of a field, so that unknown ones can be counted.
    struct Key: CodingKey, Hashable {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Fields that are known and say nothing that a replay needs.
    static let passedOver: Set<String> = ["uid_from"]

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        var known = Self.passedOver

        func required<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
            known.insert(name)
            return try fields.decode(type, forKey: Key(name))
        }
        func optional<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value? {
            known.insert(name)
            return try fields.decodeIfPresent(type, forKey: Key(name))
        }

        t = try required("t")
        session = try required("session")
        uid = try required("uid")
        device = try required("device")
        event = try required("event")

        // The meta line has names of its own, some of them equal to those of events.
        if event == "meta" {
            events = try optional("events")
            presentAtStart = try optional("present_at_start")
            return
        }

        noop = try optional("noop")
        role = try optional("role")
        audioMuted = try optional("audioMuted")
        videoPaused = try optional("videoPaused")
        muted = try optional("muted")
        reason = try optional("reason")
        by = try optional("by")
        stream = try optional("stream")
        derived = try optional("derived")
        newDevice = try optional("newDevice")
        newUid = try optional("newUid")
        what = try optional("what")
        counts = try optional("counts")
        queue = try optional("queue")
        participants = try optional("participants")
        agrees = try optional("agrees")
        agreesInOrder = try optional("agreesInOrder")
        unknownFields = fields.allKeys.map(\.stringValue).filter { !known.contains($0) }
    }
}
