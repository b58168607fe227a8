import Foundation
import RollcallCalls

// No screen: an object that follows the call for others in the app. It is registered in `onSuccess`, when the join is
// done already.

final class RosterKeeper: NSObject, ParticipantEventListener {
    private(set) var present: [String] = []
    private(set) var presenters: Set<String> = []
    private(set) var recorder: String?
    private(set) var speaker: String?
    private(set) var leavings = 0
    /// What the older shape of a participant said when it came: muted, video paused, presenting, hand.
    private(set) var atJoining: [String: [Bool]] = [:]

    func onParticipantJoined(participant: Participant) {
        guard let uid = participant.uid else { return }
        DispatchQueue.main.async { [weak self] in
            self?.present.append(uid)
            self?.atJoining[uid] = [
                participant.audioMuted, participant.videoPaused, participant.isPresenting,
                participant.raisedHandTimestamp > 0,
            ]
        }
    }

    func onParticipantLeft(participant: Participant) {
        guard let uid = participant.uid else { return }
        DispatchQueue.main.async { [weak self] in
            guard let self = self else { return }
            self.present.removeAll { $0 == uid }
            self.presenters.remove(uid)
            if self.speaker == uid { self.speaker = nil }
            self.leavings += 1
        }
    }

    func onParticipantStartedScreenShare(participant: Participant) {
        guard let uid = participant.uid else { return }
        DispatchQueue.main.async { [weak self] in _ = self?.presenters.insert(uid) }
    }

    func onParticipantStoppedScreenShare(participant: Participant) {
        guard let uid = participant.uid else { return }
        DispatchQueue.main.async { [weak self] in _ = self?.presenters.remove(uid) }
    }

    func onParticipantStartedRecording(participant: Participant) {
        DispatchQueue.main.async { [weak self] in self?.recorder = participant.uid }
    }

    func onParticipantStoppedRecording(participant: Participant) {
        DispatchQueue.main.async { [weak self] in self?.recorder = nil }
    }

    func onDominantSpeakerChanged(participant: Participant) {
        DispatchQueue.main.async { [weak self] in self?.speaker = participant.uid }
    }
}
