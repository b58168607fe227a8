import CallState

// Attendance and its answer, read.

extension ClientFrame {
    static func decodeAttendance(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> ClientFrame {
        var cursor = body
        var request: UInt64 = 0
        var query = AttendanceQuery()
        while let tag = try cursor.nextTag(bytes, of: "Attendance") {
            switch tag.number {
            case 1: request = try cursor.number(bytes, tag, "Attendance.request")
            case 2: try query.decodeFilter(bytes, try cursor.message(bytes, tag, "Attendance.filter"))
            case 3: try query.decodePage(bytes, try cursor.message(bytes, tag, "Attendance.page"))
            default: try cursor.unknown(bytes, tag, in: "Attendance")
            }
        }
        return .attendance(request: request, query)
    }
}

extension AttendanceQuery {
    fileprivate mutating func decodeFilter(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) {
        var cursor = body
        while let tag = try cursor.nextTag(bytes, of: "AttendanceFilter") {
            switch tag.number {
            case 1: session = try cursor.text(bytes, tag, "AttendanceFilter.session_id", 0...128)
            case 2: meeting = try cursor.text(bytes, tag, "AttendanceFilter.meeting_id", 0...128)
            case 3: uid = try cursor.text(bytes, tag, "AttendanceFilter.uid", 0...128)
            case 4: from = try cursor.number(bytes, tag, "AttendanceFilter.since")
            case 5: to = try cursor.number(bytes, tag, "AttendanceFilter.until")
            case 6: progress.rawValue = try cursor.enumeration(bytes, tag, "AttendanceFilter.progress")
            case 7: recording.rawValue = try cursor.enumeration(bytes, tag, "AttendanceFilter.recording")
            default: try cursor.unknown(bytes, tag, in: "AttendanceFilter")
            }
        }
    }

