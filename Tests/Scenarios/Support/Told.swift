import Rollcall

/// What an app was told, without what may differ between two orders: the numbers of slots.
struct Told: Hashable {
    /// One thing that was told.
    enum Item: Hashable {
        case joined(String), left(String)
        case muted(String, Bool), paused(String, Bool), presenting(String, Bool), hand(String, Bool)
        case reconnecting(String, Bool)
        case recording(Bool), meeting(Bool), title(String), spotlight([String]), locked(Bool)
    }

    var items: [Item]

    init(_ events: [CallUpdate.Event]) {
        items = events.compactMap { event in
            switch event {
            case .joined(let person): .joined(person.uid)
            case .left(let person, _): .left(person.uid)
            case .audio(let person, let audio): .muted(person.uid, audio == .muted)
            case .video(let person, let video): .paused(person.uid, video == .paused)
            case .presenting(let person, let isOn): .presenting(person.uid, isOn)
            case .hand(let person, let change): .hand(person.uid, change != .lowered)
            case .reconnecting(let person, let isOn): .reconnecting(person.uid, isOn)
            case .recording(let recording): .recording(recording != nil)
            case .meeting(let meeting): .meeting(meeting != nil)
            case .title(let title): .title(title)
            case .spotlight(let people): .spotlight(people.map(\.uid))
            case .callLocked(let isLocked): .locked(isLocked)
            default: nil
            }
        }
    }

    /// The same, whatever came first.
    var sorted: [String] { items.map { "\($0)" }.sorted() }

    /// Where all that was told ends.
    var state: State { followed.state }

    /// What no app may ever be told: somebody who leaves or changes without being there, who comes twice, who keeps the
    /// hand or the screen in leaving, or a start after a start.
    var faults: [String] { followed.faults }

    /// The state of somebody who knows only what was told.
    struct State: Hashable {
        var people: [String: Set<Flag>] = [:]
        /// The queue of an app that puts who raises a hand at its end.
        var hands: [String] = []
        var isRecording = false
        var isInMeeting = false
        var title = ""
        var spotlight: [String] = []
        var isLocked = false
    }

    /// Something that is not at rest.
    enum Flag: Hashable {
        case muted, paused, presenting, handUp, reconnecting
    }

    private var followed: (state: State, faults: [String]) {
        var state = State()
        var faults: [String] = []
        func turn(_ uid: String, _ flag: Flag, _ isOn: Bool) {
            guard let flags = state.people[uid] else { return faults.append("\(flag) of \(uid), who is not there") }
            if flags.contains(flag) == isOn { faults.append("\(flag) of \(uid) is \(isOn) twice") }
            if isOn { state.people[uid]?.insert(flag) } else { state.people[uid]?.remove(flag) }
        }
        for item in items {
            switch item {
            case .joined(let uid):
                if !state.isInMeeting { faults.append("\(uid) joined before the meeting began") }
                if state.people.updateValue([], forKey: uid) != nil { faults.append("\(uid) joined twice") }
            case .left(let uid):
                let flags = state.people.removeValue(forKey: uid)
                if flags == nil { faults.append("\(uid) left without having joined") }
                if flags?.contains(.handUp) == true { faults.append("\(uid) left with the hand up") }
                if flags?.contains(.presenting) == true { faults.append("\(uid) left presenting") }
            case .muted(let uid, let isOn): turn(uid, .muted, isOn)
            case .paused(let uid, let isOn): turn(uid, .paused, isOn)
            case .presenting(let uid, let isOn): turn(uid, .presenting, isOn)
            case .hand(let uid, let isOn):
                turn(uid, .handUp, isOn)
                if isOn { state.hands.append(uid) } else { state.hands.removeAll { $0 == uid } }
            case .reconnecting(let uid, let isOn): turn(uid, .reconnecting, isOn)
            case .recording(let isOn):
                if isOn == state.isRecording { faults.append("recording is \(isOn) twice") }
                state.isRecording = isOn
            case .meeting(let isOn): state.isInMeeting = isOn
            case .title(let title): state.title = title
            case .spotlight(let uids): state.spotlight = uids
            case .locked(let isLocked): state.isLocked = isLocked
            }
        }
        return (state, faults)
    }
}
