import Dispatch
import Rollcall
import TestSupport
import Testing

@testable import RollcallCalls

/// The way in, with the one shared session: one test at a time.
@Suite("The way in", .serialized, .timeLimit(.minutes(2)))
struct EntryTests {
    private let chronicle = Chronicle()

    /// Sets the module up for a relay, and logs Ana in.
    private func ready(_ relay: RelayProcess) async throws {
        let settings = CallAppSettingsBuilder().setRelay("\(relay.address)").build()
        try await RollcallCalls.setUp(callsAppSettings: settings)
        try await RollcallCalls.login(UID: "ana", name: "Ana", deviceID: "phone")
    }

    private func join(_ session: String, _ settings: SessionSettings = SessionSettingsBuilder().build()) {
        let chronicle = chronicle
        RollcallCalls.joinSession(sessionID: session, callSetting: settings, container: nil) { session in
            chronicle.note("success \(session)")
        } onError: { error in
            chronicle.note("error \(error?.errorCode ?? "")")
        }
    }

    private func leave() async {
        await RollcallCalls.logout()
        CallSession.shared.clearAllListeners()
    }

    @Test("onSuccess comes once, before the listeners are told anything")
    func successFirst() async throws {
        let relay = try await RelayProcess()
        try await ready(relay)
        CallSession.shared.addSessionStatusListener(chronicle)
        CallSession.shared.addParticipantEventListener(chronicle)
        join("standup")
        await chronicle.wait(for: "list Ana")
        #expect(chronicle.lines == ["success standup", "session joined", "list Ana"])
        #expect(CallSession.shared.isCallSessionActive() && CallSession.shared.sessionID == "standup")
        await leave()
    }

    @Test("A listener that onSuccess adds hears everything from the join on, once")
    func listenInSuccess() async throws {
        let relay = try await RelayProcess()
        try await ready(relay)
        let chronicle = chronicle
        RollcallCalls.joinSession(
            sessionID: "standup",
            callSetting: RollcallCalls.sessionSettingsBuilder.startAudioMuted(true).build()
        ) { _ in
            chronicle.note("success, \(CallSession.shared.participants.count) there")
            CallSession.shared.addSessionStatusListener(chronicle)
            CallSession.shared.addParticipantEventListener(chronicle)
        } onError: { _ in
            chronicle.note("error")
        }
        await chronicle.wait(for: "muted ana")
        #expect(chronicle.lines == ["success, 1 there", "session joined", "list Ana", "muted ana"])
        await leave()
    }

    @Test("onError comes once, and leaves the session in no call")
    func unreachable() async throws {
        let settings = CallAppSettingsBuilder().setRelay("unix:/nowhere/rollcall.sock").build()
        try await RollcallCalls.setUp(callsAppSettings: settings)
        try await RollcallCalls.login(UID: "ana")
        CallSession.shared.addSessionStatusListener(chronicle)
        join("standup")
        await chronicle.wait(for: "error ERR_UNREACHABLE")
        join("")
        await chronicle.wait(for: "error SESSION ID ERROR")
        #expect(chronicle.lines == ["error ERR_UNREACHABLE", "error SESSION ID ERROR"])
        #expect(!CallSession.shared.isCallSessionActive())
        await leave()
    }

    @Test("A second join is refused, and the call goes on")
    func joinedAlready() async throws {
        let relay = try await RelayProcess()
        try await ready(relay)
        join("standup")
        await chronicle.wait(for: "success standup")
        join("another")
        await chronicle.wait(for: "error ERR_ALREADY_JOINED")
        #expect(CallSession.shared.sessionID == "standup" && CallSession.shared.isCallSessionActive())
        await leave()
        #expect(!CallSession.shared.isCallSessionActive())
    }

