/// Why a query can't be answered.
public enum AttendanceQueryError: Error, Hashable, Sendable {
    /// The log keeps nothing.
    case notKept
    /// A value of the query is not allowed; the text says which.
    case invalid(String)
}

extension AttendanceLog {
    /// Meetings that one answer looks at.
    public static let maximumScan = 4_096

    /// Answers a query; `now` is the present, ms since 1970.
    ///
    /// The answer takes at most `budget` bytes on the wire, or one meeting with one person when that is more. It looks
    /// at ``maximumScan`` meetings at most: ``AttendanceReport/hasMore`` and the cursor then lead on, even where none
    /// of them was one to tell.
    public func report(
        _ query: AttendanceQuery,
        at now: UInt64,
        budget: Int
    ) throws(AttendanceQueryError) -> AttendanceReport {
        guard isKept else { throw .notKept }
        let start = try check(query)
        if !query.meeting.isEmpty { return reportOne(query, at: now, budget: budget) }

        var report = AttendanceReport()
        report.at = now
        let limit = Int(query.limit == 0 ? AttendanceQuery.defaultLimit : query.limit)
        var room = budget
        var place = start.place
        var seen: (first: UInt64, last: UInt64)?
        while order.indices.contains(place), report.meetings.count < limit, report.looks < Self.maximumScan, room > 0 {
            let number = order[place]
            report.looks += 1
            // In place: most meetings are only looked at, and a copy holds on to all that they have.
            if let index = entries.index(forKey: number), entries.values[index].matches(query) {
                let meeting = entries.values[index].report(query, at: now, room: room)
                guard meeting.weight <= room || report.meetings.isEmpty else { break }
                room = meeting.hasMorePeople ? 0 : room - meeting.weight
                report.meetings.append(meeting)
            }
            seen = (seen?.first ?? number, number)
            place += query.isNewer ? 1 : -1
        }
        report.hasMore = order.indices.contains(place)
        if query.isNewer { report.meetings.reverse() }
        // Back leads to what is before the first meeting that was looked at, on to what is behind the last.
        let back = seen?.first ?? (query.isNewer ? min(start.number, .max - 1) + 1 : max(start.number, 1) - 1)
        let on = seen?.last ?? start.number
        report.older = AttendanceCursor(number: query.isNewer ? back : on).bytes
        report.newer = AttendanceCursor(number: query.isNewer ? on : back).bytes
        return report
    }

    /// Where to begin: a place in the order, and the number of the cursor.
    private func check(_ query: AttendanceQuery) throws(AttendanceQueryError) -> (place: Int, number: UInt64) {
        guard query.limit <= AttendanceQuery.maximumLimit else {
            throw .invalid("a page has at most \(AttendanceQuery.maximumLimit) meetings, not \(query.limit)")
        }
        guard query.progress.rawValue <= 2, query.recording.rawValue <= 2, query.people.rawValue <= 2 else {
            throw .invalid("a choice of the filter or the page that this relay does not know")
        }
        guard query.firstPerson == 0 || !query.meeting.isEmpty else {
            throw .invalid("first_person needs the meeting_id of the filter")
        }
        guard query.people != .matching || !query.uid.isEmpty else {
            throw .invalid("the rows of the matching person need the uid of the filter")
        }
        if query.cursor.isEmpty {
            return query.isNewer ? (0, 0) : (order.count - 1, order.isEmpty ? 1 : order[order.count - 1] &+ 1)
        }
        guard let cursor = AttendanceCursor(bytes: query.cursor) else {
            throw .invalid("the cursor is none of this relay")
        }
        let place = order.place(of: cursor.number)
        guard query.isNewer else { return (place - 1, cursor.number) }
        let isThere = place < order.count && order[place] == cursor.number
        return (isThere ? place + 1 : place, cursor.number)
    }

