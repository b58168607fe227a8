import Foundation
import RollcallCalls

// The code of the pages of documentation, as it stands there; DocumentationTests holds it so.

final class FlagKeeper: ParticipantEventListener {
    struct Flags {
        var isMuted = false
        var isCameraOff = false
        var isSharing = false
        var hasHandUp = false
    }

    private(set) var flags: [String: Flags] = [:]

    func onParticipantAudioMuted(participant: Participant) {
        flags[participant.uid ?? "", default: Flags()].isMuted = true
    }

    func onParticipantAudioUnmuted(participant: Participant) {
        flags[participant.uid ?? "", default: Flags()].isMuted = false
    }

    func onParticipantLeft(participant: Participant) {
        flags[participant.uid ?? ""] = nil
    }

    // ... and six more.
}

func badge(of participant: Participant) -> String {
    let status = participant.status
    var words: [String] = []
    if status.isAudioMuted { words.append("muted") }
    if status.isVideoPaused { words.append("camera off") }
    if status.isPresenting { words.append("presenting") }
    if status.isHandRaised { words.append("hand up") }
    return words.joined(separator: ", ")
}

final class ParticipantRows: ParticipantEventListener {
    private(set) var rows: [String] = []

    func onParticipantListChanged(participants: [Participant]) {
        show(participants)
    }

    func onParticipantStatusChanged(participant: Participant, old: ParticipantStatus, new: ParticipantStatus) {
        show(CallSession.shared.participants)
    }

    private func show(_ participants: [Participant]) {
        rows = participants.map { "\($0.name ?? $0.uid ?? ""): \(badge(of: $0))" }
    }
}

final class HandKeeper: ParticipantEventListener {
    private(set) var queue: [(uid: String, at: Date)] = []

    func onParticipantHandRaised(participant: Participant) {
        guard let uid = participant.uid, !queue.contains(where: { $0.uid == uid }) else { return }
        queue.append((uid, Date()))
    }

    func onParticipantHandLowered(participant: Participant) {
        queue.removeAll { $0.uid == participant.uid }
    }

    func onParticipantLeft(participant: Participant) {
        queue.removeAll { $0.uid == participant.uid }
    }
}

final class HandRows: ParticipantEventListener {
    private(set) var rows: [String] = []

    func onRaisedHandsChanged(raisedHands: [RaisedHand]) {
        rows = raisedHands.map { "\($0.place). \($0.name ?? $0.uid)" }
    }
}

final class GuessingPanel: MediaEventsListener {
    private var isMuted = false

    func onAudioMuted() { isMuted = true }
    func onAudioUnMuted() { isMuted = false }

    func tapMicrophone() {
        if isMuted { CallSession.shared.unmuteAudio() } else { CallSession.shared.muteAudio() }
    }
}

func tapMicrophone() {
    let session = CallSession.shared
    if session.localMedia?.isAudioMuted == true { session.unmuteAudio() } else { session.muteAudio() }
}

func unmuteOrExplain() async -> String? {
    do {
        try await CallSession.shared.perform(.unmuteAudio)
        return nil
    } catch {
        return error.errorDescription
    }
}

func found(_ text: String) -> [String] {
    CallSession.shared.search(text).compactMap(\.name)
}

func doWithoutHands() async throws -> SessionSettings {
    let settings = RollcallCalls.sessionSettingsBuilder.hideRaiseHandButton(true).build()
    try await RollcallCalls.joinSession(sessionID: "lecture", callSetting: settings)
    try await CallSession.shared.perform(.setHandsEnabled(false))
    return settings
}

func attendance(of sessionID: String) async throws -> [String] {
    let request = CallLogsRequest.CallLogsBuilder().set(sessionID: sessionID).build()
    guard let last = try await request.fetchNext().first else { return [] }
    return last.participants.map { "\($0.name ?? $0.uid ?? ""): \($0.totalDurationInMinutes) min" }
}

func joinAsOnTheFirstPage() async throws {
    let app = CallAppSettingsBuilder().setRelay("unix:/tmp/rollcall.sock").build()
    try await RollcallCalls.setUp(callsAppSettings: app)
    try await RollcallCalls.login(UID: "ana", name: "Ana")
    try await RollcallCalls.joinSession(
        sessionID: "standup",
        callSetting: RollcallCalls.sessionSettingsBuilder.startAudioMuted(true).build()
    )
    for participant in CallSession.shared.participants {
        print(participant.name ?? "", participant.status.isAudioMuted ? "muted" : "")
    }
}

func muteBen() async throws {
    try await CallSession.shared.perform(.muteParticipant(participantId: "ben"))
}
