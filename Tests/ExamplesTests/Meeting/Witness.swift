import RollcallCalls

/// Holds the callbacks' own rules: start and stop alternate, beginning at rest; nobody does anything before they have
/// joined or after they have left; and nothing comes after the end.
///
/// What it has gathered must be the library's own state after every update.
final class Witness: ParticipantEventListener, MediaEventsListener, SessionStatusListener {
    /// How many callbacks came.
    private(set) var callbacks = 0
    /// Each rule that was broken.
    private var violations: [String] = []

    /// In order of joining.
    private(set) var present: [String] = []
    /// Each by `uid flag`, such as `ana muted`.
    private(set) var flags: Set<String> = []
    private(set) var hands: [String] = []
    private(set) var recorder: String?
    private(set) var speaker: String?
    private(set) var statuses: [String: ParticipantStatus] = [:]
    private(set) var listed: [Participant] = []
    private(set) var queue: [RaisedHand] = []
    private(set) var media: Set<String> = []
    private(set) var isOffline = false
    private(set) var isOver = false
    private(set) var joins = 0

    /// Each rule that was broken since it was asked last.
    func takeViolations() -> [String] {
        defer { violations = [] }
        return violations
    }

    private func expect(_ condition: Bool, _ what: @autoclosure () -> String) {
        callbacks += 1
        if isOver { violations.append("after the end: \(what())") }
        if !condition { violations.append(what()) }
    }

    private func set(_ on: Bool, _ flag: String, _ participant: Participant) {
        let uid = participant.uid ?? ""
        expect(present.contains(uid), "\(uid) \(flag) \(on), and is not there")
        let isChange = on ? flags.insert("\(uid) \(flag)").inserted : flags.remove("\(uid) \(flag)") != nil
        if !isChange { violations.append("\(uid) \(flag) \(on) twice") }
    }

    private func set(_ on: Bool, _ flag: String) {
        let isChange = on ? media.insert(flag).inserted : media.remove(flag) != nil
        expect(isChange, "own \(flag) \(on) twice")
    }

    // MARK: People

    func onParticipantJoined(participant: Participant) {
        let uid = participant.uid ?? ""
        expect(!present.contains(uid), "\(uid) joined twice")
        present.append(uid)
        statuses[uid] = participant.status
    }

    func onParticipantLeft(participant: Participant) {
        let uid = participant.uid ?? ""
        expect(present.contains(uid), "\(uid) left, and was not there")
        for flag in ["presenting", "hand"] where flags.contains("\(uid) \(flag)") {
            violations.append("\(uid) left with \(flag)")
        }
        if speaker == uid { violations.append("\(uid) left as the dominant speaker") }
        present.removeAll { $0 == uid }
        flags = flags.filter { !$0.hasPrefix("\(uid) ") }
        statuses[uid] = nil
    }

    func onParticipantListChanged(participants: [Participant]) {
        // Whoever begins to listen gets the list first, then those who are in it.
        let isAsJoined = present.isEmpty || participants.map { $0.uid ?? "" } == present
        expect(isAsJoined, "the list is \(participants), joined are \(present)")
        listed = participants
    }

    func onParticipantAudioMuted(participant: Participant) { set(true, "muted", participant) }
    func onParticipantAudioUnmuted(participant: Participant) { set(false, "muted", participant) }
    func onParticipantVideoPaused(participant: Participant) { set(true, "paused", participant) }
    func onParticipantVideoResumed(participant: Participant) { set(false, "paused", participant) }
    func onParticipantStartedScreenShare(participant: Participant) { set(true, "presenting", participant) }
    func onParticipantStoppedScreenShare(participant: Participant) { set(false, "presenting", participant) }
    func onParticipantReconnecting(participant: Participant) { set(true, "reconnecting", participant) }
    func onParticipantReconnected(participant: Participant) { set(false, "reconnecting", participant) }

    func onParticipantHandRaised(participant: Participant) {
        set(true, "hand", participant)
        hands.append(participant.uid ?? "")
    }

    func onParticipantHandLowered(participant: Participant) {
        set(false, "hand", participant)
        hands.removeAll { $0 == participant.uid }
    }

