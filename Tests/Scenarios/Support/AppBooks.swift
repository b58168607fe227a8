import RollcallCalls

/// The books of an app that believes callbacks alone, as apps of call SDKs have to: flags by uid from rest, an ordered
/// list of hands, and its own buttons; and a judge: what no app may ever hear is a fault.
struct AppBooks {
    /// What is known of a person.
    private struct Entry: Hashable {
        var isMuted = false
        var isPaused = false
        var isPresenting = false
        var isReconnecting = false
        var status = ParticipantStatus()
    }

    /// Where the session is.
    private enum Phase {
        case before, joined, lost, over
    }

    private var phase = Phase.before
    private var entries: [String: Entry] = [:]
    private var list: [String] = []
    private var names: [String?] = []
    private var hands: [String] = []
    private var queue: [String] = []
    private var dominant: String?
    private var recorder: String?
    private var media = View.Media()
    private var isOwnRecording = false
    /// What was wrong, oldest first.
    private(set) var faults: [String] = []

    init() {}

    /// Whether a session runs.
    var isInSession: Bool { phase == .joined || phase == .lost }

    // MARK: Entering

    /// Enters a callback.
    mutating func enter(_ hearing: Hearing) {
        let heard = hearing.heard
        if phase == .over {
            guard heard == .sessionJoined else { return faults.append("\(heard) after the session's end") }
            // The people are told anew; the own buttons go on from what they show.
            let before = self
            self = AppBooks()
            (faults, media, isOwnRecording) = (before.faults, before.media, before.isOwnRecording)
        }
        switch heard {
        case .sessionJoined: pass(from: .before, to: .joined, heard)
        case .connectionLost: pass(from: .joined, to: .lost, heard)
        case .connectionRestored: pass(from: .lost, to: .joined, heard)
        case .sessionLeft, .sessionTimedOut, .connectionClosed: phase = .over
        default:
            if phase == .before { faults.append("\(heard) before the session was joined") }
            enterPeople(hearing)
            enterOwn(heard)
        }
    }

    private mutating func pass(from old: Phase, to new: Phase, _ heard: Heard) {
        if phase != old { faults.append("\(heard) in phase \(phase)") }
        phase = new
    }

    private mutating func enterPeople(_ hearing: Hearing) {
        switch hearing.heard {
        case .joined(let uid): join(uid, hearing)
        case .left(let uid): leave(uid, hearing)
        case .list(let uids):
            if Set(uids).count != uids.count { faults.append("somebody is listed twice in \(uids)") }
            list = uids
            names = hearing.people.map(\.name)
        case .muted(let uid): flip(uid, \.isMuted, true, hearing.heard)
        case .unmuted(let uid): flip(uid, \.isMuted, false, hearing.heard)
        case .paused(let uid): flip(uid, \.isPaused, true, hearing.heard)
        case .resumed(let uid): flip(uid, \.isPaused, false, hearing.heard)
        case .sharing(let uid): flip(uid, \.isPresenting, true, hearing.heard)
        case .notSharing(let uid): flip(uid, \.isPresenting, false, hearing.heard)
        case .reconnecting(let uid): flip(uid, \.isReconnecting, true, hearing.heard)
        case .reconnected(let uid): flip(uid, \.isReconnecting, false, hearing.heard)
        case .handRaised(let uid):
            if entries[uid] == nil || hands.contains(uid) { faults.append("\(hearing.heard) after \(hands)") }
            hands.append(uid)
        case .handLowered(let uid):
            if !hands.contains(uid) { faults.append("\(hearing.heard) after \(hands)") }
            hands.removeAll { $0 == uid }
        case .hands(let uids): queue = uids
        case .recording(let uid):
            if recorder != nil { faults.append("\(hearing.heard) while \(recorder ?? "") records") }
            recorder = uid
        case .notRecording:
            if recorder == nil { faults.append("\(hearing.heard) while nobody records") }
            recorder = nil
        case .dominant(let uid):
            if dominant == uid || entries[uid] == nil {
                faults.append("\(hearing.heard) after \(dominant ?? "nobody")")
            }
            dominant = uid
        case .nobodyDominant:
            if dominant == nil { faults.append("\(hearing.heard) after nobody") }
            dominant = nil
        case .status(let uid):
            if entries[uid] == nil || entries[uid]?.status != hearing.oldStatus {
                faults.append("\(hearing.heard) from what was never shown")
            }
            entries[uid]?.status = hearing.participant?.status ?? ParticipantStatus()
        default: return
        }
    }

