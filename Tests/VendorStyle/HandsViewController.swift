import Foundation
import RollcallCalls

// A queue of hands that the app keeps itself: whoever raises a hand is put at the end, with the time of this device.
// The requirements that it has no use for are spelled out empty, in the order of the alphabet, as code does that was
// written before defaults.

class HandsViewController: ViewController, ParticipantEventListener {
    private(set) var queue: [(uid: String, name: String, at: Date)] = []
    private(set) var notifications: [String] = []
    let session: CallSession

    init(session: CallSession = CallSession.shared) {
        self.session = session
        super.init()
    }

    override func viewDidLoad() {
        super.viewDidLoad()
        session.addParticipantEventListener(self)
    }

    deinit {
        session.removeParticipantEventListener(self)
    }

    func didTapRaise() {
        session.raiseHand()
    }

    func didTapLower() {
        session.lowerHand()
    }

    func onParticipantHandRaised(participant: Participant) {
        guard let uid = participant.uid else { return }
        DispatchQueue.main.async {
            if self.queue.contains(where: { $0.uid == uid }) { return }
            self.queue.append((uid: uid, name: participant.name ?? uid, at: Date()))
            self.notifications.append("\(participant.name ?? "") wants to speak")
        }
    }

    func onParticipantHandLowered(participant: Participant) {
        guard let uid = participant.uid else { return }
        DispatchQueue.main.async { self.queue.removeAll { $0.uid == uid } }
    }

    func onParticipantLeft(participant: Participant) {
        guard let uid = participant.uid else { return }
        DispatchQueue.main.async { self.queue.removeAll { $0.uid == uid } }
    }

    func onParticipantAudioMuted(participant: Participant) {}
    func onParticipantAudioUnmuted(participant: Participant) {}
    func onDominantSpeakerChanged(participant: Participant) {}
    func onParticipantJoined(participant: Participant) {}
    func onParticipantListChanged(participants: [Participant]) {}
    func onParticipantStartedRecording(participant: Participant) {}
    func onParticipantStartedScreenShare(participant: Participant) {}
    func onParticipantStoppedRecording(participant: Participant) {}
    func onParticipantStoppedScreenShare(participant: Participant) {}
    func onParticipantVideoPaused(participant: Participant) {}
    func onParticipantVideoResumed(participant: Participant) {}
}
