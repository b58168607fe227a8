import RollcallCalls

final class CallScreen: SessionStatusListener, ParticipantEventListener {
    func onSessionJoined() { print("joined") }

    func onParticipantListChanged(participants: [Participant]) {
        print("here:", participants.compactMap(\.name).joined(separator: ", "))
    }

    // Told also of what was so before this client came.
    func onParticipantAudioMuted(participant: Participant) { print(participant.name ?? "", "is muted") }

    func onRaisedHandsChanged(raisedHands: [RaisedHand]) {
        print("hands:", raisedHands.compactMap(\.name).joined(separator: ", "))
    }
}

let screen = CallScreen()
let session = CallSession.shared
session.addSessionStatusListener(screen)
session.addParticipantEventListener(screen)

try await RollcallCalls.setUp(callsAppSettings: CallAppSettingsBuilder().setRelay("unix:/tmp/rollcall.sock").build())
try await RollcallCalls.login(UID: "eva", name: "Eva")
try await RollcallCalls.joinSession(
    sessionID: "standup",
    callSetting: RollcallCalls.sessionSettingsBuilder.startAudioMuted(true).build()
)
for participant in session.participants where participant.status.isAudioMuted { print("-", participant.name ?? "") }

session.raiseHand()  // shows at once; a refusal is taken back, with an event
try await session.perform(.setTitle("Standup"))  // returns when the relay has it, throws when it refuses
await session.leave()
