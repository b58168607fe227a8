package import Rollcall

/// Call logs for people, programs and spreadsheets.
package struct AttendanceOutput: Sendable {
    /// The meetings, in the order in which they are shown.
    package var meetings: [MeetingAttendance]
    /// Whether each device has a row of its own.
    package var showsDevices: Bool

    /// An output of these meetings.
    package init(_ meetings: [MeetingAttendance], showsDevices: Bool) {
        self.meetings = meetings
        self.showsDevices = showsDevices
    }

    // MARK: For people

    /// A heading and a table for each meeting.
    package func lines(now: UInt64, width: Int?, colors: Bool) -> [String] {
        var lines: [String] = []
        for meeting in meetings {
            if !lines.isEmpty { lines.append("") }
            for (index, text) in heading(meeting, now: now).enumerated() {
                let shown = width.map { text.cut(to: $0) } ?? text
                lines.append((index == 0 ? TextStyle.bold : .faint).apply(shown, colors: colors))
            }
            lines += table(meeting, now: now).lines(width: width, colors: colors)
        }
        return lines
    }

    /// What is said above the table, the call first.
    private func heading(_ meeting: MeetingAttendance, now: UInt64) -> [String] {
        var first = "  " + safeText(meeting.session) + "  " + span(meeting.startedAt, meeting.endedAt, now: now)
        first += "  " + count(meeting.participantCount, "person", "people")
        first += ", " + count(meeting.deviceCount, "device", "devices")
        if !meeting.title.isEmpty { first += "  " + safeText(meeting.title) }
        var lines = [first, "    meeting \(safeText(meeting.meeting))"]
        for recording in meeting.recordings {
            let name = recording.name.isEmpty ? recording.uid : recording.name
            lines.append("    recorded \(span(recording.from, recording.to, now: now)) by \(safeText(name))")
        }
        if meeting.devicesNotKept > 0 {
            lines.append("    \(count(meeting.devicesNotKept, "device", "devices")) came when the relay's log was full")
        }
        return lines
    }

    private func table(_ meeting: MeetingAttendance, now: UInt64) -> Table {
        var table = Table([
            .init("PERSON", isFlexible: true), .init("NAME", isFlexible: true), .init("DEVICE", isFlexible: true),
            .init("JOINED"), .init("LEFT"), .init("PRESENT", .right), .init("VIDEO", .right), .init("AUDIO", .right),
        ])
        for person in meeting.participants {
            table.rows.append([
                .init(person.uid, .bold), .init(person.name.isEmpty ? "-" : person.name),
                .init(devices(of: person)), .init(TimeText.clock(person.joinedAt, now: now)),
                left(person.leftAt, now: now), .init(lengthText(person.time.duration)),
                .init(lengthText(person.time.video)), .init(lengthText(person.time.audio)),
            ])
            if showsDevices { table.rows += person.devices.map { row($0, now: now) } }
        }
        return table
    }

    private func devices(of person: ParticipantAttendance) -> String {
        let total = person.deviceCount
        if showsDevices || total != 1 { return count(total, "device", "devices") }
        return person.devices.first?.deviceID ?? "-"
    }

    private func row(_ device: DeviceAttendance, now: UInt64) -> [Table.Cell] {
        let last = device.intervals.last
        let stays = device.stayCount
        return [
            .init("", .faint), .init(stays == 1 ? "" : "\(stays) times", .faint), .init(device.deviceID),
            .init(TimeText.clock(device.joinedAt, now: now)), left(device.isJoined ? nil : last?.to, now: now),
            .init(lengthText(device.time.duration)), .init(lengthText(device.time.video)),
            .init(lengthText(device.time.audio)),
        ]
    }

    private func left(_ time: UInt64?, now: UInt64) -> Table.Cell {
        time.map { .init(TimeText.clock($0, now: now)) } ?? .init("in", .green)
    }

    /// `14:02:11 - 14:31:40 (29m29s)`.
    private func span(_ from: UInt64, _ to: UInt64?, now: UInt64) -> String {
        let end = to.map { TimeText.clock($0, now: now) } ?? "now"
        let length = (to ?? now) > from ? (to ?? now) - from : 0
        return "\(TimeText.clock(from, now: now)) - \(end) (\(lengthText(length)))"
    }

    private func count(_ number: some BinaryInteger, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}

/// A length of time in ms: `0s`, `45s`, `2m04s`, `1h05m`.
package func lengthText(_ ms: UInt64) -> String {
    ms < 1_000 ? "0s" : TimeText.age(of: 0, now: ms)
}

// MARK: For spreadsheets

extension AttendanceOutput {
    /// The names of the columns.
    package var csvHeading: String {
        csvLine(
            [
                "session", "meeting", "title", "meeting_started_at", "meeting_ended_at", "recorded", "uid", "name",
            ] + (showsDevices ? ["device"] : ["devices"])
                + ["joined_at", "left_at", "present_ms", "video_ms", "audio_ms"]
        )
    }

    /// A line for each person or, with ``showsDevices``, for each device.
    package var csvLines: [String] {
        meetings.flatMap { meeting in
            meeting.participants.flatMap { person in
                if !showsDevices {
                    let devices = CSVCell.own("\(person.deviceCount)")
                    return [line(meeting, person, devices, person.joinedAt, person.leftAt, person.time)]
                }
                return person.devices.map { device in
                    let leftAt = device.isJoined ? nil : device.intervals.last?.to
                    return line(meeting, person, .text(device.deviceID), device.joinedAt, leftAt, device.time)
                }
            }
        }
    }

    private func line(
        _ meeting: MeetingAttendance,
        _ person: ParticipantAttendance,
        _ device: CSVCell,
        _ joinedAt: UInt64,
        _ leftAt: UInt64?,
        _ time: AttendanceTime
    ) -> String {
        csvLine([
            .text(meeting.session), .text(meeting.meeting), .text(meeting.title), moment(meeting.startedAt),
            moment(meeting.endedAt), .own(meeting.hasRecording ? "yes" : "no"), .text(person.uid), .text(person.name),
            device, moment(joinedAt), moment(leftAt), .own("\(time.duration)"), .own("\(time.video)"),
            .own("\(time.audio)"),
        ])
    }

    private func moment(_ time: UInt64?) -> CSVCell { .own(time.map(timestampText) ?? "") }
}

// Not as `Int`: a relay may say any number.

extension ParticipantAttendance {
    /// Devices with a row and without one.
    fileprivate var deviceCount: UInt64 { UInt64(devices.count) + UInt64(devicesLeftOut) }
}

extension DeviceAttendance {
    /// Stays that are told and that are not.
    fileprivate var stayCount: UInt64 { UInt64(intervals.count) + UInt64(intervalsLeftOut) }
}
