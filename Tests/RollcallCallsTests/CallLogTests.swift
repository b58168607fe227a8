import Foundation
import Testing

@testable import Rollcall
@testable import RollcallCalls

@Suite("Call logs as values")
struct CallLogTests {
    /// A minute in ms, from a time that has whole seconds.
    private static let start: UInt64 = 1_700_000_000_500
    private static func at(_ minutes: UInt64) -> UInt64 { start + minutes * 60_000 }

    private func device(
        _ id: String,
        from: UInt64,
        to: UInt64?,
        audio: UInt64,
        video: UInt64 = 0
    ) -> DeviceAttendance {
        DeviceAttendance(
            deviceID: id,
            joinedAt: Self.at(from),
            isJoined: to == nil,
            time: .init(audio: audio * 60_000, video: video * 60_000),
            intervals: [.init(from: Self.at(from), to: to.map(Self.at))],
            intervalsLeftOut: 0
        )
    }

    private func person(
        _ uid: String,
        _ name: String,
        from: UInt64,
        to: UInt64?,
        audio: UInt64,
        video: UInt64 = 0,
        devices: [DeviceAttendance]
    ) -> ParticipantAttendance {
        ParticipantAttendance(
            uid: uid,
            name: name,
            avatar: name.isEmpty ? "" : "\(uid).png",
            joinedAt: Self.at(from),
            leftAt: to.map(Self.at),
            time: .init(audio: audio * 60_000, video: video * 60_000),
            devices: devices,
            devicesLeftOut: 0
        )
    }

    /// Ten minutes: Ana with two devices at once and one camera, Ben who is still there.
    private func meeting() -> MeetingAttendance {
        let phone = device("phone", from: 0, to: 5, audio: 4)
        let laptop = device("laptop", from: 2, to: 5, audio: 1, video: 2)
        let desk = device("desk", from: 1, to: nil, audio: 9)
        return MeetingAttendance(
            session: "standup",
            meeting: "m-1",
            title: "Plans",
            startedAt: Self.at(0),
            endedAt: nil,
            participantCount: 2,
            deviceCount: 3,
            time: .init(audio: 720_000, video: 120_000),
            recordings: [
                .init(uid: "ana", name: "Ana", from: Self.at(1), to: Self.at(2)),
                .init(uid: "ben", name: "", from: Self.at(9), to: nil),
            ],
            recordingsLeftOut: 3,
            participants: [
                person("ana", "Ana", from: 0, to: 5, audio: 3, video: 2, devices: [phone, laptop]),
                person("ben", "", from: 1, to: nil, audio: 9, devices: [desk]),
            ],
            devicesNotKept: 0,
            countedUntil: Self.at(10)
        )
    }

    @Test("A log has the person's union, and a row for each device")
    func rows() {
        let log = CallLog(meeting())
        #expect(log.participants.map(\.uid) == ["ana", "ben"] && log.totalParticipants == 2)
        let ana = log.participants[0]
        #expect(ana.totalDurationInMinutes == 5 && ana.totalAudioMinutes == 3 && ana.totalVideoMinutes == 2)
        #expect(ana.joinedAt == 1_700_000_000 && ana.leftAt == 1_700_000_300 && ana.state == "ended")
        #expect(ana.deviceID == nil && ana.name == "Ana" && ana.avatar == "ana.png" && ana.mid == "m-1")
        let ben = log.participants[1]
        #expect(ben.deviceID == "desk" && ben.leftAt == 0 && ben.state == "ongoing" && ben.name == nil)
        #expect(log.participantDevices.map(\.deviceID) == ["phone", "laptop", "desk"])
        #expect(log.participantDevices.map(\.totalDurationInMinutes) == [4, 3, 9])
        #expect(log.participantDevices.map(\.leftAt) == [1_700_000_300, 1_700_000_300, 0])
        #expect(log.participantDevices.allSatisfy { $0.mid == "m-1" })
    }

    @Test("A relay that says any number does not end the app")
    func hugeNumbers() {
        var meeting = meeting()
        meeting.recordingsLeftOut = .max
        meeting.startedAt = .max
        meeting.countedUntil = .max
        #expect(CallLog(meeting).recordings.map(\.rid) == ["m-1-9223372036854775808", "m-1-9223372036854775809"])
    }