    @Test("Who leaves while joining, or is cancelled, is told so once, and can join again")
    func leftWhileJoining() async throws {
        let relay = try await RelayProcess()
        let proxy = try FaultProxy(to: relay.address)
        await proxy.admit(.swallow)
        let app = CallAppSettingsBuilder().setRelay("\(proxy.address)").build()
        try await RollcallCalls.setUp(callsAppSettings: app)
        try await RollcallCalls.login(UID: "ana")
        CallSession.shared.addSessionStatusListener(chronicle)
        join("standup")
        try await proxy.until("a client connects") { $0.accepted == 1 }
        CallSession.shared.leaveSession()
        await chronicle.wait(for: "error ERR_CANCELLED")
        let joining = Task {
            try await RollcallCalls.joinSession(sessionID: "standup", callSetting: SessionSettingsBuilder().build())
        }
        try await proxy.until("a client connects again") { $0.accepted == 2 }
        joining.cancel()
        await #expect {
            try await joining.value
        } throws: { ($0 as? RollcallCallException)?.errorCode == "ERR_CANCELLED" }
        await proxy.admit(.pass)
        join("standup")
        await chronicle.wait(for: "session joined")
        #expect(chronicle.lines == ["error ERR_CANCELLED", "success standup", "session joined"])
        await leave()
    }

    @Test("Setting up, logging in and out answer once, by closure or async")
    func loginAndLogout() async throws {
        let chronicle = chronicle
        RollcallCalls(callsAppSettings: CallAppSettingsBuilder().setRelay("nonsense").build()) { _ in
            chronicle.note("set up")
        } onError: { error in
            chronicle.note("error \(error?.errorCode ?? "")")
        }
        await chronicle.wait(for: "error INIT ERROR")
        RollcallCalls(callsAppSettings: CallAppSettingsBuilder().setRelay("unix:/tmp/r.sock").build()) { relay in
            chronicle.note("set up \(relay)")
        } onError: { _ in
            chronicle.note("error")
        }
        await chronicle.wait(for: "set up unix:/tmp/r.sock")
        RollcallCalls.login(UID: "") { _ in
            chronicle.note("login")
        } onError: { error in
            chronicle.note("error \(error.errorCode)")
        }
        await chronicle.wait(for: "error ERR_INVALID_ARGUMENT")
        RollcallCalls.login(UID: "ben", name: "Ben") { user in
            chronicle.note("login \(user.name ?? "")")
        } onError: { _ in
            chronicle.note("error")
        }
        await chronicle.wait(for: "login Ben")
        #expect(RollcallCalls.getLoggedInUser()?.uid == "ben")
        RollcallCalls.logout { _ in
            chronicle.note("logout")
        } onError: { _ in
            chronicle.note("error")
        }
        await chronicle.wait(for: "logout")
        #expect(RollcallCalls.getLoggedInUser() == nil)
        #expect(
            chronicle.lines == [
                "error INIT ERROR", "set up unix:/tmp/r.sock", "error ERR_INVALID_ARGUMENT", "login Ben", "logout",
            ]
        )
    }

    @Test("The async forms throw what the closures are told")
    func asyncForms() async throws {
        let relay = try await RelayProcess()
        try await ready(relay)
        let settings = SessionSettingsBuilder().setIdleTimeoutPeriod(-1).build()
        await #expect {
            try await RollcallCalls.joinSession(sessionID: "standup", callSetting: settings)
        } throws: { ($0 as? RollcallCallException)?.errorCode == "ERR_INVALID_SETTING" }
        try await RollcallCalls.joinSession(sessionID: "standup", callSetting: SessionSettingsBuilder().build())
        #expect(CallSession.shared.localParticipant?.name == "Ana")
        let logs = try await CallLogsRequest.CallLogsBuilder().build().fetchNext()
        #expect(logs.map(\.sessionID) == ["standup"] && logs.map(\.status) == [.ongoing])
        await leave()
        #expect(CallSession.shared.endReason == .left && RollcallCalls.getLoggedInUser() == nil)
        await #expect {
            try await RollcallCalls.joinSession(sessionID: "standup", callSetting: SessionSettingsBuilder().build())
        } throws: { ($0 as? RollcallCallException)?.errorCode == "AUTH TOKEN ERROR" }
    }
}

/// What settings do in a call.
@Suite("Session settings in a call", .timeLimit(.minutes(2)))
struct SettingsInACallTests {
    private func join(
        _ relay: RelayProcess,
        _ uid: String,
        _ settings: SessionSettingsBuilder = SessionSettingsBuilder()
    ) async throws -> CallSession {
        let session = CallSession(callbackQueue: DispatchQueue(label: uid))
        try await session.join(
            client: RollcallClient(relay.address),
            sessionID: "standup",
            identity: Identity(uid: uid, device: "d"),
            settings: settings.build()
        )
        return session
    }

