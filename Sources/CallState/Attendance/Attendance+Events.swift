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
        case .joined(let person), .name(let person, was: _), .avatar(let person, was: _):
            setProfile(uid: person.uid, name: person.name, avatar: person.avatar)
        case .deviceJoined(let device, let person):
            join(uid: person.uid, name: person.name, device: device.id, videoPaused: device.isVideoPaused, at: at)
            setProfile(uid: person.uid, name: person.name, avatar: person.avatar)
        case .deviceLeft(let device, let person, _): leave(uid: person.uid, device: device.id, at: at)
        case .deviceVideo(let device, let person, let isPaused):
            setVideoPaused(isPaused, uid: person.uid, device: device.id, at: at)
        case .deviceLink(let device, let person, let link):
            if link == .reconnecting {
                loseLink(uid: person.uid, device: device.id, at: at)
            } else {
                restoreLink(uid: person.uid, device: device.id, at: at)
            }
        case .recordingStarted(let recording):
            startRecording(byUID: recording.byUID, byName: recording.byName, at: recording.since)
        case .recordingStopped: stopRecording(at: at)
        case .title(let title, was: _): setTitle(title)
        default: break
        }
    }
}
