import CallState
import Testing

/// The projection against a model of its own over random lives of a call.
@Suite struct AttendanceLawTests {
    @Test("R-49 R-102 R-115: the commits give what a plain look at every state gives", arguments: Seeds.take(12))
    func model(seed: UInt64) throws {
        let history = RandomHistory(seed: seed, commits: 90)
        var log = AttendanceLog()
        var changes: [AttendanceChange] = []
        for index in history.states.indices.dropFirst() {
            let state = history.states[index]
            if state.lastCommitChangesAttendance {
                state.appendAttendanceChanges(to: &changes)
                log.record(changes, of: "standup", at: history.times[index])
                changes = []
            }
            guard index % 9 == 0 || index == history.states.count - 1 else { continue }
            let now = history.times[index] + 7
            let model = AttendanceModel(history.states[...index], history.times[...index], now: now)
            let report = try log.report(AttendanceQuery(), at: now, budget: .max)
            try compare(report, with: model, state, "seed \(seed) at \(state.position)")
        }
    }

    private func compare(
        _ report: AttendanceReport,
        with model: AttendanceModel,
        _ state: CallState,
        _ place: Comment
    ) throws {
        #expect(Set(report.meetings.map(\.meeting)) == Set(model.stretches.map(\.meeting)), place)
        for meeting in report.meetings {
            let isRunning = meeting.meeting == state.call.meetingID
            #expect((meeting.endedAt == nil) == isRunning, place)
            #expect(Set(meeting.people.map(\.uid)) == Set(model.of(meeting.meeting).map(\.uid)), place)
            for person in meeting.people {
                let stretches = model.of(meeting.meeting, person.uid)
                #expect(person.duration == AttendanceModel.length(stretches), place)
                #expect(person.video == AttendanceModel.length(stretches.filter(\.camera)), place)
                #expect(person.audio == person.duration &- person.video, place)
                #expect(person.joinedAt == stretches.map(\.from).min(), place)
                let isIn = isRunning && state.person(uid: person.uid) != nil
                #expect(person.leftAt == (isIn ? nil : stretches.map(\.to).max()), place)
                #expect(Set(person.devices.map(\.device)) == Set(stretches.map(\.device)), place)
                for device in person.devices {
                    compare(device, with: stretches.filter { $0.device == device.device }, place)
                }
            }
            #expect(meeting.duration == meeting.people.reduce(0) { $0 &+ $1.duration }, place)
            #expect(meeting.video == meeting.people.reduce(0) { $0 &+ $1.video }, place)
            #expect(meeting.audio == meeting.duration &- meeting.video, place)
            #expect(meeting.participants == UInt64(meeting.people.count), place)
        }
    }

    private func compare(_ device: DeviceReport, with stretches: [AttendanceModel.Stretch], _ place: Comment) {
        #expect(device.audio &+ device.video == AttendanceModel.length(stretches), place)
        #expect(device.video == AttendanceModel.length(stretches.filter(\.camera)), place)
        #expect(device.joinedAt == stretches.map(\.from).min(), place)
        let known = device.intervals.compactMap { stay in stay.to.map { $0 &- stay.from } }.reduce(0, &+)
        if device.intervals.last?.to != nil, device.intervalsLeftOut == 0 {
            #expect(known == device.audio &+ device.video, place)
        }
    }

    @Test("R-115: events and commits give the same log", arguments: Seeds.take(12))
    func events(seed: UInt64) {
        let history = RandomHistory(seed: seed, commits: 80)
        var byEvents = Attendance()
        var byCommits = Attendance()
        var changes: [AttendanceChange] = []
        for index in history.states.indices.dropFirst() {
            let (old, new) = (history.states[index - 1], history.states[index])
            let at = history.times[index]
            for event in difference(old, new) { byEvents.record(event, at: at) }
            if new.lastCommitChangesAttendance { new.appendAttendanceChanges(to: &changes) }
            // Facts: told twice they do no harm.
            for change in changes + changes.filter(\.isFact) { byCommits.record(change, at: at) }
            changes = []
            let place: Comment = "seed \(seed) at \(new.position)"
            #expect(Seen.all(byEvents, now: at + 5) == Seen.all(byCommits, now: at + 5), place)
            #expect(byEvents.recordings == byCommits.recordings && byEvents.title == byCommits.title, place)
            #expect(byEvents.meetingID == byCommits.meetingID && byEvents.endedAt == byCommits.endedAt, place)
            #expect(byEvents.duration(now: at + 5) == byCommits.duration(now: at + 5), place)
        }
    }

    @Test("R-115: what call logs do not show costs nothing", arguments: Seeds.take(6))
    func quietCommits(seed: UInt64) {
        let history = RandomHistory(seed: seed, commits: 120)
        var quiet = 0
        for (old, new) in zip(history.states, history.states.dropFirst()) {
            let shown = difference(old, new).filter(\.isShown)
            if new.lastCommitChangesAttendance { continue }
            quiet += 1
            #expect(shown.isEmpty, "seed \(seed) at \(new.position): \(shown)")
        }
        #expect(quiet > 10)
    }
}

/// What can be seen of a person.
private struct Seen: Equatable {
    var texts: [ByteString]
    var times: [UInt64?]
    var devices: [[UInt64]]
    var stays: [[PresenceReport]]

    static func all(_ attendance: Attendance, now: UInt64) -> [Seen] {
        attendance.people.map { person in
            Seen(
                texts: [person.uid, person.name, person.avatar] + person.devices.map(\.id),
                times: [person.joinedAt, person.leftAt, person.duration(now: now), person.video(now: now)],
                devices: person.devices.map { [$0.joinedAt, $0.duration(now: now), $0.video(now: now)] },
                stays: person.devices.map(\.intervals)
            )
        }
    }
}

extension AttendanceChange {
    /// Whether it says how something is, and not that something happened.
    fileprivate var isFact: Bool {
        switch self {
        case .began, .ended: false
        default: true
        }
    }
}

extension CallEvent {
    /// Whether call logs show it.
    fileprivate var isShown: Bool {
        switch self {
        case .deviceJoined, .deviceLeft, .deviceVideo, .name, .avatar, .title, .recordingStarted, .recordingStopped,
            .meetingBegan, .meetingEnded:
            true
        // The end of a grace alone is not shown.
        case .deviceLink(_, _, let link): link == .active
        default: false
        }
    }
}
