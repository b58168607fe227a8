import CallState
import Testing

/// Who was there and when, event by event; AttendanceLawTests compares random lives with a model.
@Suite struct AttendanceTests {
    private func begun() -> Attendance {
        var attendance = Attendance()
        attendance.beginMeeting("m-1", at: 0)
        return attendance
    }

    private func stays(_ pairs: (UInt64, UInt64?)...) -> [PresenceReport] {
        pairs.map { PresenceReport(from: $0.0, to: $0.1) }
    }

    @Test("R-115: presence is from joining to leaving, in video and audio time")
    func simple() throws {
        var attendance = begun()
        attendance.join(uid: "ana", name: "Ana", device: "d", videoPaused: true, at: 100)
        attendance.setVideoPaused(false, uid: "ana", device: "d", at: 200)
        attendance.setVideoPaused(true, uid: "ana", device: "d", at: 250)
        #expect(attendance.person(uid: "ana")?.leftAt == nil)
        attendance.leave(uid: "ana", device: "d", at: 400)
        #expect(attendance.person(uid: "ana")?.leftAt == 400)
        #expect(attendance.person(uid: "ana")?.isPresent == false)
        attendance.join(uid: "ana", name: "", device: "d", videoPaused: false, at: 600)
        let ana = try #require(attendance.person(uid: "ana"))
        #expect(ana.name == "Ana" && ana.devices.map(\.id) == ["d"] && ana.joinedAt == 100 && ana.leftAt == nil)
        #expect(ana.devices[0].intervals == stays((100, 400), (600, nil)))
        #expect(ana.duration(now: 700) == 400 && ana.video(now: 700) == 150 && ana.audio(now: 700) == 250)
        #expect(ana.devices[0].duration(now: 700) == 400 && ana.devices[0].video(now: 700) == 150)
        #expect(attendance.deviceCount == 1 && attendance.rowCount == 1)
    }

    @Test("R-115: two devices at once count once, and each has its row")
    func union() throws {
        var attendance = begun()
        attendance.join(uid: "ana", name: "", device: "a", videoPaused: false, at: 100)
        attendance.join(uid: "ana", name: "", device: "b", videoPaused: false, at: 150)
        attendance.setVideoPaused(true, uid: "ana", device: "a", at: 200)
        attendance.leave(uid: "ana", device: "a", at: 300)
        attendance.leave(uid: "ana", device: "b", at: 350)
        let ana = try #require(attendance.person(uid: "ana"))
        #expect(ana.duration(now: 999) == 250 && ana.video(now: 999) == 250 && ana.audio(now: 999) == 0)
        #expect(ana.devices[0].intervals == stays((100, 300)))
        #expect(ana.devices[0].video(now: 999) == 100 && ana.devices[0].audio(now: 999) == 100)
        #expect(ana.devices[1].duration(now: 999) == 200 && ana.leftAt == 350)
        #expect(attendance.duration(now: 999) == 250 && attendance.deviceCount == 2)
    }

    @Test("R-102 R-115: an interval ends where the link was lost; a resume closes the gap")
    func lostLinks() {
        var attendance = begun()
        let uids: [ByteString] = ["back", "gone"]
        for uid in uids { attendance.join(uid: uid, name: "", device: "d", videoPaused: false, at: 100) }
        for uid in uids { attendance.loseLink(uid: uid, device: "d", at: 200) }
        for uid in uids { attendance.loseLink(uid: uid, device: "d", at: 220) }
        #expect(attendance.person(uid: "back")?.duration(now: 230) == 100)
        #expect(attendance.person(uid: "back")?.leftAt == nil)
        attendance.restoreLink(uid: "back", device: "d", at: 240)
        attendance.restoreLink(uid: "back", device: "d", at: 250)
        attendance.leave(uid: "back", device: "d", at: 300)
        attendance.leave(uid: "gone", device: "d", at: 315)
        #expect(attendance.person(uid: "back")?.devices[0].intervals == stays((100, 300)))
        #expect(attendance.person(uid: "back")?.video(now: 999) == 200)
        #expect(attendance.person(uid: "gone")?.devices[0].intervals == stays((100, 200)))
        #expect(attendance.person(uid: "gone")?.video(now: 999) == 100)
        #expect(attendance.person(uid: "gone")?.leftAt == 200)
        #expect(attendance.duration(now: 999) == 300)
    }

    @Test("R-115: of two gaps that overlap, each moment counts once")
    func overlappingGaps() {
        var attendance = begun()
        for (device, lost) in [("a", 100), ("b", 150)] as [(ByteString, UInt64)] {
            attendance.join(uid: "ana", name: "", device: device, videoPaused: false, at: 0)
            attendance.loseLink(uid: "ana", device: device, at: lost)
        }
        attendance.restoreLink(uid: "ana", device: "a", at: 200)
        attendance.restoreLink(uid: "ana", device: "b", at: 300)
        #expect(attendance.person(uid: "ana")?.duration(now: 300) == 300)
        #expect(attendance.person(uid: "ana")?.video(now: 300) == 300)

        // The gap of b begins inside that of a, and goes on when a is lost again.
        attendance = begun()
        attendance.join(uid: "ana", name: "", device: "a", videoPaused: false, at: 0)
        attendance.loseLink(uid: "ana", device: "a", at: 100)
        attendance.join(uid: "ana", name: "", device: "b", videoPaused: false, at: 120)
        attendance.loseLink(uid: "ana", device: "b", at: 130)
        attendance.restoreLink(uid: "ana", device: "a", at: 150)
        attendance.loseLink(uid: "ana", device: "a", at: 160)
        attendance.restoreLink(uid: "ana", device: "b", at: 200)
        #expect(attendance.person(uid: "ana")?.duration(now: 200) == 200)
        #expect(attendance.person(uid: "ana")?.video(now: 200) == 200)
    }

