/// The messages of `rollcall.proto` as a table, to show frames field by field; a test holds it equal to the file.
enum WireSchema {
    /// A field of a message.
    struct Field: Hashable, Sendable {
        var name: String
        /// `uint32`, `string`, or the name of a message or enumeration.
        var type: String
        var isRepeated: Bool
    }

    /// What is under a name: the fields of a message, or the names of an enumeration's values.
    struct Definition: Sendable {
        var isEnumeration: Bool
        var fields: [UInt32: Field]
    }

    static let definitions: [String: Definition] = {
        var definitions: [String: Definition] = [:]
        for line in unwrapped {
            let parts = line.split(separator: ":", maxSplits: 1)
            let head = parts[0].split(separator: " ")
            var definition = Definition(isEnumeration: head[0] == "enum", fields: [:])
            for item in parts[1].split(separator: ",") {
                let words = item.split(separator: " ")
                guard let number = UInt32(words[0]) else { preconditionFailure("no number in \(item)") }
                definition.fields[number] = Field(
                    name: String(words[1]),
                    type: definition.isEnumeration ? "" : String(words[words.count - 1]),
                    isRepeated: words.count == 4
                )
            }
            definitions[String(head[1])] = definition
        }
        return definitions
    }()

    /// One line for each definition: continued lines are indented.
    private static var unwrapped: [String] {
        text.split(separator: "\n").reduce(into: []) { lines, line in
            if line.first == " " { lines[lines.count - 1] += line } else { lines.append(String(line)) }
        }
    }

