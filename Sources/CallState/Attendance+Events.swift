extension Attendance {
    /// Takes in an event of ``difference(_:_:)``; `at` is the time of the update, ms since 1970.
    ///
    /// Feeding it the events of every commit gives exact intervals; merged updates give what can be seen of them. The
    /// log of a meeting is complete after ``CallEvent/meetingEnded(_:)``, and the next
    /// ``CallEvent/meetingBegan(_:startedAt:)`` starts a new one.
    public mutating func record(_ event: CallEvent, at: UInt64) {
        switch event {
        case .meetingBegan(let id, let startedAt): beginMeeting(id, at: startedAt)
        case .meetingEnded: endMeeting(at: at)
        case .deviceJoined(let device, let person):
            join(uid: person.uid, name: person.name, device: device.id, videoPaused: device.isVideoPaused, at: at)
        case .deviceLeft(let device, let person, _): leave(uid: person.uid, device: device.id, at: at)
        case .deviceVideo(let device, let person, let isPaused):
            setVideoPaused(isPaused, uid: person.uid, device: device.id, at: at)
        case .deviceLink(let device, let person, let link):
            if link == .reconnecting {
                loseLink(uid: person.uid, device: device.id, at: at)
            } else {
                restoreLink(uid: person.uid, device: device.id)
            }
        case .recordingStarted(let recording): startRecording(byUID: recording.byUID, at: recording.since)
        case .recordingStopped: stopRecording(at: at)
        default: break
        }
    }
}
