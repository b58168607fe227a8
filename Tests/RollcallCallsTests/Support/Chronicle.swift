import RollcallCalls
import Synchronization

/// Writes down what happens, in order, and lets a test wait for it.
final class Chronicle: SessionStatusListener, ParticipantEventListener, Sendable {
    private struct State {
        var lines: [String] = []
        var waiting: [(line: String, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// All that has happened.
    var lines: [String] { state.withLock { $0.lines } }

    /// Writes a line.
    func note(_ line: String) {
        let found = state.withLock { state in
            state.lines.append(line)
            let found = state.waiting.filter { $0.line == line }
            state.waiting.removeAll { $0.line == line }
            return found
        }
        for waiting in found { waiting.continuation.resume() }
    }

    /// Waits until a line is there.
    func wait(for line: String) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.lines.contains(line) { return true }
                state.waiting.append((line, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    func onSessionJoined() { note("session joined") }
    func onSessionLeft() { note("session left") }
    func onParticipantListChanged(participants: [Participant]) {
        note("list " + participants.map { $0.name ?? $0.uid ?? "" }.joined(separator: " "))
    }
    func onParticipantAudioMuted(participant: Participant) { note("muted \(participant.uid ?? "")") }
    func onParticipantStartedRecording(participant: Participant) { note("recorded by \(participant.uid ?? "")") }
}