    /// The one meeting that a query names, from a person on.
    private func reportOne(_ query: AttendanceQuery, at now: UInt64, budget: Int) -> AttendanceReport {
        var report = AttendanceReport()
        report.at = now
        report.looks = 1
        guard let number = number(of: query.meeting), let index = entries.index(forKey: number),
            entries.values[index].matches(query)
        else { return report }
        report.meetings = [entries.values[index].report(query, at: now, room: budget)]
        report.older = AttendanceCursor(number: number).bytes
        report.newer = report.older
        return report
    }
}

extension AttendanceLog.Entry {
    /// Whether the meeting meets the conditions of a query.
    ///
    /// O(1).
    fileprivate func matches(_ query: AttendanceQuery) -> Bool {
        if !query.session.isEmpty, query.session != session { return false }
        if let endedAt = attendance.endedAt, query.from > 0, endedAt <= query.from { return false }
        if let to = query.to, attendance.startedAt >= to { return false }
        if query.progress == .running, attendance.endedAt != nil { return false }
        if query.progress == .ended, attendance.endedAt == nil { return false }
        if query.recording == .with, attendance.recordings.isEmpty { return false }
        if query.recording == .without, !attendance.recordings.isEmpty { return false }
        return query.uid.isEmpty || attendance.place(of: query.uid) != nil
    }

    /// The meeting with as many of its people as there is room for, but at least one.
    fileprivate func report(_ query: AttendanceQuery, at now: UInt64, room: Int) -> MeetingReport {
        let until = attendance.counted(until: now)
        var meeting = MeetingReport()
        meeting.session = session
        meeting.meeting = attendance.meetingID ?? .empty
        meeting.title = attendance.title
        meeting.startedAt = attendance.startedAt
        meeting.endedAt = attendance.endedAt
        meeting.participants = UInt64(attendance.people.count)
        meeting.devices = attendance.deviceCount
        meeting.audio = attendance.audio(now: until)
        meeting.video = attendance.video(now: until)
        meeting.duration = attendance.duration(now: until)
        meeting.recordings = attendance.recordings.map(RecordingReport.init)
        meeting.recordingsLeftOut = attendance.recordingsLeftOut
        meeting.devicesNotKept = attendance.devicesNotKept

        var next = Int(clamping: query.firstPerson)
        var end = attendance.people.count
        if query.people == .none { return meeting }
        if query.people == .matching, let place = attendance.place(of: query.uid) {
            next = place
            end = place + 1
        }
        meeting.firstPerson = UInt64(min(next, end))
        var left = room - meeting.weight
        while next < end {
            let person = PersonReport(attendance.people[next], until: until)
            left -= person.weight
            if left < 0, !meeting.people.isEmpty { break }
            meeting.people.append(person)
            next += 1
        }
        meeting.hasMorePeople = next < end
        return meeting
    }
}

extension RecordingReport {
    fileprivate init(_ log: Attendance.RecordingLog) {
        byUID = log.byUID
        byName = log.byName
        from = log.from
        to = log.to
    }
}

extension PersonReport {
    fileprivate init(_ log: Attendance.PersonLog, until: UInt64) {
        uid = log.uid
        name = log.name
        avatar = log.avatar
        joinedAt = log.joinedAt
        leftAt = log.leftAt
        audio = log.audio(now: until)
        video = log.video(now: until)
        duration = log.duration(now: until)
        // Somebody who is in with very many devices at once has more rows than an answer.
        devices = log.devices.suffix(Attendance.PersonLog.maximumDevices).map { DeviceReport($0, until: until) }
        devicesLeftOut = log.devicesLeftOut + UInt64(log.devices.count - devices.count)
    }
}

extension DeviceReport {
    fileprivate init(_ log: Attendance.DeviceLog, until: UInt64) {
        device = log.id
        joinedAt = log.joinedAt
        isPresent = log.isPresent
        audio = log.audio(now: until)
        video = log.video(now: until)
        intervals = log.intervals
        intervalsLeftOut = log.intervalsLeftOut
    }
}
