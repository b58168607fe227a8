import CallState
import Testing

@Suite struct AttendanceTests {
    private typealias Interval = Attendance.Interval

    private func begun() -> Attendance {
        var attendance = Attendance()
        attendance.beginMeeting("m-1", at: 0)
        return attendance
    }

    @Test("presence is from joining to leaving, in video and audio time")
    func simple() throws {
        var attendance = begun()
        attendance.join(uid: "ana", name: "Ana", device: "d", videoPaused: true, at: 100)
        attendance.setVideoPaused(false, uid: "ana", device: "d", at: 200)
        attendance.setVideoPaused(true, uid: "ana", device: "d", at: 250)
        attendance.leave(uid: "ana", device: "d", at: 400)
        attendance.join(uid: "ana", name: "", device: "d", videoPaused: false, at: 600)
        let ana = try #require(attendance.person(uid: "ana"))
        #expect(ana.name == "Ana" && ana.devices.map(\.id) == ["d"])
        #expect(ana.intervals(now: 700) == [Interval(from: 100, to: 400), Interval(from: 600, to: 700)])
        #expect(ana.cameraIntervals(now: 700) == [Interval(from: 200, to: 250), Interval(from: 600, to: 700)])
        #expect(ana.duration(now: 700) == 400 && ana.video(now: 700) == 150 && ana.audio(now: 700) == 250)
    }

    @Test("two devices at once count once")
    func union() throws {
        var attendance = begun()
        attendance.join(uid: "ana", name: "", device: "a", videoPaused: false, at: 100)
        attendance.join(uid: "ana", name: "", device: "b", videoPaused: false, at: 150)
        attendance.setVideoPaused(true, uid: "ana", device: "a", at: 200)
        attendance.leave(uid: "ana", device: "a", at: 300)
        attendance.leave(uid: "ana", device: "b", at: 350)
        let ana = try #require(attendance.person(uid: "ana"))
        #expect(ana.intervals(now: 999) == [Interval(from: 100, to: 350)])
        #expect(ana.video(now: 999) == 250 && ana.audio(now: 999) == 0)
        #expect(ana.devices[0].intervals(now: 999) == [Interval(from: 100, to: 300)])
        #expect(ana.devices[0].cameraIntervals(now: 999) == [Interval(from: 100, to: 200)])
    }

    @Test("R-102: an interval ends where the link was lost; a resume closes the gap")
    func lostLinks() throws {
        var attendance = begun()
        for uid: ByteString in ["back", "gone"] {
            attendance.join(uid: uid, name: "", device: "d", videoPaused: false, at: 100)
            attendance.loseLink(uid: uid, device: "d", at: 200)
            attendance.loseLink(uid: uid, device: "d", at: 220)
        }
        #expect(attendance.person(uid: "back")?.duration(now: 230) == 100)
        attendance.restoreLink(uid: "back", device: "d")
        attendance.restoreLink(uid: "back", device: "d")
        attendance.leave(uid: "back", device: "d", at: 300)
        attendance.leave(uid: "gone", device: "d", at: 215)
        #expect(attendance.person(uid: "back")?.intervals(now: 999) == [Interval(from: 100, to: 300)])
        #expect(attendance.person(uid: "back")?.video(now: 999) == 200)
        #expect(attendance.person(uid: "gone")?.intervals(now: 999) == [Interval(from: 100, to: 200)])
        #expect(attendance.person(uid: "gone")?.video(now: 999) == 100)
    }

    @Test("a camera that changes while the link is lost counts from the loss")
    func cameraWhileLost() {
        var attendance = begun()
        attendance.join(uid: "a", name: "", device: "d", videoPaused: false, at: 0)
        attendance.join(uid: "b", name: "", device: "d", videoPaused: true, at: 0)
        for uid: ByteString in ["a", "b"] { attendance.loseLink(uid: uid, device: "d", at: 100) }
        attendance.setVideoPaused(true, uid: "a", device: "d", at: 120)
        attendance.setVideoPaused(false, uid: "b", device: "d", at: 120)
        for uid: ByteString in ["a", "b"] { attendance.restoreLink(uid: uid, device: "d") }
        #expect(attendance.person(uid: "a")?.video(now: 300) == 100)
        #expect(attendance.person(uid: "a")?.audio(now: 300) == 200)
        #expect(attendance.person(uid: "b")?.video(now: 300) == 200)
    }

    @Test("the end of the meeting ends what runs")
    func ending() {
        var attendance = begun()
        attendance.join(uid: "a", name: "", device: "d", videoPaused: true, at: 10)
        attendance.join(uid: "a", name: "", device: "d", videoPaused: true, at: 20)
        attendance.startRecording(byUID: "a", at: 30)
        attendance.endMeeting(at: 100)
        attendance.stopRecording(at: 200)
        attendance.setVideoPaused(false, uid: "a", device: "d", at: 200)
        attendance.leave(uid: "nobody", device: "d", at: 200)
        #expect(attendance.person(uid: "a")?.intervals(now: 999) == [Interval(from: 10, to: 100)])
        #expect(attendance.recordings.map(\.to) == [100] && attendance.recordings[0].from == 30)
        #expect(attendance.meetingID == "m-1" && attendance.startedAt == 0 && attendance.endedAt == 100)
        attendance.beginMeeting("m-2", at: 500)
        #expect(attendance.people.isEmpty && attendance.endedAt == nil && attendance.recordings.isEmpty)
    }

    @Test("unions are ascending, apart and not empty")
    func unions() {
        let intervals = [(5, 9), (1, 3), (3, 4), (8, 12), (20, 20), (30, 25)].map { Interval(from: $0, to: $1) }
        let union = Attendance.union(intervals)
        #expect(union == [Interval(from: 1, to: 4), Interval(from: 5, to: 12)])
        #expect(Attendance.length(union) == 10)
    }

    @Test(
        "R-49 R-102: the events of every commit give the log that a plain count per tick gives",
        arguments: Seeds.take(8)
    )
    func events(seed: UInt64) {
        let states = RandomHistory(seed: seed, commits: 80).states
        var attendance = Attendance()
        var expected: [ByteString: (present: UInt64, video: UInt64)] = [:]
        var lost: Set<ByteString> = []
        for (index, pair) in zip(states, states.dropFirst()).enumerated() {
            let (old, new) = pair
            let at = UInt64(index + 1) * 10
            for event in difference(old, new) {
                if case .meetingBegan = event { expected = [:] }
                attendance.record(event, at: at)
            }
            // Lost links end intervals in hindsight, so only what never lost its link in this history is counted here.
            for person in new.people where new.call.meetingID == attendance.meetingID {
                expected[person.uid, default: (0, 0)].present += 10
                if !person.aggregate.isVideoPaused { expected[person.uid, default: (0, 0)].video += 10 }
            }
            for person in new.people where person.devices.contains(where: { $0.link == .reconnecting }) {
                lost.insert(person.uid)
            }
            for (uid, time) in expected where !lost.contains(uid) {
                let log = attendance.person(uid: uid)
                #expect(log?.duration(now: at + 10) == time.present, "seed \(seed), \(uid) at \(new.position)")
                #expect(log?.video(now: at + 10) == time.video, "seed \(seed), \(uid) at \(new.position)")
            }
        }
    }
}