    @Test("What the device starts with is in the first state that others see")
    func firstState() async throws {
        let relay = try await RelayProcess()
        let ana = try await join(relay, "ana")
        let chronicle = Chronicle()
        ana.addParticipantEventListener(chronicle)
        let ben = try await join(
            relay,
            "ben",
            SessionSettingsBuilder().setDisplayName("Ben B.").startAudioMuted(true).setSessionType(.voice)
        )
        await chronicle.wait(for: "muted ben")
        let seen = try #require(ana.participant(uid: "ben"))
        #expect(seen.name == "Ben B." && seen.isAudioMuted && seen.isVideoPaused)
        #expect(ben.localMedia == LocalMedia(isAudioMuted: true, isVideoPaused: true, isPresenting: false))
        #expect(ana.localMedia == LocalMedia(isAudioMuted: false, isVideoPaused: false, isPresenting: false))
        await ana.leave()
        await ben.leave()
    }

    @Test("The policy of the call is readable, and the first to join sets the idle timeout")
    func policy() async throws {
        let relay = try await RelayProcess()
        #expect(CallSession().policy == nil)
        let ana = try await join(relay, "ana", SessionSettingsBuilder().setIdleTimeoutPeriod(90))
        let ben = try await join(relay, "ben", SessionSettingsBuilder().setIdleTimeoutPeriod(10))
        #expect(ben.policy?.idleTimeoutPeriod == 90 && ben.policy?.isModeratorsOnly == false)
        try await ana.perform(.setStandingMute(true))
        try await ana.perform(.lockCall(true))
        try await ben.perform(.setDisplayName("Ben"))  // What happened before is known then.
        let policy = try #require(ben.policy)
        #expect(policy.isStandingMuteOn && policy.isCallLocked && policy.areHandsEnabled)
        #expect(!policy.isStandingCameraOffOn && ben.localMedia?.isAudioMuted == true)
        await ana.leave()
        await ben.leave()
        #expect(ben.policy != nil, "the last state stays readable")
    }

    @Test("The first title counts, and a recording starts once")
    func titleAndRecording() async throws {
        let relay = try await RelayProcess()
        let settings = SessionSettingsBuilder().setTitle("Plans").enableAutoStartRecording(true)
        let ana = try await join(relay, "ana", settings)
        let chronicle = Chronicle()
        ana.addParticipantEventListener(chronicle)
        await chronicle.wait(for: "recorded by ana")
        try await ana.perform(.setDisplayName("Ana"))  // What was asked for before is done then.
        #expect(ana.title == "Plans" && ana.recording?.participant.uid == "ana")
        let ben = try await join(relay, "ben", SessionSettingsBuilder().setTitle("Mine").enableAutoStartRecording(true))
        try await ben.perform(.setDisplayName("Ben"))
        #expect(ben.title == "Plans" && ben.recording?.participant.uid == "ana" && ben.lastError == nil)
        await ana.leave()
        await ben.leave()
    }

    @Test("To hide the raise-hand button forbids nothing; the policy of the call does")
    func hands() async throws {
        let relay = try await RelayProcess()
        let ana = try await join(relay, "ana", SessionSettingsBuilder().hideRaiseHandButton(true))
        #expect(ana.settings?.hideRaiseHandButton == true)
        try await ana.perform(.raiseHand)
        #expect(ana.raisedHands.map(\.uid) == ["ana"])
        let ben = try await join(relay, "ben")
        try await ana.perform(.setHandsEnabled(false))
        #expect(ana.raisedHands.isEmpty && ana.policy?.areHandsEnabled == false)
        await #expect {
            try await ben.perform(.raiseHand)
        } throws: { ($0 as? RollcallCallException)?.errorCode == "ERR_HELD_DOWN" }
        try await ana.perform(.setHandsEnabled(true))
        try await ben.perform(.raiseHand)
        #expect(ben.policy?.areHandsEnabled == true)
        await ana.leave()
        await ben.leave()
    }
}
