import CallState
import Foundation
import RollcallProtocol

/// Frames in the JSON mapping of protobuf, written from the Swift values by hand: it shows that each field of a value
/// is the field that the schema means, which a comparison of bytes alone can't.
struct JSONMessage {
    private(set) var members: [String: Any] = [:]

    mutating func put(_ name: String, _ value: UInt64) { if value != 0 { members[name] = "\(value)" } }
    mutating func put(_ name: String, _ value: UInt32) { if value != 0 { members[name] = Int(value) } }
    mutating func put(_ name: String, _ value: Bool) { if value { members[name] = true } }
    mutating func put(_ name: String, _ value: ByteString) { if !value.isEmpty { members[name] = value.string } }
    mutating func put(_ name: String, _ value: String) { if !value.isEmpty { members[name] = value } }
    mutating func put(_ name: String, bytes: [UInt8]) { if !bytes.isEmpty { members[name] = base64(bytes) } }
    mutating func put(_ name: String, _ value: Position) { if value != .zero { members[name] = json(value) } }
    /// What is written whatever it is, if it is there.
    mutating func write(_ name: String, _ value: Any?) { if let value { members[name] = value } }
    /// The name of an enumeration's value, or its number when the schema has no name.
    mutating func put(_ name: String, _ value: UInt32, _ names: String) {
        if value != 0 { members[name] = enumeration(value, names) }
    }
}

func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

/// `names` is a prefix and the names: `ROLE PARTICIPANT MODERATOR`.
func enumeration(_ value: UInt32, _ names: String) -> Any {
    let words = names.split(separator: " ")
    return Int(value) + 1 < words.count ? "\(words[0])_\(words[Int(value) + 1])" : Int(value)
}

func json(_ position: Position) -> [String: Any] {
    var message = JSONMessage()
    message.put("epoch", position.epoch)
    message.put("seq", position.seq)
    return message.members
}

/// The names of the schema's enumerations.
enum Names {
    static let joinMode = "JOIN_MODE PARTICIPANT OBSERVER"
    static let role = "ROLE PARTICIPANT MODERATOR"
    static let moderation = "MODERATION EVERYONE MODERATORS"
    static let presenters = "PRESENTERS MANY ONE"
    static let connection = "CONNECTION ACTIVE RECONNECTING"
    static let leave = "LEAVE_REASON UNSPECIFIED LEFT LOST REMOVED ENDED EXPIRED"
    static let resync = "RESYNC_REASON UNSPECIFIED GAP EPOCH DIGEST UNKNOWN_SLOT AHEAD INVALID"
    static let outcome = "OUTCOME NEW RESUMED EXPIRED REPLACED OBSERVER"
    static let follows = "FOLLOWS NOTHING DELTA SNAPSHOT"
    static let snapshot = "SNAPSHOT_REASON JOIN BELOW_FLOOR EPOCH UNKNOWN_POSITION DIGEST LAGGED REQUESTED"
    static let progress = "MEETING_PROGRESS ANY RUNNING ENDED"
    static let recording = "RECORDING_CHOICE ANY WITH WITHOUT"
    static let people = "PEOPLE_CHOICE ALL MATCHING NONE"
    static let advice = "ADVICE NEVER NOW AFTER REAUTHENTICATE"
}
