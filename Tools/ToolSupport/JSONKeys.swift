/// What each key of the JSON output means.
///
/// Keys are added, never renamed or removed.
package enum JSONKeys {
    /// A kind of object.
    package struct Object: Sendable {
        /// What it is, such as `people[]`.
        package var name: String
        /// Where it stands.
        package var place: String
        /// Its keys in order, each with its meaning.
        package var keys: KeyValuePairs<String, String>
    }

    /// Every kind of object that a command prints.
    package static let all: [Object] = listings + attendance + snapshot + streams

    private static let listings: [Object] = [
        Object(
            name: "call",
            place: "calls: one line for each call",
            keys: [
                "session": "session id", "meeting": "meeting id; null when nobody is in", "title": "title",
                "people": "number of people", "devices": "number of their devices", "observers": "number of observers",
                "hands": "number of raised hands", "recording": "whether it is recorded", "position": "its head",
                "startedAt": "begin of the meeting; null without one",
            ]
        ),
        Object(
            name: "connection",
            place: "conns: one line for each connection",
            keys: [
                "connection": "its number", "session": "the call it attends; null is none",
                "uid": "the person; null for none", "device": "the device; null for none",
                "mode": "participant or observer; null when not attached", "openedAt": "when it was accepted",
                "attachedAt": "when its join was accepted; null when not attached",
                "cursor": "the last position written to it; null when not attached",
                "lag": "commits between the cursor and the head", "inFlightBytes": "bytes not yet taken by the kernel",
                "heldMostBytes": "the most bytes that were held for it alone at once",
                "roundTripMs": "last round trip of a ping, in ms; null is not known",
                "writes": "times that output was handed over", "turns": "turns of the relay in which it was",
                "merged": "differences made for it alone",
                "client": "name of the client",
            ]
        ),
    ]

    private static let attendance: [Object] = [
        Object(
            name: "meeting",
            place: "attendance: one line for each meeting, the newest first",
            keys: [
                "session": "session id", "meeting": "meeting id", "title": "the last title", "startedAt": "its begin",
                "endedAt": "its end; null while it runs", "people": "number of people who were there",
                "devices": "number of their devices", "presentMs": "sum of all people's time present, in ms",
                "videoMs": "sum of all people's time with a camera on, in ms",
                "audioMs": "sum of all people's time with every camera off, in ms",
                "countedUntil": "until when that which still runs is counted",
                "recordings": "the recordings, in order", "recordingsLeftOut": "earlier ones that are not kept",
                "devicesNotKept": "devices that came when the relay's log was full: no row, in no time",
                "participants": "the people, in order of first joining; only the one that --uid names",
            ]
        ),
        Object(
            name: "meetingRecording",
            place: "meeting.recordings[]",
            keys: [
                "uid": "who started it", "name": "their name then", "startedAt": "its begin",
                "endedAt": "its end; null while it runs",
            ]
        ),
        Object(
            name: "participant",
            place: "meeting.participants[]",
            keys: [
                "uid": "the person", "name": "the last name", "avatar": "URL of the last picture",
                "joinedAt": "when they first came", "leftAt": "when they were last there; null while they are in",
                "presentMs": "time present on any device, in ms", "videoMs": "time with a camera on, in ms",
                "audioMs": "time with every camera off, in ms", "devices": "the devices, in order of first joining",
                "devicesLeftOut": "devices whose rows are not kept",
            ]
        ),
        Object(
            name: "deviceAttendance",
            place: "participant.devices[]",
            keys: [
                "device": "id of the device", "joinedAt": "when it first came",
                "in": "whether it has not left; its link may be lost", "presentMs": "time present, in ms",
                "videoMs": "time with the camera on, in ms", "audioMs": "time with the camera off, in ms",
                "intervals": "when it was there, in order", "intervalsLeftOut": "earlier ones that are not kept",
            ]
        ),
        Object(
            name: "interval",
            place: "deviceAttendance.intervals[]",
            keys: ["from": "begin", "to": "end, also the loss of a link; null while it lasts"]
        ),
    ]

    private static let snapshot: [Object] = [
        Object(
            name: "snapshot",
            place: "snapshot: one line",
            keys: [
                "session": "session id", "position": "where in the call's history this is",
                "digest": "digest there, 16 hexadecimal digits", "meeting": "meeting id; null when nobody is in",
                "title": "title", "startedAt": "begin of the meeting; null without one",
                "locked": "whether new people are kept out", "recording": "null when it is off",
                "dominantSpeaker": "uid; null is nobody", "spotlight": "uids, in order",
                "attributes": "attributes of the call, by key", "policy": "the policy of the call",
                "people": "the people, in order of joining",
            ]
        ),
        Object(name: "position", place: "wherever a position stands", keys: ["epoch": "epoch", "seq": "number in it"]),
        Object(
            name: "recording",
            place: "snapshot.recording",
            keys: ["byUID": "who started it", "byName": "their name then", "since": "since when"]
        ),
        Object(
            name: "attribute",
            place: "attributes[]",
            keys: ["key": "key", "value": "value", "encoding": "utf-8, or hex for bytes that are no text"]
        ),
        Object(
            name: "policy",
            place: "snapshot.policy",
            keys: [
                "moderation": "who may moderate: everyone or moderators",
                "standingMute": "whether everybody is, and joins, muted",
                "standingCameraOff": "whether everybody's camera is off", "handsEnabled": "whether hands may be raised",
                "presenters": "how many may share at once: many or one",
                "graceMs": "how long a lost device may come back, in ms",
                "idleMs": "how long a call of at most one person lives, in ms; 0 is for ever",
            ]
        ),
        Object(
            name: "person",
            place: "snapshot.people[]",
            keys: [
                "slot": "number of the record", "uid": "uid", "name": "name", "avatar": "address of a picture",
                "role": "participant or moderator", "audio": "on, or muted when all devices are",
                "video": "on, or off when all cameras are", "presenting": "whether a device shares its screen",
                "hand": "null when it is down", "audioLocked": "whether the microphones are locked",
                "videoLocked": "whether the cameras are locked", "unmuteRequest": "null without one",
                "joinedAt": "when the person came", "attributes": "attributes of the person, by key",
                "devices": "the devices, in order of joining",
            ]
        ),
        Object(
            name: "hand",
            place: "person.hand",
            keys: ["place": "place in the queue, from 1", "since": "when it went up"]
        ),
        Object(
            name: "unmuteRequest",
            place: "person.unmuteRequest",
            keys: ["byUID": "who asks", "until": "when it lapses"]
        ),
        Object(
            name: "device",
            place: "person.devices[]",
            keys: [
                "slot": "number of the record", "device": "id of the device", "connection": "active or reconnecting",
                "reconnectingUntil": "when its grace ends; null when active", "audio": "on or muted",
                "video": "on or off", "presenting": "whether it shares its screen", "joinedAt": "when it came",
                "client": "name of its client",
            ]
        ),
    ]

    private static let streams: [Object] = [
        Object(
            name: "change",
            place: "watch: one line for each change",
            keys: [
                "time": "when it was seen", "position": "the position that it led to",
                "uid": "whose; null for what belongs to the call", "device": "which device; null for all of a person",
                "field": "what, as --field takes it", "key": "which attribute or rule; null elsewhere",
                "old": "value before, in words", "new": "value now, in words",
                "cause": "self, other, relay (or a client outside the roster), merged (several commits) or snapshot",
                "by": "uid of who caused it; null unless the cause is other",
            ]
        ),
        Object(
            name: "ping",
            place: "ping: one line for each ping",
            keys: ["ping": "its number, from 1", "roundTripMs": "time to the answer, in ms"]
        ),
        Object(
            name: "setting",
            place: "set: one line",
            keys: ["session": "session id", "position": "the position at which all of it was so"]
        ),
        Object(
            name: "check",
            place: "verify: one line for each comparison with the relay's digest",
            keys: [
                "time": "when", "position": "where",
                "source": "snapshot, update, ping, or peek (a snapshot beside the call)",
                "digest": "digest of the copy, worked out anew",
                "relayDigest": "digest that the relay gave; null for an update without one",
                "equal": "whether they agree; without relayDigest, whether the copy's running digest agrees",
            ]
        ),
        Object(
            name: "verdict",
            place: "verify: the last line",
            keys: [
                "session": "session id", "equal": "whether every comparison agreed", "position": "where the copy ended",
                "snapshots": "snapshots applied", "updates": "updates applied", "pings": "pings compared",
                "updatesWithoutDigest": "those of the updates that had no digest of the relay",
            ]
        ),
        Object(
            name: "proxy",
            place: "fault: the first line",
            keys: ["listening": "where clients connect", "before": "where their bytes go on to"]
        ),
        Object(
            name: "passed",
            place: "fault: the last line",
            keys: [
                "connections": "how many clients connected", "bytesToRelay": "bytes that were passed on to the relay",
                "bytesFromRelay": "bytes that were passed on from the relay",
            ]
        ),
        Object(
            name: "frame",
            place: "decode: one line for each frame",
            keys: [
                "offset": "where the frame begins, in bytes", "length": "bytes of the message",
                "from": "client or relay", "frame": "kind of frame, as in rollcall.proto",
                "message": "its fields, as in rollcall.proto; numbers that are times in ms",
                "error": "null when it is right",
            ]
        ),
    ]

    /// The keys as lines of help.
    package static var help: [String] {
        all.flatMap { object in
            ["", "\(object.name) (\(object.place))"]
                + object.keys.map { "  " + padded($0.key, 18) + "  " + $0.value }
        }
    }
}