    fileprivate mutating func decodePage(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) {
        var cursor = body
        while let tag = try cursor.nextTag(bytes, of: "AttendancePage") {
            switch tag.number {
            case 1: limit = try cursor.number32(bytes, tag, "AttendancePage.limit")
            case 2: self.cursor = try cursor.data(bytes, tag, "AttendancePage.cursor", WireLimits.cursor)
            case 3: isNewer = try cursor.flag(bytes, tag, "AttendancePage.newer")
            case 4: people.rawValue = try cursor.enumeration(bytes, tag, "AttendancePage.people")
            case 5: firstPerson = try cursor.number(bytes, tag, "AttendancePage.first_person")
            default: try cursor.unknown(bytes, tag, in: "AttendancePage")
            }
        }
    }
}

extension ServerFrame {
    static func decodeAttendance(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> ServerFrame {
        var cursor = body
        var request: UInt64 = 0
        var report = AttendanceReport()
        while let tag = try cursor.nextTag(bytes, of: "AttendanceReport") {
            switch tag.number {
            case 1: request = try cursor.number(bytes, tag, "AttendanceReport.request")
            case 2: report.at = try cursor.number(bytes, tag, "AttendanceReport.at")
            case 3:
                let meeting = try cursor.elementMessage(bytes, tag, "AttendanceReport.meetings")
                report.meetings.append(try MeetingReport.decode(bytes, meeting))
            case 4: report.older = try cursor.data(bytes, tag, "AttendanceReport.older", WireLimits.cursor)
            case 5: report.newer = try cursor.data(bytes, tag, "AttendanceReport.newer", WireLimits.cursor)
            case 6: report.hasMore = try cursor.flag(bytes, tag, "AttendanceReport.more")
            default: try cursor.unknown(bytes, tag, in: "AttendanceReport")
            }
        }
        return .attendance(request: request, report)
    }
}

extension MeetingReport {
    fileprivate static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> MeetingReport {
        var cursor = body
        var meeting = MeetingReport()
        while let tag = try cursor.nextTag(bytes, of: "MeetingLog") {
            switch tag.number {
            case 1: meeting.session = try cursor.text(bytes, tag, "MeetingLog.session_id")
            case 2: meeting.meeting = try cursor.text(bytes, tag, "MeetingLog.meeting_id")
            case 3: meeting.title = try cursor.text(bytes, tag, "MeetingLog.title")
            case 4: meeting.startedAt = try cursor.number(bytes, tag, "MeetingLog.started_at")
            case 5: meeting.endedAt = try cursor.number(bytes, tag, "MeetingLog.ended_at")
            case 6: meeting.participants = try cursor.number(bytes, tag, "MeetingLog.participants")
            case 7: meeting.devices = try cursor.number(bytes, tag, "MeetingLog.devices")
            case 8: meeting.audio = try cursor.number(bytes, tag, "MeetingLog.audio_ms")
            case 9: meeting.video = try cursor.number(bytes, tag, "MeetingLog.video_ms")
            case 10: meeting.duration = try cursor.number(bytes, tag, "MeetingLog.duration_ms")
            case 11:
                let recording = try cursor.elementMessage(bytes, tag, "MeetingLog.recordings")
                meeting.recordings.append(try RecordingReport.decode(bytes, recording))
            case 12: meeting.recordingsLeftOut = try cursor.number(bytes, tag, "MeetingLog.recordings_left_out")
            case 13:
                let person = try cursor.elementMessage(bytes, tag, "MeetingLog.people")
                meeting.people.append(try PersonReport.decode(bytes, person))
            case 14: meeting.firstPerson = try cursor.number(bytes, tag, "MeetingLog.first_person")
            case 15: meeting.hasMorePeople = try cursor.flag(bytes, tag, "MeetingLog.more_people")
            case 16: meeting.devicesNotKept = try cursor.number(bytes, tag, "MeetingLog.devices_not_kept")
            default: try cursor.unknown(bytes, tag, in: "MeetingLog")
            }
        }
        return meeting
    }
}

extension RecordingReport {
    fileprivate static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> RecordingReport {
        var cursor = body
        var recording = RecordingReport()
        while let tag = try cursor.nextTag(bytes, of: "RecordingLog") {
            switch tag.number {
            case 1: recording.byUID = try cursor.text(bytes, tag, "RecordingLog.by_uid")
            case 2: recording.byName = try cursor.text(bytes, tag, "RecordingLog.by_name")
            case 3: recording.from = try cursor.number(bytes, tag, "RecordingLog.started_at")
            case 4: recording.to = try cursor.number(bytes, tag, "RecordingLog.ended_at")
            default: try cursor.unknown(bytes, tag, in: "RecordingLog")
            }
        }
        return recording
    }
}

extension PersonReport {
    fileprivate static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> PersonReport {
        var cursor = body
        var person = PersonReport()
        while let tag = try cursor.nextTag(bytes, of: "PersonLog") {
            switch tag.number {
            case 1: person.uid = try cursor.text(bytes, tag, "PersonLog.uid")
            case 2: person.name = try cursor.text(bytes, tag, "PersonLog.name")
            case 3: person.avatar = try cursor.text(bytes, tag, "PersonLog.avatar")
            case 4: person.joinedAt = try cursor.number(bytes, tag, "PersonLog.joined_at")
            case 5: person.leftAt = try cursor.number(bytes, tag, "PersonLog.left_at")
            case 6: person.audio = try cursor.number(bytes, tag, "PersonLog.audio_ms")
            case 7: person.video = try cursor.number(bytes, tag, "PersonLog.video_ms")
            case 8: person.duration = try cursor.number(bytes, tag, "PersonLog.duration_ms")
            case 9:
                let device = try cursor.elementMessage(bytes, tag, "PersonLog.devices")
                person.devices.append(try DeviceReport.decode(bytes, device))
            case 10: person.devicesLeftOut = try cursor.number(bytes, tag, "PersonLog.devices_left_out")
            default: try cursor.unknown(bytes, tag, in: "PersonLog")
            }
        }
        return person
    }
}

extension DeviceReport {
    fileprivate static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> DeviceReport {
        var cursor = body
        var device = DeviceReport()
        while let tag = try cursor.nextTag(bytes, of: "DeviceLog") {
            switch tag.number {
            case 1: device.device = try cursor.text(bytes, tag, "DeviceLog.device")
            case 2: device.joinedAt = try cursor.number(bytes, tag, "DeviceLog.joined_at")
            case 3: device.isPresent = try cursor.flag(bytes, tag, "DeviceLog.present")
            case 4: device.audio = try cursor.number(bytes, tag, "DeviceLog.audio_ms")
            case 5: device.video = try cursor.number(bytes, tag, "DeviceLog.video_ms")
            case 6:
                let stay = try cursor.elementMessage(bytes, tag, "DeviceLog.intervals")
                device.intervals.append(try PresenceReport.decode(bytes, stay))
            case 7: device.intervalsLeftOut = try cursor.number(bytes, tag, "DeviceLog.intervals_left_out")
            default: try cursor.unknown(bytes, tag, in: "DeviceLog")
            }
        }
        return device
    }
}

extension PresenceReport {
    fileprivate static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> PresenceReport {
        var cursor = body
        var stay = PresenceReport(from: 0)
        while let tag = try cursor.nextTag(bytes, of: "Stay") {
            switch tag.number {
            case 1: stay.from = try cursor.number(bytes, tag, "Stay.started_at")
            case 2: stay.to = try cursor.number(bytes, tag, "Stay.ended_at")
            default: try cursor.unknown(bytes, tag, in: "Stay")
            }
        }
        return stay
    }
}
