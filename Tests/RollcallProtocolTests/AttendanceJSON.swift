import CallState
import RollcallProtocol

extension AttendanceQuery {
    /// The JSON mapping of the filter.
    var filterJSON: [String: Any] {
        var body = JSONMessage()
        body.put("sessionId", session)
        body.put("meetingId", meeting)
        body.put("uid", uid)
        body.put("since", from)
        body.write("until", to.map { "\($0)" })
        body.put("progress", progress.rawValue, Names.progress)
        body.put("recording", recording.rawValue, Names.recording)
        return body.members
    }

    /// The JSON mapping of the page.
    var pageJSON: [String: Any] {
        var body = JSONMessage()
        body.put("limit", limit)
        body.put("cursor", bytes: cursor)
        body.put("newer", isNewer)
        body.put("people", people.rawValue, Names.people)
        body.put("firstPerson", firstPerson)
        return body.members
    }
}

extension AttendanceReport {
    /// The JSON mapping of the answer.
    func json(_ request: UInt64) -> [String: Any] {
        var body = JSONMessage()
        body.put("request", request)
        body.put("at", at)
        if !meetings.isEmpty { body.write("meetings", meetings.map(\.json)) }
        body.put("older", bytes: older)
        body.put("newer", bytes: newer)
        body.put("more", hasMore)
        return body.members
    }
}

extension MeetingReport {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.put("sessionId", session)
        body.put("meetingId", meeting)
        body.put("title", title)
        body.put("startedAt", startedAt)
        body.write("endedAt", endedAt.map { "\($0)" })
        body.put("participants", participants)
        body.put("devices", devices)
        body.put("audioMs", audio)
        body.put("videoMs", video)
        body.put("durationMs", duration)
        if !recordings.isEmpty { body.write("recordings", recordings.map(\.json)) }
        body.put("recordingsLeftOut", recordingsLeftOut)
        if !people.isEmpty { body.write("people", people.map(\.json)) }
        body.put("firstPerson", firstPerson)
        body.put("morePeople", hasMorePeople)
        body.put("devicesNotKept", devicesNotKept)
        return body.members
    }
}

extension RecordingReport {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.put("byUid", byUID)
        body.put("byName", byName)
        body.put("startedAt", from)
        body.write("endedAt", to.map { "\($0)" })
        return body.members
    }
}

extension PersonReport {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.put("uid", uid)
        body.put("name", name)
        body.put("avatar", avatar)
        body.put("joinedAt", joinedAt)
        body.write("leftAt", leftAt.map { "\($0)" })
        body.put("audioMs", audio)
        body.put("videoMs", video)
        body.put("durationMs", duration)
        if !devices.isEmpty { body.write("devices", devices.map(\.json)) }
        body.put("devicesLeftOut", devicesLeftOut)
        return body.members
    }
}

extension DeviceReport {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.put("device", device)
        body.put("joinedAt", joinedAt)
        body.put("present", isPresent)
        body.put("audioMs", audio)
        body.put("videoMs", video)
        if !intervals.isEmpty { body.write("intervals", intervals.map(\.json)) }
        body.put("intervalsLeftOut", intervalsLeftOut)
        return body.members
    }
}

extension PresenceReport {
    fileprivate var json: [String: Any] {
        var body = JSONMessage()
        body.put("startedAt", from)
        body.write("endedAt", to.map { "\($0)" })
        return body.members
    }
}
