import Foundation
import RollcallCalls

@testable import VendorStyle

/// What the library has at the end of an update, for whoever compares later and elsewhere.
struct Library: Sendable {
    let participants: [Participant]
    let hands: [RaisedHand]
    let recording: CallRecording?
    let dominantSpeaker: Participant?
    let media: LocalMedia?
    let audioMode: AudioMode
    let cameraFacing: CameraFacing
    let isReconnecting: Bool

    init(_ session: CallSession) {
        participants = session.participants
        hands = session.raisedHands
        recording = session.recording
        dominantSpeaker = session.dominantSpeaker
        media = session.localMedia
        audioMode = session.audioMode
        cameraFacing = session.cameraFacing
        isReconnecting = session.isReconnecting
    }
}

/// The screens of an app in the vendors' style, which hears nothing but callbacks.
@MainActor
final class VendorScreens {
    let people: PeopleViewController
    let controls: ControlsViewController
    let hands: HandsViewController
    let keeper = RosterKeeper()
    private var wasReconnecting = false

    /// Screens that listen from now on.
    init(_ session: CallSession) {
        people = PeopleViewController(session: session)
        controls = ControlsViewController(session: session)
        hands = HandsViewController(session: session)
        people.viewDidLoad()
        hands.viewDidLoad()
        controls.viewDidLoad()
        session.addParticipantEventListener(keeper)
    }

    /// Pins, or unpins, the one in that line, counted around.
    func tapPin(_ number: Int) {
        let count = people.lines.count
        if count > 0 { people.didTapPin(at: number % count) }
    }

    /// What the app has gathered otherwise than the library has it.
    func differences(from library: Library) -> [String] {
        var lines: [String] = []
        func compare<Value: Equatable>(_ what: String, _ gathered: Value, _ own: Value) {
            if gathered != own { lines.append("\(what): the app has \(gathered), the library has \(own)") }
        }
        let present = library.participants.compactMap(\.uid)
        // A loss is told in the state before it; a pin from since then shows with the next update.
        let isLoss = library.isReconnecting && !wasReconnecting
        wasReconnecting = library.isReconnecting
        for participant in library.participants {
            let uid = participant.uid ?? ""
            let known = people.known[uid] ?? .init()
            compare("\(uid) muted", known.isAudioMuted, participant.isAudioMuted)
            compare("\(uid) video paused", known.isVideoPaused, participant.isVideoPaused)
            compare("\(uid) presenting", known.isPresenting, participant.isPresenting)
            compare("\(uid) hand", known.isHandRaised, participant.raisedHandTimestamp > 0)
            if !isLoss { compare("\(uid) pinned", known.isPinned, participant.isPinned) }
        }
        compare("people known but not there", Set(people.known.keys).subtracting(present), [])
        compare("lines", people.lines.count, present.count)
        compare("title", people.title, "People (\(present.count))")
        compare("queue", hands.queue.map(\.uid), library.hands.map(\.uid))
        compare("roster", keeper.present, present)
        compare("presenters", keeper.presenters, Set(library.participants.filter(\.isPresenting).compactMap(\.uid)))
        compare("recorder", keeper.recorder, library.recording?.participant.uid)
        // The vendors' events have no "nobody": the one who spoke last stays until they leave.
        if let speaker = library.dominantSpeaker { compare("speaker", keeper.speaker, speaker.uid) }
        compare("microphone", controls.isAudioMuted, library.media?.isAudioMuted ?? false)
        compare("camera", controls.isVideoPaused, library.media?.isVideoPaused ?? false)
        compare("screen", controls.isSharing, library.media?.isPresenting ?? false)
        compare("recording", controls.isRecording, library.recording != nil)
        compare("audio mode", controls.output, library.audioMode)
        compare("camera facing", controls.facing, library.cameraFacing)
        compare("offline", controls.isOffline, library.isReconnecting)
        return lines
    }
}