    func onRaisedHandsChanged(raisedHands: [RaisedHand]) {
        expect(raisedHands.map(\.uid) == hands, "the queue is \(raisedHands.map(\.uid)), raised are \(hands)")
        queue = raisedHands
    }

    func onParticipantStartedRecording(participant: Participant) {
        expect(recorder == nil, "\(participant) records, and so does \(recorder ?? "")")
        recorder = participant.uid
    }

    func onParticipantStoppedRecording(participant: Participant) {
        expect(recorder == participant.uid, "\(participant) stops the recording of \(recorder ?? "nobody")")
        recorder = nil
    }

    func onDominantSpeakerChanged(participant: Participant) {
        expect(speaker != participant.uid, "\(participant) is the dominant speaker twice")
        speaker = participant.uid
    }

    func onDominantSpeakerCleared() {
        expect(speaker != nil, "no dominant speaker twice")
        speaker = nil
    }

    func onParticipantStatusChanged(participant: Participant, old: ParticipantStatus, new: ParticipantStatus) {
        let uid = participant.uid ?? ""
        expect(statuses[uid] == old, "\(uid) had \(String(describing: statuses[uid])), not \(old)")
        if old == new || participant.status != new { violations.append("\(uid) changes from \(old) to \(new)") }
        statuses[uid] = new
    }

    // MARK: The own device

    func onAudioMuted() { set(true, "muted") }
    func onAudioUnMuted() { set(false, "muted") }
    func onVideoPaused() { set(true, "paused") }
    func onVideoResumed() { set(false, "paused") }
    func onScreenShareStarted() { set(true, "presenting") }
    func onScreenShareStopped() { set(false, "presenting") }
    func onRecordingStarted() { set(true, "recording") }
    func onRecordingStopped() { set(false, "recording") }

    // MARK: The session

    func onSessionJoined() {
        expect(joins == 0, "joined twice")
        joins += 1
    }

    func onConnectionLost() {
        expect(!isOffline, "lost twice")
        isOffline = true
    }

    func onConnectionRestored() {
        expect(isOffline, "restored, and was not lost")
        isOffline = false
    }

    func onSessionLeft() { end("left") }
    func onSessionTimedOut() { end("timed out") }
    func onConnectionClosed() { end("closed") }

    private func end(_ how: String) {
        expect(true, "\(how) twice")
        isOver = true
    }
}

extension Witness {
    /// What it has gathered otherwise than the library has it.
    func differences(from session: CallSession) -> [String] {
        var lines: [String] = []
        func compare<Value: Equatable>(_ what: String, _ gathered: Value, _ own: Value) {
            if gathered != own { lines.append("\(what): gathered \(gathered), the library has \(own)") }
        }
        let participants = session.participants
        compare("people", present, participants.map { $0.uid ?? "" })
        var expected: Set<String> = []
        for participant in participants {
            let (uid, status) = (participant.uid ?? "", participant.status)
            if status.isAudioMuted { expected.insert("\(uid) muted") }
            if status.isVideoPaused { expected.insert("\(uid) paused") }
            if status.isPresenting { expected.insert("\(uid) presenting") }
            if status.isHandRaised { expected.insert("\(uid) hand") }
            if status.isReconnecting { expected.insert("\(uid) reconnecting") }
            compare("status of \(uid)", statuses[uid], status)
        }
        compare("flags", flags, expected)
        compare("number of statuses", statuses.count, participants.count)
        compare("names", listed.map(\.name), participants.map(\.name))
        compare("hands", hands, session.raisedHands.map(\.uid))
        compare("queue", queue.map(\.raisedAt), session.raisedHands.map(\.raisedAt))
        compare("recorder", recorder, session.recording?.participant.uid)
        compare("speaker", speaker, session.dominantSpeaker?.uid)
        var own: Set<String> = session.recording == nil ? [] : ["recording"]
        if let local = session.localMedia {
            if local.isAudioMuted { own.insert("muted") }
            if local.isVideoPaused { own.insert("paused") }
            if local.isPresenting { own.insert("presenting") }
        }
        compare("own media", media, own)
        compare("connection", isOffline, session.isReconnecting)
        return lines
    }
}
