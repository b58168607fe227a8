import Foundation
import RollcallCalls
import Testing

@Suite("The values of the listener API")
struct ModelTests {
    @Test("A participant shows its status under the older names too")
    func olderNames() {
        var facts = Participant.Facts(uid: "ana")
        facts.status.isAudioMuted = true
        facts.status.isHandRaised = true
        facts.status.handRaisedAt = Date(timeIntervalSince1970: 1_700_000_000.25)
        let participant = Participant(facts)
        #expect(participant.isAudioMuted && participant.audioMuted)
        #expect(!participant.isVideoPaused && !participant.videoPaused && !participant.isPresenting)
        #expect(participant.raisedHandTimestamp == 1_700_000_000)
        #expect(participant.name == nil && participant.avatar == nil && participant.uid == "ana")
        #expect(participant.state == "ongoing" && participant.isJoined && participant.leftAt == 0)
    }

    @Test("Two participants are equal when all that they show is")
    func equality() {
        var facts = Participant.Facts(uid: "ana")
        #expect(Participant(facts) == Participant(facts))
        let before = Participant(facts)
        facts.status.isPinned = true
        #expect(before != Participant(facts))
    }

    @Test("BACK is another name of REAR")
    func cameraAlias() {
        #expect(CameraFacing.BACK == .REAR)
        #expect(CameraFacing.allCases.count == 2)
    }

    /// Implements the older label only.
    private final class OldPanel: MediaEventsListener {
        var modes: [AudioModeType] = []

        func onAudioModeChanged(audioModeType: AudioModeType) { modes.append(audioModeType) }
    }

    @Test("Code with the older names compiles and is called")
    func otherNames() {
        let panel = OldPanel()
        let listener: any MediaEventsListener = panel
        listener.onAudioModeChanged(audioMode: .earpiece)
        #expect(panel.modes == [.earpiece])
        #expect(CallType.audio == SessionType.voice && SessionType.allCases.count == 2)
    }
}
