import Rollcall

// What the client library knows of a meeting, in the words of call apps.

extension CallLog {
    init(_ meeting: MeetingAttendance) {
        let end = meeting.endedAt ?? meeting.countedUntil
        let length = end - min(meeting.startedAt, end)
        sessionID = meeting.session
        mid = meeting.meeting
        title = meeting.title.isEmpty ? nil : meeting.title
        status = meeting.isRunning ? .ongoing : .ended
        initiatedAt = seconds(meeting.startedAt)
        endedAt = meeting.endedAt.map(seconds)
        participants = meeting.participants.map { Participant(.init($0, mid: meeting.meeting)) }
        participantDevices = meeting.participants.flatMap { person in
            person.devices.map { Participant(.init($0, of: person, mid: meeting.meeting)) }
        }
        recordings = meeting.recordings.enumerated().map { index, recording in
            // Not as `Int`: a relay may say any number.
            let number = UInt64(meeting.recordingsLeftOut) + UInt64(index) + 1
            return Recording(recording, rid: "\(meeting.meeting)-\(number)", countedUntil: end)
        }
        totalDurationInMinutes = Double(length) / 60_000
        totalDuration = durationText(milliseconds: length)
        participantMinutes = ParticipantMinutes(meeting.time)
        totalParticipants = meeting.participantCount
    }
}

extension Participant.Facts {
    /// A person of a meeting.
    fileprivate init(_ person: ParticipantAttendance, mid: String) {
        self.init(uid: person.uid)
        name = person.name
        avatar = person.avatar
        self.mid = mid
        deviceID = person.devices.count == 1 && person.devicesLeftOut == 0 ? person.devices[0].deviceID : nil
        joinedAt = seconds(person.joinedAt)
        hasLeft = !person.isJoined
        leftAt = person.leftAt.map(seconds) ?? 0
        minutes = ParticipantMinutes(person.time)
    }

    /// A device of a person of a meeting.
    fileprivate init(_ device: DeviceAttendance, of person: ParticipantAttendance, mid: String) {
        self.init(uid: person.uid)
        name = person.name
        avatar = person.avatar
        self.mid = mid
        deviceID = device.deviceID
        joinedAt = seconds(device.joinedAt)
        hasLeft = !device.isJoined
        leftAt = device.isJoined ? 0 : device.intervals.last?.to.map(seconds) ?? 0
        minutes = ParticipantMinutes(device.time)
    }
}

extension ParticipantMinutes {
    fileprivate init(_ time: AttendanceTime) {
        self.init(audio: time.audioMinutes, video: time.videoMinutes, duration: time.durationMinutes)
    }
}

extension Recording {
    fileprivate init(_ recording: MeetingRecording, rid: String, countedUntil: UInt64) {
        let end = recording.to ?? countedUntil
        self.init(
            rid: rid,
            recordingURL: "",
            startedBy: recording.uid,
            startTime: seconds(recording.from),
            endTime: recording.to.map(seconds) ?? 0,
            duration: Double(end - min(recording.from, end)) / 1_000
        )
    }
}

/// Whole seconds of a time in ms.
private func seconds(_ milliseconds: UInt64) -> Int { Int(milliseconds / 1_000) }
