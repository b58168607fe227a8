import Foundation
import Rollcall
import RollcallCalls
import TestSupport
import Testing

/// Sessions over real sockets, many in one process.
@Suite("Sessions", .timeLimit(.minutes(2)))
struct SessionTests {
    let queue = DispatchQueue(label: "app")

    func session(_ uid: String, at relay: RelayProcess, _ watcher: Watcher? = nil) async throws -> CallSession {
        try await session(uid, at: relay.address, watcher)
    }

    func session(_ uid: String, at address: Address, _ watcher: Watcher? = nil) async throws -> CallSession {
        let session = CallSession(callbackQueue: queue)
        watcher?.listen(to: session)
        try await join(session, uid, at: address)
        return session
    }

    func join(_ session: CallSession, _ uid: String, at address: Address) async throws {
        try await session.join(
            client: RollcallClient(address),
            sessionID: "standup",
            identity: Identity(uid: uid, name: uid.capitalized, device: "d"),
            settings: SessionSettingsBuilder().build()
        )
    }

    @Test("L-1 L-2 L-3: early, at the join or late: every listener hears the same state")
    func replays() async throws {
        let relay = try await RelayProcess()
        let ana = try await session("ana", at: relay)
        try await ana.perform(.raiseHand)
        try await ana.perform(.muteAudio)
        let early = Watcher()
        let ben = try await session("ben", at: relay, early)
        await early.hear("hands ana")
        let late = Watcher()
        late.listen(to: ben)
        await late.hear("joined ben")
        #expect(
            late.heard.prefix(5) == ["session joined", "list ana,ben", "joined ana", "muted ana", "joined ben"]
        )
        #expect(ben.raisedHands.map(\.uid) == ["ana"] && ben.participant(uid: "ana")?.isAudioMuted == true)
        #expect(ben.raisedHands.map(\.raisedAt) == ana.raisedHands.map(\.raisedAt))
        #expect(ana.localParticipant?.isLocal == true && ben.participant(uid: "ana")?.isLocal == false)
    }

    @Test("L-4: without the replay a listener hears of changes only")
    func noReplay() async throws {
        let relay = try await RelayProcess()
        let ana = try await session("ana", at: relay)
        let watcher = Watcher()
        let ben = CallSession(callbackQueue: queue)
        ben.replaysCurrentState = false
        watcher.listen(to: ben)
        try await join(ben, "ben", at: relay.address)
        ana.muteAudio()
        await watcher.hear("muted ana")
        #expect(watcher.heard == ["session joined", "muted ana"])
    }

    @Test("L-7: a moderator's mute is heard by the own device; with the own person left out, of that alone")
    func moderated() async throws {
        let relay = try await RelayProcess()
        let watcher = Watcher()
        let ana = CallSession(callbackQueue: queue)
        ana.includesLocalParticipant = false
        watcher.listen(to: ana)
        try await join(ana, "ana", at: relay.address)
        let ben = try await session("ben", at: relay)
        await watcher.hear("joined ben")
        ben.muteParticipant(participantId: "ana")
        await watcher.hear("own muted")
        #expect(!watcher.heard.contains("joined ana") && !watcher.heard.contains("muted ana"))
        #expect(watcher.heard.contains("list ana,ben"))
        #expect(ana.localMedia?.isAudioMuted == true)
    }

    @Test("L-15: a refusal is told after the event that takes back what was shown")
    func refusal() async throws {
        let relay = try await RelayProcess()
        let network = try FaultProxy(to: relay.address)
        let watcher = Watcher()
        let ana = try await session("ana", at: network.address, watcher)
        let ben = try await session("ben", at: relay)
        try await ben.perform(.lockAudio(participantId: "ana"))
        await watcher.hear("own muted")
        let order = Watcher()
        order.listen(to: ana)
        await order.hear("own muted")
        let (errors, continuation) = AsyncStream.makeStream(of: (SessionCommand, RollcallCallException, [String]).self)
        ana.onError = { continuation.yield(($0, $1, order.heard)) }
        await network.hold(.toRelay)
        ana.unmuteAudio()
        #expect(ana.localMedia?.isAudioMuted == false, "at once")
        await network.release(.toRelay)
        for await (command, error, heard) in errors {
            #expect(command == .unmuteAudio && error.errorCode == RollcallCallException.Code.heldDown)
            #expect(heard.last { $0.hasPrefix("own") } == "own muted")
            break
        }
        #expect(ana.localMedia?.isAudioMuted == true && ana.lastError?.errorCode == "ERR_HELD_DOWN")
        await #expect(throws: RollcallCallException.self) { try await ana.perform(.unmuteAudio) }
    }

    @Test("L-14: who is removed or replaced hears it once, with the reason")
    func terminals() async throws {
        let relay = try await RelayProcess()
        let (removed, replaced) = (Watcher(), Watcher())
        let ana = try await session("ana", at: relay)
        let ben = try await session("ben", at: relay, removed)
        let chloe = try await session("chloe", at: relay, replaced)
        ana.removeParticipant(participantId: "ben")
        await removed.hear("session ended left")
        #expect(ben.endReason == .removed && ben.endError?.errorCode == "ERR_REMOVED")
        #expect(!ben.isCallSessionActive() && ben.participants.map(\.uid).contains("ana"))
        #expect(removed.heard.count { $0.hasPrefix("session ended") } == 1)
        #expect(removed.heard.last == "session ended left")

        var options = ClientOptions()
        options.instance = Array(1...16)
        let other = CallSession(callbackQueue: queue)
        try await other.join(
            client: RollcallClient(relay.address, options: options),
            sessionID: "standup",
            identity: Identity(uid: "chloe", device: "d"),
            settings: SessionSettingsBuilder().build()
        )
        await replaced.hear("session ended left")
        #expect(chloe.endReason == .replaced && other.isCallSessionActive())
    }

    @Test("L-14: who is alone for the idle period hears that, and nobody's left")
    func idle() async throws {
        let relay = try await RelayProcess()
        let watcher = Watcher()
        let ana = CallSession(callbackQueue: queue)
        watcher.listen(to: ana)
        try await ana.join(
            client: RollcallClient(relay.address),
            sessionID: "alone",
            identity: Identity(uid: "ana"),
            settings: SessionSettingsBuilder().setIdleTimeoutPeriod(1).build()
        )
        await watcher.hear("session ended timedOut")
        #expect(watcher.heard == ["session joined", "list ana", "joined ana", "session ended timedOut"])
        #expect(ana.endReason == .timedOut && !ana.isCallSessionActive() && ana.participants.count == 1)
    }

    @Test("L-1: inside a callback everything answers with its state, elsewhere with the latest")
    func insideAndOutside() async throws {
        let relay = try await RelayProcess()
        let ana = try await session("ana", at: relay)
        let watcher = Watcher()
        let ben = CallSession(callbackQueue: queue)
        watcher.listen(to: ben)
        let (seen, continuation) = AsyncStream.makeStream(of: [Bool?].self)
        let other = DispatchQueue(label: "other")
        watcher.onHeard { text in
            guard text == "muted ana" else { return }
            ben.muteAudio()
            // Elsewhere what was asked for shows already; here the state stays that of the callback.
            let elsewhere = other.sync { ben.isCallSessionActive() }
            continuation.yield([ben.localMedia?.isAudioMuted, ben.participant(uid: "ana")?.isAudioMuted, elsewhere])
        }
        try await join(ben, "ben", at: relay.address)
        ana.muteAudio()
        for await values in seen {
            #expect(values == [false, true, true])
            break
        }
        await watcher.hear("own muted")
    }

    @Test("L-12 L-15 L-16: offline intents hold before restored; the pin stays; a refusal is told before restored too")
    func reconnect() async throws {
        let relay = try await RelayProcess()
        let network = try FaultProxy(to: relay.address)
        let watcher = Watcher()
        let ana = try await session("ana", at: network.address, watcher)
        let ben = try await session("ben", at: relay)
        await watcher.hear("joined ben")
        ana.pinParticipant(participantId: "ben", type: "screen-share")
        try await ben.perform(.setHandsEnabled(false))
        ana.onError = { [watcher] command, _ in watcher.add("failed \(command)") }
        await network.admit(.refuse)
        await network.cut()
        await watcher.hear("lost")
        #expect(ana.isReconnecting && ana.isCallSessionActive())
        ana.muteAudio()
        ana.raiseHand()
        #expect(ana.localMedia?.isAudioMuted == true && ana.raisedHands.map(\.uid) == ["ana"], "at once")
        await watcher.hear("raised ana")
        await network.admit(.pass)
        await watcher.hear("restored")
        // What is answered to ben now was done after that.
        try await ben.perform(.lowerAllHands)
        #expect(ben.participant(uid: "ana")?.isAudioMuted == true)
        let heard = watcher.heard
        let order = ["lost", "own muted", "lowered ana", "failed raiseHand", "restored"].map { heard.lastIndex(of: $0) }
        #expect(!order.contains(nil) && order.compactMap(\.self) == order.compactMap(\.self).sorted())
        #expect(ana.pinnedParticipant?.uid == "ben" && ana.pinType == "screen-share")
        #expect(!ana.isReconnecting && ana.lastError != nil)
    }
}
