/// What a known field of a record holds.
public enum FieldType: Hashable, Sendable {
    /// 0 or 1, as a varint.
    case boolean
    /// A number up to 64 bits, as a varint.
    case number
    /// The slot of a record, as a varint of at most 32 bits.
    case slot
    /// The number of an enumeration's value, as a varint of at most 31 bits: none is negative. Enumerations are open.
    case enumeration
    /// UTF-8.
    case text
    /// Bytes of any kind.
    case bytes
    /// A message, as its canonical protobuf bytes.
    case message(MessageType)

    /// Whether the wire type is varint; otherwise it is length-delimited.
    public var isNumber: Bool {
        switch self {
        case .boolean, .number, .slot, .enumeration: true
        case .text, .bytes, .message: false
        }
    }

    /// The highest number that a field of this type can hold; no bound where it holds no number.
    public var highest: UInt64 {
        switch self {
        case .boolean: 1
        case .slot: UInt64(UInt32.max)
        case .enumeration: UInt64(Int32.max)
        case .number, .text, .bytes, .message: .max
        }
    }
}

/// The messages that are values of fields.
public enum MessageType: Hashable, Sendable {
    /// A raised hand.
    case hand
    /// Who records.
    case recording
    /// Who asks to unmute.
    case unmuteRequest
    /// Slots in order.
    case slotList
}

/// What is known of a field of a record.
public struct FieldDescriptor: Hashable, Sendable {
    /// The kind of record that has the field.
    public var kind: RecordKind
    /// The field's number in the record's body.
    public var number: UInt32
    /// The field's name in `rollcall.proto`.
    public var name: String
    /// What the field holds.
    public var type: FieldType
    /// Whether the field is a set of entries by key.
    public var isKeyed: Bool

    init(_ kind: RecordKind, _ number: UInt32, _ name: String, _ type: FieldType, isKeyed: Bool = false) {
        self.kind = kind
        self.number = number
        self.name = name
        self.type = type
        self.isKeyed = isKeyed
    }
}

/// Every known field of every known kind of record; a test holds it equal to `rollcall.proto`.
public enum FieldTable {
    /// All fields, ascending by kind, then number.
    public static let all: [FieldDescriptor] = fields.flatMap { $0 }

    /// The field `number` of `kind`; nil when it is not known.
    ///
    /// O(1).
    public static func descriptor(_ kind: RecordKind, _ number: UInt32) -> FieldDescriptor? {
        guard kind.rawValue >= RecordKind.call.rawValue, kind.rawValue <= RecordKind.device.rawValue else { return nil }
        let table = fields[Int(kind.rawValue - RecordKind.call.rawValue)]
        guard number >= 1, number <= table.count else { return nil }
        return table[Int(number) - 1]
    }

    /// For each kind from ``RecordKind/call`` its fields; the numbers of each have no gaps, which makes look-up an
    /// index.
    private static let fields: [[FieldDescriptor]] = [
        [
            FieldDescriptor(.call, CallField.meetingID, "meeting_id", .text),
            FieldDescriptor(.call, CallField.startedAt, "started_at", .number),
            FieldDescriptor(.call, CallField.title, "title", .text),
            FieldDescriptor(.call, CallField.recording, "recording", .message(.recording)),
            FieldDescriptor(.call, CallField.dominantSpeaker, "dominant_speaker", .slot),
            FieldDescriptor(.call, CallField.spotlight, "spotlight", .message(.slotList)),
            FieldDescriptor(.call, CallField.locked, "locked", .boolean),
            FieldDescriptor(.call, CallField.attributes, "attributes", .bytes, isKeyed: true),
        ],
        [
            FieldDescriptor(.policy, PolicyField.moderation, "moderation", .enumeration),
            FieldDescriptor(.policy, PolicyField.standingMute, "standing_mute", .boolean),
            FieldDescriptor(.policy, PolicyField.standingCameraOff, "standing_camera_off", .boolean),
            FieldDescriptor(.policy, PolicyField.handsEnabled, "hands_enabled", .boolean),
            FieldDescriptor(.policy, PolicyField.presenters, "presenters", .enumeration),
            FieldDescriptor(.policy, PolicyField.grace, "grace_ms", .number),
            FieldDescriptor(.policy, PolicyField.idle, "idle_ms", .number),
        ],
        [
            FieldDescriptor(.person, PersonField.uid, "uid", .text),
            FieldDescriptor(.person, PersonField.name, "name", .text),
            FieldDescriptor(.person, PersonField.avatar, "avatar", .text),
            FieldDescriptor(.person, PersonField.role, "role", .enumeration),
            FieldDescriptor(.person, PersonField.hand, "hand", .message(.hand)),
            FieldDescriptor(.person, PersonField.audioLocked, "audio_locked", .boolean),
            FieldDescriptor(.person, PersonField.videoLocked, "video_locked", .boolean),
            FieldDescriptor(.person, PersonField.unmuteRequest, "unmute_request", .message(.unmuteRequest)),
            FieldDescriptor(.person, PersonField.joinedAt, "joined_at", .number),
            FieldDescriptor(.person, PersonField.attributes, "attributes", .bytes, isKeyed: true),
        ],
        [
            FieldDescriptor(.device, DeviceField.person, "person", .slot),
            FieldDescriptor(.device, DeviceField.device, "device", .text),
            FieldDescriptor(.device, DeviceField.connection, "connection", .enumeration),
            FieldDescriptor(.device, DeviceField.audioMuted, "audio_muted", .boolean),
            FieldDescriptor(.device, DeviceField.videoPaused, "video_paused", .boolean),
            FieldDescriptor(.device, DeviceField.presenting, "presenting", .boolean),
            FieldDescriptor(.device, DeviceField.joinedAt, "joined_at", .number),
            FieldDescriptor(.device, DeviceField.clientName, "client_name", .text),
            FieldDescriptor(.device, DeviceField.reconnectingUntil, "reconnecting_until", .number),
        ],
    ]
}