    @Test("R-115: a camera that changes while the link is lost counts from the loss")
    func cameraWhileLost() {
        var attendance = begun()
        attendance.join(uid: "a", name: "", device: "d", videoPaused: false, at: 0)
        attendance.join(uid: "b", name: "", device: "d", videoPaused: true, at: 0)
        for uid: ByteString in ["a", "b"] { attendance.loseLink(uid: uid, device: "d", at: 100) }
        attendance.setVideoPaused(true, uid: "a", device: "d", at: 120)
        attendance.setVideoPaused(false, uid: "b", device: "d", at: 120)
        for uid: ByteString in ["a", "b"] { attendance.restoreLink(uid: uid, device: "d", at: 150) }
        #expect(attendance.person(uid: "a")?.video(now: 300) == 100)
        #expect(attendance.person(uid: "a")?.audio(now: 300) == 200)
        #expect(attendance.person(uid: "b")?.video(now: 300) == 200)
        #expect(attendance.video(now: 300) == 300 && attendance.audio(now: 300) == 300)
    }

    @Test("R-115: the end of the meeting ends what runs")
    func ending() {
        var attendance = begun()
        attendance.join(uid: "a", name: "", device: "d", videoPaused: true, at: 10)
        attendance.join(uid: "a", name: "", device: "d", videoPaused: true, at: 20)
        attendance.startRecording(byUID: "a", byName: "A", at: 30)
        attendance.endMeeting(at: 100)
        attendance.stopRecording(at: 200)
        attendance.setVideoPaused(false, uid: "a", device: "d", at: 200)
        attendance.leave(uid: "nobody", device: "d", at: 200)
        attendance.join(uid: "late", name: "", device: "d", videoPaused: true, at: 200)
        attendance.startRecording(byUID: "a", byName: "A", at: 210)
        attendance.endMeeting(at: 300)
        #expect(attendance.person(uid: "a")?.devices[0].intervals == stays((10, 20), (20, 100)))
        #expect(attendance.person(uid: "a")?.duration(now: 999) == 90)
        #expect(attendance.recordings.map(\.to) == [100] && attendance.recordings[0].from == 30)
        #expect(attendance.meetingID == "m-1" && attendance.startedAt == 0 && attendance.endedAt == 100)
        #expect(attendance.people.count == 1)
        attendance.beginMeeting("m-2", at: 500)
        #expect(attendance.people.isEmpty && attendance.endedAt == nil && attendance.recordings.isEmpty)
    }

    @Test("R-115: a time that goes back counts as the latest before it")
    func timesThatGoBack() {
        var attendance = begun()
        attendance.join(uid: "a", name: "", device: "d", videoPaused: false, at: 1_000)
        attendance.loseLink(uid: "a", device: "d", at: 500)
        attendance.restoreLink(uid: "a", device: "d", at: 400)
        attendance.leave(uid: "a", device: "d", at: 0)
        #expect(attendance.person(uid: "a")?.duration(now: 0) == 0 && attendance.duration(now: 0) == 0)
        attendance.join(uid: "a", name: "", device: "d", videoPaused: false, at: 0)
        #expect(attendance.duration(now: 0) == 0 && attendance.duration(now: 1_300) == 300)
        attendance.leave(uid: "a", device: "d", at: .max)
        #expect(attendance.duration(now: .max) == UInt64.max - 1_000)
    }

    @Test("R-115: what somebody leaves out of is bounded, and the times have all of it")
    func bounded() throws {
        var attendance = begun()
        for turn in 0..<200 as Range<UInt64> {
            attendance.join(uid: "a", name: "", device: "d", videoPaused: false, at: turn * 10)
            attendance.leave(uid: "a", device: "d", at: turn * 10 + 5)
            attendance.startRecording(byUID: "a", byName: "", at: turn * 10 + 5)
            attendance.join(uid: "b", name: "", device: ByteString("d\(turn)"), videoPaused: true, at: turn * 10 + 5)
            if turn > 0 { attendance.leave(uid: "b", device: ByteString("d\(turn)"), at: turn * 10 + 8) }
        }
        let a = try #require(attendance.person(uid: "a"))
        let b = try #require(attendance.person(uid: "b"))
        #expect(a.devices[0].intervals.count == Attendance.DeviceLog.maximumIntervals)
        #expect(a.devices[0].intervalsLeftOut == 168 && a.devices[0].intervals.last?.from == 1_990)
        #expect(a.duration(now: 5_000) == 1_000 && a.devices[0].video(now: 5_000) == 1_000)
        // The first device is still in, and keeps its row.
        #expect(b.devices.count == Attendance.PersonLog.maximumDevices && b.devicesLeftOut == 168)
        #expect(b.devices[0].id == "d0" && b.devices[0].isPresent && b.duration(now: 5_000) == 4_995)
        #expect(attendance.recordings.count == Attendance.maximumRecordings && attendance.recordingsLeftOut == 168)
        #expect(attendance.rowCount == 1 + 32 && attendance.deviceCount == 201)
    }
}