    private mutating func join(_ uid: String, _ hearing: Hearing) {
        if entries[uid] != nil { faults.append("\(uid) joined twice") }
        if hearing.view[uid] == nil { faults.append("\(uid) joined and is not in the model") }
        var entry = Entry()
        if let status = hearing.participant?.status { entry.status = status }
        entries[uid] = entry
    }

    private mutating func leave(_ uid: String, _ hearing: Hearing) {
        guard let entry = entries.removeValue(forKey: uid) else {
            return faults.append("\(uid) left without having joined")
        }
        if entry.isPresenting { faults.append("\(uid) left presenting") }
        if hands.contains(uid) { faults.append("\(uid) left with the hand up") }
        if dominant == uid { faults.append("\(uid) left as the dominant speaker") }
        if hearing.participant?.uid != uid { faults.append("\(uid) left without an identity") }
        // When somebody left a meeting that the relay does not know any more, nobody knows.
        let isKnown = hearing.participant?.mid == hearing.view.meeting
        if isKnown, hearing.participant?.leftAt ?? 0 < hearing.participant?.joinedAt ?? 1 {
            faults.append("\(uid) left at no time")
        }
    }

    private mutating func enterOwn(_ heard: Heard) {
        switch heard {
        case .ownMuted: flipOwn(\.isMuted, true, heard)
        case .ownUnmuted: flipOwn(\.isMuted, false, heard)
        case .ownPaused: flipOwn(\.isPaused, true, heard)
        case .ownResumed: flipOwn(\.isPaused, false, heard)
        case .ownSharing: flipOwn(\.isPresenting, true, heard)
        case .ownNotSharing: flipOwn(\.isPresenting, false, heard)
        case .ownRecording, .ownNotRecording:
            if isOwnRecording == (heard == .ownRecording) { faults.append("\(heard) twice") }
            isOwnRecording = heard == .ownRecording
        default: return
        }
    }

    private mutating func flip(_ uid: String, _ flag: WritableKeyPath<Entry, Bool>, _ value: Bool, _ heard: Heard) {
        guard let entry = entries[uid] else { return faults.append("\(heard), who is not there") }
        if entry[keyPath: flag] == value { faults.append("\(heard) twice") }
        entries[uid]?[keyPath: flag] = value
    }

    private mutating func flipOwn(_ flag: WritableKeyPath<View.Media, Bool>, _ value: Bool, _ heard: Heard) {
        if media[keyPath: flag] == value { faults.append("\(heard) twice") }
        media[keyPath: flag] = value
    }

    // MARK: Comparing

    /// Holds that the books are what a session's model says, once everything that belongs to it was heard.
    mutating func compare(with view: View) {
        guard isInSession else { return }
        func expect<Value: Equatable>(_ what: String, _ own: Value, _ model: Value) {
            if own != model { faults.append("the books say \(what) \(own), the model \(model), at \(view.place)") }
        }
        expect("people", Set(entries.keys), Set(view.uids))
        expect("list", list, view.uids)
        expect("names", names, view.rows.map(\.name))
        for row in view.rows {
            guard let entry = entries[row.uid] else { continue }
            expect("\(row.uid) muted", entry.isMuted, row.isMuted)
            expect("\(row.uid) paused", entry.isPaused, row.isPaused)
            expect("\(row.uid) presenting", entry.isPresenting, row.isPresenting)
            expect("\(row.uid) reconnecting", entry.isReconnecting, row.isReconnecting)
            expect("the status of \(row.uid)", entry.status, row.status)
        }
        expect("hands", hands, view.hands)
        expect("queue", queue, view.hands)
        expect("recorder", recorder, view.recorder)
        expect("dominant speaker", dominant, view.dominant)
        if let own = view.media { expect("own media", media, own) }
        expect("recording", isOwnRecording, view.recorder != nil)
    }
}
