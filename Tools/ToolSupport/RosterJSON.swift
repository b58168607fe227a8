package import CallState
import Text

extension Roster {
    /// The roster for programs; ``JSONKeys`` says what each key means.
    package var json: JSONValue {
        .members([
            "session": .string(session.string),
            "position": position.json,
            "digest": .string(hexText(digest, digits: 16)),
            "meeting": .optional(call.meetingID?.string),
            "title": .string(call.title.string),
            "startedAt": timeJSON(call.startedAt),
            "locked": .bool(call.isLocked),
            "recording": call.recording.map {
                .members([
                    "byUID": .string($0.byUID.string), "byName": .string($0.byName.string), "since": timeJSON($0.since),
                ])
            } ?? .null,
            "dominantSpeaker": .optional(uid(of: call.dominantSpeaker)),
            "spotlight": .array(call.spotlight.compactMap { uid(of: $0) }.map { .string($0) }),
            "attributes": attributesJSON(call.attributes),
            "policy": policy.json,
            "people": .array(rows.map(\.json)),
        ])
    }
}

extension Roster.Row {
    var json: JSONValue {
        .members([
            "slot": .number(UInt64(person.slot)),
            "uid": .string(person.uid.string),
            "name": .string(person.name.string),
            "avatar": .string(person.avatar.string),
            "role": .string(roleWord(person.role)),
            "audio": .string(facts.isAudioMuted ? "muted" : "on"),
            "video": .string(facts.isVideoPaused ? "off" : "on"),
            "presenting": .bool(facts.isPresenting),
            "hand": person.hand.map {
                .members(["place": .number(UInt64(handPlace ?? 0)), "since": timeJSON($0.at)])
            } ?? .null,
            "audioLocked": .bool(person.isAudioLocked),
            "videoLocked": .bool(person.isVideoLocked),
            "unmuteRequest": person.unmuteRequest.map {
                .members(["byUID": .string($0.byUID.string), "until": timeJSON($0.until)])
            } ?? .null,
            "joinedAt": timeJSON(person.joinedAt),
            "attributes": attributesJSON(person.attributes),
            "devices": .array(person.devices.map(\.json)),
        ])
    }
}

extension Device {
    var json: JSONValue {
        .members([
            "slot": .number(UInt64(slot)),
            "device": .string(id.string),
            "connection": .string(linkWord(link)),
            "reconnectingUntil": reconnectingUntil.map { timeJSON($0) } ?? .null,
            "audio": .string(isAudioMuted ? "muted" : "on"),
            "video": .string(isVideoPaused ? "off" : "on"),
            "presenting": .bool(isPresenting),
            "joinedAt": timeJSON(joinedAt),
            "client": .string(clientName.string),
        ])
    }
}

extension CallPolicy {
    var json: JSONValue {
        .members([
            "moderation": .string(moderationWord(moderation)),
            "standingMute": .bool(standingMute),
            "standingCameraOff": .bool(standingCameraOff),
            "handsEnabled": .bool(handsEnabled),
            "presenters": .string(presentersWord(presenters)),
            "graceMs": .number(grace),
            "idleMs": .number(idle),
        ])
    }
}

extension Position {
    /// `{"epoch":1,"seq":43}`.
    package var json: JSONValue { .members(["epoch": .number(epoch), "seq": .number(seq)]) }
}

/// A time in ISO 8601, UTC; null for 0, which is no time.
package func timeJSON(_ time: UInt64) -> JSONValue {
    time == 0 ? .null : .string(Timestamp(millisecondsSince1970: time).text)
}

/// Attributes by key: text where the value is UTF-8, else hexadecimal.
func attributesJSON(_ attributes: [AttributeValue]) -> JSONValue {
    .array(
        attributes.map { attribute in
            let text = String(validating: attribute.value, as: UTF8.self)
            return .members([
                "key": .string(attribute.key.string),
                "value": .string(text ?? hexText(attribute.value)),
                "encoding": .string(text == nil ? "hex" : "utf-8"),
            ])
        }
    )
}
