import CallState
import Rollcall
import RollcallCalls
import TestSupport
import Testing

@Suite("H. Attendance", .timeLimit(.minutes(1)))
struct AttendanceTests {
    @Test("H1: quick reconnects and a takeover are one row and no time twice")
    func quickReconnect() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            for round in 1...3 {
                await ben.network?.cut()
                try await ben.untilRestored(times: round)
            }
            let again = try await stage.join("ben")
            try await ana.catchUp()
            let meeting = try await stage.attendance()
            #expect(meeting.participants.map(\.uid) == ["ana", "ben"])
            let row = try #require(meeting.participants.last)
            #expect(row.devices.map(\.deviceID) == ["phone"] && row.isJoined && row.name == "Ben")
            // A resume closes the gap: it was there all the time.
            #expect(row.devices[0].intervals.count == 1)
            #expect(row.time.duration == meeting.countedUntil - row.joinedAt)
            #expect(again.session.meetingID == meeting.meeting)
        }
    }

    @Test("H1: two devices at once count once for the person, and each for itself")
    func twoDevices() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let phone = try await stage.join("ben", device: "phone")
            let laptop = try await stage.join("ben", device: "laptop")
            try await ana.recorder.until(.joined("ben"))
            await phone.session.leave()
            try await laptop.perform(.pauseVideo)
            let tablet = try await stage.join("ben", device: "tablet")
            await laptop.session.leave()
            await tablet.session.leave()
            try await ana.recorder.until(.left("ben"))
            let row = try #require(try await stage.attendance().participants.last)
            #expect(row.uid == "ben" && row.devices.map(\.deviceID) == ["phone", "laptop", "tablet"])
            let left = try #require(row.leftAt)
            // One of the devices was always there.
            #expect(row.time.duration == left - row.joinedAt)
            for device in row.devices {
                #expect(!device.isJoined && device.intervals.count == 1)
                let length = device.intervals.reduce(0) { $0 + ($1.to ?? left) - $1.from }
                #expect(device.time.duration == length && length <= row.time.duration)
            }
        }
    }

    @Test(
        "H1: who is away longer than the grace is not counted meanwhile, and is still one row",
        arguments: [true, false]
    )
    func away(isSameDevice: Bool) async throws {
        try await Stage.run("--grace", "200ms") { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben", over: stage.network())
            try await ana.recorder.until(.joined("ben"))
            await ben.lose()
            try await ana.recorder.until(.left("ben"))
            let again = isSameDevice ? ben : try await stage.join("ben", device: "laptop")
            if isSameDevice {
                await ben.reconnect()
                try await ben.untilRestored()
            }
            try await ana.recorder.until(.joined("ben"), times: 2)
            await again.session.leave()
            try await ana.recorder.until(.left("ben"), times: 2)
            let meeting = try await stage.attendance()
            let rows = meeting.participants.filter { $0.uid == "ben" }
            #expect(rows.count == 1)
            let row = try #require(rows.first)
            #expect(row.devices.map(\.deviceID) == (isSameDevice ? ["phone"] : ["phone", "laptop"]))
            let intervals = row.devices.flatMap(\.intervals)
            #expect(intervals.count == 2)
            let present = intervals.reduce(0) { $0 + ($1.to ?? 0) - $1.from }
            #expect(row.time.duration == present)
            // Its time ended with the link, not with the grace.
            let left = try #require(row.leftAt)
            #expect(row.time.duration + 200 <= left - row.joinedAt)
            if !isSameDevice { try await ben.untilLost() }
        }
    }

    @Test("H3: the session id is used again: another meeting, and the attendance of the first is kept")
    func usedAgain() async throws {
        try await Stage.run { stage in
            let ana = try await stage.join("ana")
            let ben = try await stage.join("ben")
            try await ana.perform(.startRecording)
            let first = try #require(ana.session.meetingID)
            await ben.session.leave()
            await ana.session.leave()
            let before = try await stage.attendance(of: first)
            #expect(before.endedAt != nil && before.participants.map(\.uid) == ["ana", "ben"])

            try await ben.join()
            let cho = try await stage.join("cho")
            let second = try #require(cho.session.meetingID)
            #expect(second != first && cho.view["ben"] != nil)
            #expect(cho.session.participant(uid: "ben")?.mid == second)
            // Nothing of the first is left in the second.
            #expect(cho.view.recorder == nil && cho.view.uids == ["ben", "cho"])

            let all = try await RollcallClient(stage.relay.address).attendance(AttendanceFilter(session: Stage.call))
            #expect(all.meetings.map(\.meeting) == [second, first])
            #expect(all.meetings.map(\.isRunning) == [true, false])
            let after = try await stage.attendance(of: first)
            #expect(after.participants == before.participants && after.endedAt == before.endedAt)
            #expect(before.recordings.map(\.uid) == ["ana"] && before.recordings[0].to == before.endedAt)
            #expect(all.meetings[0].participants.map(\.uid) == ["ben", "cho"])
        }
    }

    @Test("H3: a meeting that ends by idling, or whose last one is cut off, is kept too", arguments: [true, false])
    func endsByItself(isIdle: Bool) async throws {
        try await Stage.run("--grace", "100ms") { stage in
            let ana = try await stage.join("ana", over: stage.network())
            let first = try #require(ana.session.meetingID)
            let server = try await stage.bot()
            if isIdle {
                try await server.setIdle(.milliseconds(50))
                try await ana.recorder.until(.sessionTimedOut)
            } else {
                await ana.lose()
                try await ana.untilLost()
                for await update in server.updates where update.state.people.isEmpty { break }
                await ana.session.leave()
            }
            let ben = try await stage.join("ben")
            #expect(ben.session.meetingID != first)
            let kept = try await stage.attendance(of: first)
            #expect(kept.participants.map(\.uid) == ["ana"] && kept.endedAt != nil)
            // The time of who is cut off ends with the link, the meeting with the grace.
            let left = try #require(kept.participants[0].leftAt)
            let end = try #require(kept.endedAt)
            #expect(isIdle ? left == end : left + 100 <= end)
        }
    }
}

extension Stage {
    /// What the relay has recorded of a meeting, the latest unless it is named.
    fileprivate func attendance(of meeting: String? = nil) async throws -> MeetingAttendance {
        let filter = AttendanceFilter(session: Stage.call, meeting: meeting)
        let page = try await RollcallClient(relay.address).attendance(filter)
        guard let meeting = page.meetings.first else { throw Failure("the relay has recorded no such meeting") }
        return meeting
    }
}
