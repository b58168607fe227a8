import CallState

// Attendance and its answer, written.
extension [UInt8] {
    /// The fields of a query behind its number.
    mutating func append(_ query: AttendanceQuery) {
        var part: [UInt8] = []
        part.put(1, query.session)
        part.put(2, query.meeting)
        part.put(3, query.uid)
        part.put(4, query.from)
        if let to = query.to { part.write(5, to) }
        part.put(6, query.progress.rawValue)
        part.put(7, query.recording.rawValue)
        put(2, part)
        part.removeAll()
        part.put(1, query.limit)
        part.put(2, query.cursor)
        part.put(3, query.isNewer)
        part.put(4, query.people.rawValue)
        part.put(5, query.firstPerson)
        put(3, part)
    }

    /// The fields of a report behind its number.
    mutating func append(_ report: AttendanceReport) {
        put(2, report.at)
        for meeting in report.meetings {
            let mark = beginMessage(3)
            append(meeting)
            endMessage(mark)
        }
        put(4, report.older)
        put(5, report.newer)
        put(6, report.hasMore)
    }

    private mutating func append(_ meeting: MeetingReport) {
        put(1, meeting.session)
        put(2, meeting.meeting)
        put(3, meeting.title)
        put(4, meeting.startedAt)
        if let endedAt = meeting.endedAt { write(5, endedAt) }
        put(6, meeting.participants)
        put(7, meeting.devices)
        put(8, meeting.audio)
        put(9, meeting.video)
        put(10, meeting.duration)
        for recording in meeting.recordings {
            let mark = beginMessage(11)
            put(1, recording.byUID)
            put(2, recording.byName)
            put(3, recording.from)
            if let to = recording.to { write(4, to) }
            endMessage(mark)
        }
        put(12, meeting.recordingsLeftOut)
        for person in meeting.people {
            let mark = beginMessage(13)
            append(person)
            endMessage(mark)
        }
        put(14, meeting.firstPerson)
        put(15, meeting.hasMorePeople)
        put(16, meeting.devicesNotKept)
    }

    private mutating func append(_ person: PersonReport) {
        put(1, person.uid)
        put(2, person.name)
        put(3, person.avatar)
        put(4, person.joinedAt)
        if let leftAt = person.leftAt { write(5, leftAt) }
        put(6, person.audio)
        put(7, person.video)
        put(8, person.duration)
        for device in person.devices {
            let mark = beginMessage(9)
            append(device)
            endMessage(mark)
        }
        put(10, person.devicesLeftOut)
    }

    private mutating func append(_ device: DeviceReport) {
        put(1, device.device)
        put(2, device.joinedAt)
        put(3, device.isPresent)
        put(4, device.audio)
        put(5, device.video)
        for stay in device.intervals {
            let mark = beginMessage(6)
            put(1, stay.from)
            if let to = stay.to { write(2, to) }
            endMessage(mark)
        }
        put(7, device.intervalsLeftOut)
    }
}
