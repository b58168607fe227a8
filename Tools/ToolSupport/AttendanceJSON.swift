package import Rollcall
import Text

extension MeetingAttendance {
    /// The meeting for programs; ``JSONKeys`` says what each key means.
    package var json: JSONValue {
        .members([
            "session": .string(session),
            "meeting": .string(meeting),
            "title": .string(title),
            "startedAt": .string(timestampText(startedAt)),
            "endedAt": .optional(endedAt.map(timestampText)),
            "people": .number(UInt64(participantCount)),
            "devices": .number(UInt64(deviceCount)),
            "presentMs": .number(time.duration),
            "videoMs": .number(time.video),
            "audioMs": .number(time.audio),
            "countedUntil": .string(timestampText(countedUntil)),
            "recordings": .array(recordings.map(\.json)),
            "recordingsLeftOut": .number(UInt64(recordingsLeftOut)),
            "devicesNotKept": .number(UInt64(devicesNotKept)),
            "participants": .array(participants.map(\.json)),
        ])
    }
}

extension MeetingRecording {
    fileprivate var json: JSONValue {
        .members([
            "uid": .string(uid),
            "name": .string(name),
            "startedAt": .string(timestampText(from)),
            "endedAt": .optional(to.map(timestampText)),
        ])
    }
}

extension ParticipantAttendance {
    fileprivate var json: JSONValue {
        .members([
            "uid": .string(uid),
            "name": .string(name),
            "avatar": .string(avatar),
            "joinedAt": .string(timestampText(joinedAt)),
            "leftAt": .optional(leftAt.map(timestampText)),
            "presentMs": .number(time.duration),
            "videoMs": .number(time.video),
            "audioMs": .number(time.audio),
            "devices": .array(devices.map(\.json)),
            "devicesLeftOut": .number(UInt64(devicesLeftOut)),
        ])
    }
}

extension DeviceAttendance {
    fileprivate var json: JSONValue {
        .members([
            "device": .string(deviceID),
            "joinedAt": .string(timestampText(joinedAt)),
            "in": .bool(isJoined),
            "presentMs": .number(time.duration),
            "videoMs": .number(time.video),
            "audioMs": .number(time.audio),
            "intervals": .array(
                intervals.map { stay in
                    .members([
                        "from": .string(timestampText(stay.from)),
                        "to": .optional(stay.to.map(timestampText)),
                    ])
                }
            ),
            "intervalsLeftOut": .number(UInt64(intervalsLeftOut)),
        ])
    }
}

/// The moment as ISO 8601 in UTC.
func timestampText(_ time: UInt64) -> String { Timestamp(millisecondsSince1970: time).text }
