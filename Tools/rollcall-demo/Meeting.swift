import CallState
import Rollcall

/// A small meeting in real time: who does what, with real clients over real connections.
///
/// ben's phone loses its link on the way and comes back; dan comes when much is in effect already.
final class Meeting {
    private let client: RollcallClient
    private let session: String
    private var calls: [String: Call] = [:]

    init(relay: Address, session: String) {
        client = RollcallClient(relay)
        self.session = session
    }

    /// What has happened before dan comes.
    func begin() async throws {
        try await join("ana", "laptop", Status(audio: .on, video: .on))
        try await join("ben", "phone", Status(audio: .on, video: .on))
        try await call("ana").startRecording()
        try await call("ana").setTitle("Daily standup")
        try await join("chloe", "laptop", Status(audio: .on, video: .paused))
        try await join("chloe", "phone", Status())
        try await call("ana").startPresenting()
        try await call("ben").setAudio(.muted)
        try await call("ben").raiseHand()
        try await call("chloe").raiseHand()
        try await speak("chloe")
    }

    /// dan comes late; gives what he sees at once.
    func joinLate() async throws -> CallSnapshot {
        try await join("dan", "phone", Status())
        return try call("dan").state
    }

    /// The digests of all clients, once they have reached `position`.
    func digests(at position: Position) async -> Set<UInt64> {
        var digests: Set<UInt64> = []
        for call in calls.values {
            for await update in call.updates where update.state.position >= position {
                digests.insert(update.state.digest)
                break
            }
        }
        return digests
    }

    /// The number of connections.
    var clients: Int { calls.count }

    /// What happens while somebody watches: about 16 seconds.
    func goOn() async throws {
        try await pause(1_200)
        try await call("ben").setAudio(.on)
        try await pause(900)
        try await call("ana").lowerHand("ben")
        try await speak("ben")
        try await pause(1_400)
        try call("ben").cutLink()
        try await pause(2_600)
        try await call("dan").setAudio(.on)
        try await call("dan").raiseHand()
        try await pause(1_500)
        try await call("ana").stopPresenting()
        try await call("dan").startPresenting()
        try await speak("dan")
        try await pause(1_500)
        try await call("chloe").setVideo(.on)
        try await pause(1_000)
        try await call("ana").muteAll()
        try await pause(1_500)
        try await call("ana").lowerAllHands()
        try await call("ana").stopRecording()
        try await pause(1_500)
        await leave("chloe/phone")
        try await pause(1_500)
        await leave("dan/phone")
        try await pause(1_000)
    }

    /// Everybody leaves.
    func end() async {
        for name in calls.keys.sorted() { await leave(name) }
    }

    private func join(_ uid: String, _ device: String, _ status: Status) async throws {
        let name = uid.prefix(1).uppercased() + uid.dropFirst()
        let identity = Identity(uid: uid, name: name, device: device)
        calls["\(uid)/\(device)"] = try await client.join(session, as: identity, status: status)
    }

    private func leave(_ name: String) async {
        await calls.removeValue(forKey: name)?.leave()
    }

    /// The first device of a person.
    private func call(_ uid: String) throws -> Call {
        let name = calls.keys.filter { $0.hasPrefix(uid + "/") }.min()
        guard let name, let call = calls[name] else { throw MeetingError.notThere(uid) }
        return call
    }

    /// One speaks and all others are silent, long enough to become the dominant speaker.
    private func speak(_ uid: String) async throws {
        let speaker = try call(uid)
        for call in calls.values where call !== speaker { call.speaking(false) }
        speaker.speaking(true)
        try await pause(700)
        speaker.speaking(false)
    }

    private func pause(_ milliseconds: Int) async throws {
        try await Task.sleep(for: .milliseconds(milliseconds))
    }
}

/// The script names somebody who is not in the meeting.
enum MeetingError: Error {
    case notThere(String)
}