    @Test("A meeting that goes on is counted until now, one that is over to its end")
    func totals() {
        var meeting = meeting()
        let running = CallLog(meeting)
        #expect(running.status == .ongoing && running.endedAt == nil && running.startedAt == 1_700_000_000)
        #expect(running.totalDurationInMinutes == 10 && running.totalDuration == "10:00")
        #expect(running.totalAudioMinutes == 12 && running.totalVideoMinutes == 2)
        #expect(running.participantMinutes.duration == 14, "the sum over people, not the length")
        #expect(running.sessionID == "standup" && running.mid == "m-1" && running.id == "m-1")
        #expect(running.title == "Plans")
        meeting.endedAt = Self.at(90)
        meeting.title = ""
        let ended = CallLog(meeting)
        #expect(ended.status == .ended && ended.endedAt == 1_700_005_400 && ended.totalDuration == "1:30:00")
        #expect(ended.title == nil)
    }

    @Test("Recordings have a begin, an end and a number that stays")
    func recordings() {
        let log = CallLog(meeting())
        #expect(log.hasRecording && log.recordings.map(\.rid) == ["m-1-4", "m-1-5"])
        #expect(log.recordings[0].startTime == 1_700_000_060 && log.recordings[0].endTime == 1_700_000_120)
        #expect(log.recordings.map(\.duration) == [60, 60] && log.recordings[1].endTime == 0)
        #expect(log.recordings.map(\.startedBy) == ["ana", "ben"] && log.recordings[0].recordingURL.isEmpty)
        var meeting = meeting()
        meeting.recordings = []
        #expect(!CallLog(meeting).hasRecording)
    }

    @Test("Times that make no sense come out as nothing, and trap nowhere")
    func hostile() {
        var meeting = meeting()
        meeting.startedAt = .max
        meeting.countedUntil = 0
        meeting.recordings = [.init(uid: "ana", name: "", from: .max, to: 1)]
        meeting.participants[0].devices[0].intervals = []
        let log = CallLog(meeting)
        #expect(log.totalDurationInMinutes == 0 && log.totalDuration == "0:00" && log.recordings[0].duration == 0)
        #expect(log.participantDevices[0].leftAt == 0)
    }

    // MARK: Requests

    /// The error of a fetch that must not get as far as the relay.
    private func refusal(_ builder: CallLogsRequest.CallLogsBuilder) async -> RollcallCallException? {
        do {
            _ = try await builder.build().fetchNext()
            return nil
        } catch {
            return error
        }
    }

    @Test("What is out of range is refused by name")
    func outOfRange() async {
        typealias Builder = CallLogsRequest.CallLogsBuilder
        let wrong: [(Builder, String)] = [
            (Builder().set(limit: 0), "set(limit:)"), (Builder().set(limit: 101), "set(limit:)"),
            (
                Builder().set(from: Date(timeIntervalSince1970: 2)).set(to: Date(timeIntervalSince1970: 2)),
                "set(to:)"
            ),
        ]
        for (builder, setter) in wrong {
            let error = await refusal(builder)
            #expect(error?.errorCode == "ERR_INVALID_SETTING" && error?.errorDescription.contains(setter) == true)
        }
    }

    @Test("A status that no relay knows has no logs")
    func otherStatus() async throws {
        for status in CallStatus.allCases where status != .ongoing && status != .ended {
            let request = CallLogsRequest.CallLogsBuilder().set(callStatus: status).build()
            #expect(try await request.fetchNext().isEmpty)
            #expect(try await request.fetchPrevious().isEmpty)
        }
    }

    @Test("Conditions are asked for as they are said, and an empty text is none")
    func conditions() {
        var filter = CallLogsFilter()
        filter.attendance = AttendanceFilter(session: "s", uid: "u", from: 1_500, to: 2_500, hasRecording: false)
        #expect(
            CallLogsRequest.CallLogsBuilder().set(sessionID: "s").set(uid: "u").set(hasRecording: false)
                .set(from: Date(timeIntervalSince1970: 1.5)).set(to: Date(timeIntervalSince1970: 2.5)).filter == filter
        )
        let empty = CallLogsRequest.CallLogsBuilder().set(sessionID: "").set(uid: "").set(mid: "").filter
        #expect(empty == CallLogsFilter())
        #expect(CallLogsRequest.CallLogsBuilder().set(callStatus: .ongoing).filter.attendance.isRunning == true)
        #expect(CallLogsRequest.CallLogsBuilder().set(callStatus: .ended).filter.attendance.isRunning == false)
        for odd in [-.infinity, -1, .nan] as [Double] {
            let builder = CallLogsRequest.CallLogsBuilder().set(from: Date(timeIntervalSince1970: odd))
            #expect(builder.filter.attendance.from == 0)
        }
        let late = CallLogsRequest.CallLogsBuilder().set(from: Date(timeIntervalSince1970: 1e300))
        #expect(late.filter.attendance.from == (1 << 53) - 1)
    }
}
