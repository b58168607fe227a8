import Foundation

/// Somebody in a call, as they were at one moment.
///
/// A participant never changes: whoever wants to know more asks ``CallSession/participant(uid:)`` again. Two are equal
/// when all that they show is. Of a call there is one per uid; ``devices`` lists what the person attends with.
public final class Participant: Sendable {
    /// All that a participant shows.
    package struct Facts: Hashable, Sendable {
        package var uid: String
        package var name = ""
        package var avatar = ""
        package var mid: String?
        package var hasLeft = false
        package var joinedAt = 0
        package var leftAt = 0
        package var deviceID: String?
        package var minutes: ParticipantMinutes?
        package var status = ParticipantStatus()
        package var role = "participant"
        package var attributes: [String: [UInt8]] = [:]
        package var devices: [ParticipantDevice] = []
        package var isLocal = false

        package init(uid: String) {
            self.uid = uid
        }
    }

    package let facts: Facts

    package init(_ facts: Facts) {
        self.facts = facts
    }

    // MARK: Who

    /// The person's id; never nil in a call.
    public var uid: String? { facts.uid }
    /// The display name; nil when none was given.
    public var name: String? { facts.name.isEmpty ? nil : facts.name }
    /// URL of a picture; nil when none was given.
    public var avatar: String? { facts.avatar.isEmpty ? nil : facts.avatar }
    /// The device that the person came with, of those that are still there; of the local participant this device.
    public var deviceID: String? { facts.deviceID }
    /// `participant` or `moderator`; a role that this version does not know shows as `role-` and its number.
    public var role: String { facts.role }
    /// Whether the person may moderate when only moderators may.
    public var isModerator: Bool { facts.role == "moderator" }
    /// What the app has attached to the person, by key; each value 0..1,024 bytes.
    public var attributes: [String: [UInt8]] { facts.attributes }
    /// The devices, in order of joining; empty only for somebody who is known from a record alone.
    public var devices: [ParticipantDevice] { facts.devices }
    /// Whether this is the person of this client.
    public var isLocal: Bool { facts.isLocal }

    /// The text of an attribute; nil without it.
    ///
    /// Bytes that are not UTF-8 show as U+FFFD.
    public func attribute(_ key: String) -> String? {
        facts.attributes[key].map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: When

    /// The id of the meeting; nil when it is not known.
    public var mid: String? { facts.mid }
    /// `ongoing` while the person is in the call, `ended` after.
    public var state: String? { facts.hasLeft ? "ended" : "ongoing" }
    /// Whether the person has joined; also true of one who has left again.
    public var isJoined: Bool { true }
    /// When the person came, in seconds since 1970 by the relay's clock; 0 when it is not known.
    public var joinedAt: Int { facts.joinedAt }
    /// When the person left, in seconds since 1970 by the relay's clock; 0 while present, or when it is not known.
    public var leftAt: Int { facts.leftAt }
    /// How long the person attended; nil in a live call, which does not know it.
    ///
    /// Call logs know it.
    public var minutes: ParticipantMinutes? { facts.minutes }
    /// Minutes with the camera off; 0 in a live call, see ``minutes``.
    public var totalAudioMinutes: Double { facts.minutes?.audio ?? 0 }
    /// Minutes with the camera on; 0 in a live call, see ``minutes``.
    public var totalVideoMinutes: Double { facts.minutes?.video ?? 0 }
    /// Minutes in the call; 0 in a live call, see ``minutes``.
    public var totalDurationInMinutes: Double { facts.minutes?.duration ?? 0 }

    // MARK: What

    /// What the person does in the call.
    public var status: ParticipantStatus { facts.status }
    /// Whether every microphone of the person is muted.
    public var isAudioMuted: Bool { facts.status.isAudioMuted }
    /// The same as ``isAudioMuted``.
    public var audioMuted: Bool { facts.status.isAudioMuted }
    /// Whether every camera of the person is off.
    public var isVideoPaused: Bool { facts.status.isVideoPaused }
    /// The same as ``isVideoPaused``.
    public var videoPaused: Bool { facts.status.isVideoPaused }
    /// Whether the person shares a screen.
    public var isPresenting: Bool { facts.status.isPresenting }
    /// Whether this client has pinned the person; local.
    public var isPinned: Bool { facts.status.isPinned }
    /// When the hand went up, in seconds since 1970; 0 while it is down.
    public var raisedHandTimestamp: Int { facts.status.handRaisedAt.map { Int($0.timeIntervalSince1970) } ?? 0 }
}

extension Participant: Hashable {
    /// Whether both show the same.
    public static func == (left: Participant, right: Participant) -> Bool {
        left === right || left.facts == right.facts
    }

    /// Hashes what it shows.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(facts)
    }
}

extension Participant: CustomStringConvertible {
    /// The uid and the name, for logs.
    public var description: String { facts.name.isEmpty ? facts.uid : "\(facts.uid) (\(facts.name))" }
}
