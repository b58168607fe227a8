package import CallState

extension MeetingAttendance {
    /// The meeting of an answer that counts until `at`.
    package init(_ report: MeetingReport, at: UInt64) {
        self.init(
            session: report.session.string,
            meeting: report.meeting.string,
            title: report.title.string,
            startedAt: report.startedAt,
            endedAt: report.endedAt,
            participantCount: Int(clamping: report.participants),
            deviceCount: Int(clamping: report.devices),
            time: AttendanceTime(audio: report.audio, video: report.video),
            recordings: report.recordings.map {
                MeetingRecording(uid: $0.byUID.string, name: $0.byName.string, from: $0.from, to: $0.to)
            },
            recordingsLeftOut: Int(clamping: report.recordingsLeftOut),
            participants: report.people.map(ParticipantAttendance.init),
            devicesNotKept: Int(clamping: report.devicesNotKept),
            countedUntil: at
        )
    }
}

extension ParticipantAttendance {
    /// The person of an answer.
    init(_ report: PersonReport) {
        self.init(
            uid: report.uid.string,
            name: report.name.string,
            avatar: report.avatar.string,
            joinedAt: report.joinedAt,
            leftAt: report.leftAt,
            time: AttendanceTime(audio: report.audio, video: report.video),
            devices: report.devices.map { device in
                DeviceAttendance(
                    deviceID: device.device.string,
                    joinedAt: device.joinedAt,
                    isJoined: device.isPresent,
                    time: AttendanceTime(audio: device.audio, video: device.video),
                    intervals: device.intervals.map { AttendanceInterval(from: $0.from, to: $0.to) },
                    intervalsLeftOut: Int(clamping: device.intervalsLeftOut)
                )
            },
            devicesLeftOut: Int(clamping: report.devicesLeftOut)
        )
    }
}
