import Dispatch
import Foundation
import Rollcall
import RollcallCalls
import TestSupport
import Testing

@testable import Examples
@testable import VendorStyle

/// What the buttons of the apps do, between two people on a real relay.
@Suite("Example apps", .timeLimit(.minutes(2)))
struct ExampleAppTests {
    /// An app of somebody, whose parts belong to its callback queue.
    private final class Desk: @unchecked Sendable {
        let session: CallSession
        let queue: DispatchQueue
        let list: ParticipantListApp
        let panel: ControlPanelApp
        let hands: RaisedHandQueueApp
        private var waiting: [(condition: (Desk) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

        init(_ uid: String) {
            queue = DispatchQueue(label: "desk \(uid)")
            session = CallSession(callbackQueue: queue)
            list = ParticipantListApp(session: session)
            panel = ControlPanelApp(session: session)
            hands = RaisedHandQueueApp(session: session)
            list.onChange = { [weak self] in self?.look() }
            panel.onChange = { [weak self] in self?.look() }
            hands.onChange = { [weak self] in self?.look() }
        }

        private func look() {
            let ready = waiting.filter { $0.condition(self) }
            waiting.removeAll { $0.condition(self) }
            for waiting in ready { waiting.continuation.resume() }
        }

        /// Does something on the queue.
        func act(_ body: @escaping @Sendable (Desk) -> Void) { queue.async { body(self) } }

        /// Waits until the apps show something.
        func until(_ condition: @escaping @Sendable (Desk) -> Bool) async {
            await withCheckedContinuation { continuation in
                queue.async { [self] in
                    waiting.append((condition, continuation))
                    look()
                }
            }
        }

        func row(_ uid: String) -> ParticipantListApp.Row? { list.rows.first { $0.uid == uid } }
    }

    private func desk(_ uid: String, _ name: String, _ relay: RelayProcess) async throws -> Desk {
        let desk = Desk(uid)
        var settings = SessionSettings()
        settings.idleTimeoutPeriod = 0
        let identity = Identity(uid: uid, name: name, device: "desk")
        try await desk.session.join(
            client: RollcallClient(relay.address),
            sessionID: "desk",
            identity: identity,
            settings: settings
        )
        return desk
    }

    @Test("a tap on mute mutes another, and asks one who is muted to unmute")
    func mute() async throws {
        let relay = try await RelayProcess()
        let ana = try await desk("ana", "Ana", relay)
        let ben = try await desk("ben", "Ben", relay)
        await ana.until { $0.row("ben")?.badges == [] }
        ana.act { desk in if let row = desk.row("ben") { desk.list.tapMute(row) } }
        await ben.until { $0.panel.isAudioMuted }
        await ana.until { $0.row("ben")?.badges == [.muted] }
        ana.act { desk in if let row = desk.row("ben") { desk.list.tapMute(row) } }
        await ben.until { $0.session.localParticipant?.status.isUnmuteRequested == true }
        // Only the own tap opens the microphone.
        ben.act { $0.panel.tapAudio() }
        await ana.until { $0.row("ben")?.badges == [] }
        await ben.until { !$0.panel.isAudioMuted }
        withExtendedLifetime(relay) {}
    }

    @Test("a pin is one's own, and the search finds by name")
    func pinAndSearch() async throws {
        let relay = try await RelayProcess()
        let ana = try await desk("ana", "Ana", relay)
        let ben = try await desk("ben", "Bén", relay)
        await ana.until { $0.row("ben") != nil && $0.list.title == "Participants (2)" }
        ana.act { desk in if let row = desk.row("ben") { desk.list.tapPin(row) } }
        await ana.until { $0.row("ben")?.badges == [.pinned] }
        await ben.until { $0.row("ben")?.badges == [] }
        ana.act { $0.list.searchText = "be" }
        await ana.until { $0.list.rows.map(\.name) == ["Bén"] && $0.list.title == "Participants (2)" }
        ana.act { desk in if let row = desk.row("ben") { desk.list.tapPin(row) } }
        await ana.until { $0.row("ben")?.badges == [] }
        withExtendedLifetime(relay) {}
    }

    @Test("hands stand in one order for all, and all go down at once")
    func hands() async throws {
        let relay = try await RelayProcess()
        let ana = try await desk("ana", "Ana", relay)
        let ben = try await desk("ben", "Ben", relay)
        ben.act { $0.hands.tapRaise() }
        await ana.until { $0.hands.rows.map(\.uid) == ["ben"] }
        ana.act { $0.hands.tapRaise() }
        await ben.until { $0.hands.rows.map(\.uid) == ["ben", "ana"] && $0.hands.rows.map(\.place) == [1, 2] }
        await ana.until { $0.panel.isHandRaised && $0.hands.rows.map(\.name) == ["Ben", "Ana"] }
        ana.act { $0.hands.tapLowerAll() }
        await ben.until { $0.hands.rows.isEmpty && !$0.panel.isHandRaised }
        await ana.until { $0.hands.rows.isEmpty && !$0.panel.isHandRaised }
        withExtendedLifetime(relay) {}
    }

    @Test("the panel follows the session to its end")
    func session() async throws {
        let relay = try await RelayProcess()
        let ana = try await desk("ana", "Ana", relay)
        await ana.until { if case .running = $0.panel.timer { $0.panel.participantCount == 1 } else { false } }
        ana.act { $0.panel.tapRecording() }
        await ana.until { $0.panel.isRecording }
        ana.act { $0.panel.tapSwitchCamera() }
        await ana.until { $0.panel.cameraFacing == .REAR }
        ana.act { $0.panel.tapLeave() }
        await ana.until { $0.panel.timer == .ended(.left) }
        withExtendedLifetime(relay) {}
    }

    @Test("attendance is counted from the relay's times")
    func attendance() {
        let present = ParticipantListApp.Attendance(uid: "ana", name: "Ana", joinedAt: 1_000)
        #expect(present.minutes(until: 1_090) == 1.5)
        #expect(present.minutes(until: 900) == 0)
        let gone = ParticipantListApp.Attendance(uid: "ana", name: "Ana", joinedAt: 1_000, leftAt: 1_030)
        #expect(gone.minutes(until: 9_999) == 0.5)
    }

    @Test("a screen in the vendors' style on the main queue is right, and goes without a trace")
    @MainActor
    func onTheMainQueue() async throws {
        let relay = try await RelayProcess()
        let ben = try await desk("ben", "Ben", relay)
        ben.act { $0.hands.tapRaise() }
        await ben.until { $0.hands.rows.count == 1 }
        let session = CallSession()
        var people: PeopleViewController? = PeopleViewController(session: session)
        people?.viewDidLoad()
        var settings = SessionSettings()
        settings.startAudioMuted = true
        try await session.join(
            client: RollcallClient(relay.address),
            sessionID: "desk",
            identity: Identity(uid: "ana", name: "Ana", device: "phone"),
            settings: settings
        )
        while people?.lines != ["Ben, hand", "Ana, muted"] { await Task.yield() }
        weak let gone = people
        // It takes itself off the session's listeners while it goes.
        people = nil
        while gone != nil { await Task.yield() }
        session.unmuteAudio()
        await session.leave()
        withExtendedLifetime(relay) {}
    }

    @Test("settings of an app in the vendors' style say what it draws itself")
    @MainActor
    func settings() {
        let settings = CallViewController().sessionSettings
        #expect(settings.hideControlPanel && settings.hideParticipantListButton && settings.hideRaiseHandButton)
        #expect(settings.startAudioMuted && settings.idleTimeoutPeriod == 0 && !settings.hideHeaderPanel)
    }
}