    private static let text = """
        message ClientFrame: 1 hello Hello, 2 join Join, 3 command Command, 4 speaking Speaking, 5 pong Pong,
            6 resync Resync, 7 leave Leave, 8 authenticate Authenticate, 9 peek Peek, 10 list List,
            11 inspect Inspect, 12 attendance Attendance
        message ServerFrame: 1 welcome Welcome, 2 joined Joined, 3 snapshot Snapshot, 4 part SnapshotPart,
            5 delta Delta, 6 ack Ack, 7 ping Ping, 8 notice Notice, 9 closed Closed, 10 error Error,
            11 calls CallList, 12 connections ConnectionList, 13 attendance AttendanceReport
        message Hello: 1 min_version uint32, 2 max_version uint32, 3 client_name string, 4 instance bytes
        message Join: 1 session_id string, 2 token string, 3 uid string, 4 device string, 5 attempt uint64,
            6 mode JoinMode, 7 name string, 8 avatar string, 9 audio_muted bool, 10 video_paused bool,
            11 presenting bool, 12 attributes repeated Attribute, 13 resume Resume, 14 idle_ms uint64,
            15 grace_ms uint64, 16 role Role, 17 view uint32
        enum JoinMode: 0 participant, 1 observer
        message Resume: 1 secret bytes, 2 position Position, 3 digest fixed64
        message Command: 1 op uint64, 2 settings repeated Setting
        message Setting: 1 target Target, 2 audio_muted bool, 3 video_paused bool, 4 presenting bool,
            5 hand_raised bool, 6 name string, 7 avatar string, 8 attribute Attribute, 9 role Role,
            10 audio_locked bool, 11 video_locked bool, 12 unmute_request_ms uint64, 13 removed bool,
            14 recording bool, 15 spotlight UidList, 16 title string, 17 call_attribute Attribute,
            18 call_locked bool, 19 moderation Moderation, 20 standing_mute bool, 21 standing_camera_off bool,
            22 hands_enabled bool, 23 presenters Presenters, 24 grace_ms uint64, 25 idle_ms uint64,
            26 bring_in BringIn, 27 take_out LeaveReason, 28 dominant_speaker DominantSpeaker
        message Target: 1 uid string, 2 device string, 3 everyone bool
        message Attribute: 1 key string, 2 value bytes
        message UidList: 1 uids repeated string
        message BringIn: 1 name string, 2 avatar string, 3 audio_muted bool, 4 video_paused bool,
            5 presenting bool, 6 role Role
        message DominantSpeaker: 1 uid string
        message Speaking: 1 on bool, 2 target Target
        message Pong: 1 position Position, 2 time uint64
        message Resync: 1 position Position, 2 reason ResyncReason
        enum ResyncReason: 0 unspecified, 1 gap, 2 epoch, 3 digest, 4 unknown_slot, 5 ahead, 6 invalid
        message Leave: 1 reason LeaveReason
        enum LeaveReason: 0 unspecified, 1 left, 2 lost, 3 removed, 4 ended, 5 expired
        message Authenticate: 1 token string
        message Peek: 1 session_id string, 2 request uint64
        message List: 1 request uint64, 2 after string
        message Inspect: 1 request uint64, 2 after uint64
        message Attendance: 1 request uint64, 2 filter AttendanceFilter, 3 page AttendancePage
        message AttendanceFilter: 1 session_id string, 2 meeting_id string, 3 uid string, 4 since uint64,
            5 until uint64, 6 progress MeetingProgress, 7 recording RecordingChoice
        enum MeetingProgress: 0 any, 1 running, 2 ended
        enum RecordingChoice: 0 any, 1 with, 2 without
        message AttendancePage: 1 limit uint32, 2 cursor bytes, 3 newer bool, 4 people PeopleChoice,
            5 first_person uint64
        enum PeopleChoice: 0 all, 1 matching, 2 none
        message Position: 1 epoch uint64, 2 seq uint64
        message Welcome: 1 version uint32, 2 relay_id string, 3 ping_ms uint64, 4 dead_after_ms uint64,
            5 limits Limits
        message Limits: 1 frame uint64, 2 unacknowledged uint64, 3 settings uint64, 4 attributes uint64,
            5 attribute_value uint64, 6 people uint64
        message Joined: 1 outcome Outcome, 2 incarnation uint64, 3 attachment uint64, 4 secret bytes,
            5 last_op uint64, 6 rights uint32, 7 person_slot uint32, 8 device_slot uint32, 9 position Position,
            10 follows Follows, 11 view uint32
        enum Outcome: 0 new, 1 resumed, 2 expired, 3 replaced, 4 observer
        enum Follows: 0 nothing, 1 delta, 2 snapshot
        message Snapshot: 1 position Position, 2 reason SnapshotReason, 3 request uint64
        enum SnapshotReason: 0 join, 1 below_floor, 2 epoch, 3 unknown_position, 4 digest, 5 lagged, 6 requested
        message SnapshotPart: 1 records repeated Record, 2 end SnapshotEnd
        message SnapshotEnd: 1 live_records uint64, 2 digest fixed64
        message Delta: 1 to_seq uint64, 2 to_epoch uint64, 3 from_seq uint64, 4 from_epoch uint64,
            5 records repeated Record, 6 actor uint32, 7 op uint64, 8 digest fixed64
        message Ack: 1 op uint64, 2 code uint32, 3 position Position, 4 text string, 5 after_ms uint64
        message Ping: 1 position Position, 2 time uint64, 3 digest fixed64
        enum Advice: 0 never, 1 now, 2 after, 3 reauthenticate
        message Notice: 1 code uint32, 2 text string
        message Closed: 1 code uint32, 2 text string, 3 advice Advice, 4 after_ms uint64
        message Error: 1 code uint32, 2 text string, 3 advice Advice, 4 after_ms uint64, 5 request uint64
        message CallList: 1 request uint64, 2 calls repeated CallSummary, 3 more bool
        message CallSummary: 1 session_id string, 2 meeting_id string, 3 position Position, 4 people uint64,
            5 devices uint64, 6 observers uint64, 7 hands uint64, 8 recording bool, 9 started_at uint64,
            10 title string
        message ConnectionList: 1 request uint64, 2 connections repeated ConnectionInfo, 3 more bool
        message ConnectionInfo: 1 number uint64, 2 session_id string, 3 uid string, 4 device string,
            5 mode JoinMode, 6 opened_at uint64, 7 attached_at uint64, 8 cursor Position, 9 lag uint64,
            10 in_flight uint64, 11 round_trip_ms uint64, 12 writes uint64, 13 merged uint64,
            14 client_name string, 15 turns uint64, 16 held_most uint64
        message AttendanceReport: 1 request uint64, 2 at uint64, 3 meetings repeated MeetingLog, 4 older bytes,
            5 newer bytes, 6 more bool
        message MeetingLog: 1 session_id string, 2 meeting_id string, 3 title string, 4 started_at uint64,
            5 ended_at uint64, 6 participants uint64, 7 devices uint64, 8 audio_ms uint64, 9 video_ms uint64,
            10 duration_ms uint64, 11 recordings repeated RecordingLog, 12 recordings_left_out uint64,
            13 people repeated PersonLog, 14 first_person uint64, 15 more_people bool, 16 devices_not_kept uint64
        message RecordingLog: 1 by_uid string, 2 by_name string, 3 started_at uint64, 4 ended_at uint64
        message PersonLog: 1 uid string, 2 name string, 3 avatar string, 4 joined_at uint64, 5 left_at uint64,
            6 audio_ms uint64, 7 video_ms uint64, 8 duration_ms uint64, 9 devices repeated DeviceLog,
            10 devices_left_out uint64
        message DeviceLog: 1 device string, 2 joined_at uint64, 3 present bool, 4 audio_ms uint64, 5 video_ms uint64,
            6 intervals repeated Stay, 7 intervals_left_out uint64
        message Stay: 1 started_at uint64, 2 ended_at uint64
        message Record: 1 slot uint32, 2 call CallFields, 3 policy PolicyFields, 4 person PersonFields,
            5 device DeviceFields, 14 removed Removed, 15 cleared repeated uint32, 16 entries repeated Entry
        message Entry: 1 field uint32, 2 key string, 3 value bytes
        message Removed: 1 at uint64, 2 reason LeaveReason
        message CallFields: 1 meeting_id string, 2 started_at uint64, 3 title string, 4 recording Recording,
            5 dominant_speaker uint32, 6 spotlight SlotList, 7 locked bool
        message Recording: 1 by_uid string, 2 by_name string, 3 since uint64
        message SlotList: 1 slots repeated uint32
        message PolicyFields: 1 moderation Moderation, 2 standing_mute bool, 3 standing_camera_off bool,
            4 hands_enabled bool, 5 presenters Presenters, 6 grace_ms uint64, 7 idle_ms uint64
        enum Moderation: 0 everyone, 1 moderators
        enum Presenters: 0 many, 1 one
        message PersonFields: 1 uid string, 2 name string, 3 avatar string, 4 role Role, 5 hand Hand,
            6 audio_locked bool, 7 video_locked bool, 8 unmute_request UnmuteRequest, 9 joined_at uint64
        enum Role: 0 participant, 1 moderator
        message Hand: 1 version uint64, 2 at uint64
        message UnmuteRequest: 1 by_uid string, 2 until uint64
        message DeviceFields: 1 person uint32, 2 device string, 3 connection Connection, 4 audio_muted bool,
            5 video_paused bool, 6 presenting bool, 7 joined_at uint64, 8 client_name string,
            9 reconnecting_until uint64
        enum Connection: 0 active, 1 reconnecting
        """
}

/// A field as `name: type`, or the name of an enumeration's value; for the test that reads `rollcall.proto`.
package func wireField(_ number: UInt32, of definition: String) -> String? {
    guard let found = WireSchema.definitions[definition], let field = found.fields[number] else { return nil }
    return found.isEnumeration ? field.name : "\(field.name): \(field.isRepeated ? "repeated " : "")\(field.type)"
}

/// The number of fields and values of all definitions; for the test that reads `rollcall.proto`.
package var wireFieldCount: Int { WireSchema.definitions.values.reduce(0) { $0 + $1.fields.count } }
