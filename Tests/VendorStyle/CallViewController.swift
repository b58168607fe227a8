import Dispatch
import RollcallCalls

// The screen of the call itself: it hides what it draws itself, joins, and begins to listen only when it is in.

class CallViewController: ViewController {
    let container = View()
    private(set) var status = "connecting"
    private(set) var roster: [String] = []

    lazy var sessionSettings = RollcallCalls.sessionSettingsBuilder
        .hideControlPanel(true)
        .hideParticipantListButton(true)
        .hideRaiseHandButton(true)
        .startAudioMuted(true)
        .setSessionType(.video)
        .setIdleTimeoutPeriod(0)
        .build()

    func startCall(_ sessionID: String) {
        RollcallCalls.joinSession(
            sessionID: sessionID,
            callSetting: sessionSettings,
            container: container,
            onSuccess: { [weak self] _ in
                guard let self = self else { return }
                CallSession.shared.addSessionStatusListener(self)
                CallSession.shared.addParticipantEventListener(self)
            },
            onError: { error in
                DispatchQueue.main.async { self.status = error?.errorDescription ?? "failed" }
            }
        )
    }
}

extension CallViewController: SessionStatusListener, ParticipantEventListener {
    func onSessionJoined() { DispatchQueue.main.async { self.status = "in the call" } }
    func onSessionLeft() { DispatchQueue.main.async { self.status = "left" } }
    func onConnectionClosed() { DispatchQueue.main.async { self.status = "closed" } }

    func onParticipantListChanged(participants: [Participant]) {
        DispatchQueue.main.async { self.roster = participants.map { $0.name ?? "" } }
    }
}
