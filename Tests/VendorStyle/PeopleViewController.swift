import Dispatch
import RollcallCalls

// Code as apps have it for SDKs that tell changes only: everything known of a person is gathered from events. On
// Rollcall it goes on working as it is.

/// What the app knows of one person.
struct ParticipantStatus: Equatable {
    var isAudioMuted = false
    var isVideoPaused = false
    var isPresenting = false
    var isHandRaised = false
    var isPinned = false
}

class PeopleViewController: ViewController {
    let table = View()
    private var everybody: [Participant] = []
    private var filtered: [Participant] = []
    /// By uid; nothing is known at the start.
    fileprivate(set) var known: [String: ParticipantStatus] = [:]
    private var filter = ""
    let session: CallSession

    init(session: CallSession = CallSession.shared) {
        self.session = session
        super.init()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        title = "People"
        session.addParticipantEventListener(self)
    }

    deinit {
        session.removeParticipantEventListener(self)
    }

    func line(at index: Int) -> String {
        let person = filtered[index]
        let status = person.uid.flatMap { known[$0] } ?? ParticipantStatus()
        var words = [person.name ?? ""]
        if status.isAudioMuted { words.append("muted") }
        if status.isVideoPaused { words.append("no video") }
        if status.isPresenting { words.append("presents") }
        if status.isHandRaised { words.append("hand") }
        if status.isPinned { words.append("pin") }
        return words.joined(separator: ", ")
    }

    var lines: [String] { filtered.indices.map { line(at: $0) } }

    func searchBar(textDidChange text: String) {
        filter = text
        filtered =
            text.isEmpty ? everybody : everybody.filter { ($0.name ?? "").lowercased().contains(text.lowercased()) }
        table.reloadData()
    }

    func didTapMute(at index: Int) {
        guard let uid = filtered[index].uid else { return }
        session.muteParticipant(participantId: uid)
    }

    func didTapPin(at index: Int) {
        guard let uid = filtered[index].uid else { return }
        if known[uid]?.isPinned == true {
            session.unpinParticipant()
            known[uid]?.isPinned = false
        } else {
            for other in known.keys { known[other]?.isPinned = false }
            session.pinParticipant(participantId: uid, type: "pin")
            known[uid, default: ParticipantStatus()].isPinned = true
        }
        table.reloadData()
    }
}

extension PeopleViewController: ParticipantEventListener {
    private func change(_ person: Participant, _ body: @escaping (inout ParticipantStatus) -> Void) {
        guard let uid = person.uid else { return }
        DispatchQueue.main.async {
            body(&self.known[uid, default: ParticipantStatus()])
            self.table.reloadData()
        }
    }

    func onParticipantListChanged(participants: [Participant]) {
        DispatchQueue.main.async {
            self.everybody = participants
            self.title = "People (\(participants.count))"
            self.searchBar(textDidChange: self.filter)
        }
    }

    func onParticipantJoined(participant: Participant) {}

    func onParticipantLeft(participant: Participant) {
        guard let uid = participant.uid else { return }
        DispatchQueue.main.async {
            self.known.removeValue(forKey: uid)
            self.table.reloadData()
        }
    }

    func onParticipantAudioMuted(participant: Participant) { change(participant) { $0.isAudioMuted = true } }
    func onParticipantAudioUnmuted(participant: Participant) { change(participant) { $0.isAudioMuted = false } }
    func onParticipantVideoPaused(participant: Participant) { change(participant) { $0.isVideoPaused = true } }
    func onParticipantVideoResumed(participant: Participant) { change(participant) { $0.isVideoPaused = false } }
    func onParticipantHandRaised(participant: Participant) { change(participant) { $0.isHandRaised = true } }
    func onParticipantHandLowered(participant: Participant) { change(participant) { $0.isHandRaised = false } }
    func onParticipantStartedScreenShare(participant: Participant) {
        change(participant) { $0.isPresenting = true }
    }
    func onParticipantStoppedScreenShare(participant: Participant) {
        change(participant) { $0.isPresenting = false }
    }
}
