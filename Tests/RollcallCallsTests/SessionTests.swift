import Foundation
import Rollcall
import RollcallCalls
import TestSupport
import Testing

/// Sessions over real sockets, many in one process.
@Suite("Sessions")
struct SessionTests {
    private let queue = DispatchQueue(label: "app")

    private func session(_ uid: String, at relay: RelayProcess, _ watcher: Watcher? = nil) async throws -> CallSession {
        try await session(uid, at: relay.address, watcher)
    }

    private func session(_ uid: String, at address: Address, _ watcher: Watcher? = nil) async throws -> CallSession {
        let session = CallSession(callbackQueue: queue)
        watcher?.listen(to: session)
        try await join(session, uid, at: address)
        return session
    }

    private func join(_ session: CallSession, _ uid: String, at address: Address) async throws {
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

    @Test("L-17 L-19: leaving inside a callback, and joining again with the same listeners")
    func leaveInside() async throws {
        let relay = try await RelayProcess()
        let watcher = Watcher()
        let ana = CallSession(callbackQueue: queue)
        watcher.listen(to: ana)
        watcher.onHeard { text in if text == "muted ana" { ana.leaveSession() } }
        try await join(ana, "ana", at: relay.address)
        ana.muteAudio()
        await watcher.hear("session ended left")
        #expect(ana.endReason == .left && ana.endError == nil && ana.position != nil)
        watcher.onHeard { _ in }
        try await join(ana, "ana", at: relay.address)
        await watcher.hear("own unmuted")
        #expect(ana.isCallSessionActive() && ana.endReason == nil)
        await #expect(throws: RollcallCallException.self) { try await join(ana, "ana", at: relay.address) }
        await ana.leave()
        await watcher.hear("session ended left")
        #expect(watcher.heard.count { $0 == "session ended left" } == 2)
    }

    @Test("L-5 L-19: outside of a session everything may be called, and does nothing")
    func outside() async throws {
        let session = CallSession(callbackQueue: queue)
        let watcher = Watcher()
        watcher.listen(to: session)
        session.muteAudio()
        session.raiseHand()
        session.pinParticipant(participantId: "ana")
        session.setLayout("nonsense")
        #expect(session.lastError?.errorCode == "ERR_INVALID_ARGUMENT")
        session.setAudioMode("earpiece")
        session.leaveSession()
        await session.leave()
        #expect(session.participants.isEmpty && session.raisedHands.isEmpty && session.localMedia == nil)
        #expect(session.localParticipant == nil && session.position == nil && session.endReason == nil)
        #expect(!session.isCallSessionActive() && session.audioMode == .earpiece)
        await #expect(throws: RollcallCallException.self) { try await session.perform(.muteAudio) }
        session.buttonClicked(.raiseHand)
        await watcher.hear("clicked raiseHand")
        #expect(watcher.heard == ["clicked raiseHand"])
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

    @Test("L-18: listeners are held weakly, once each, and not after they are removed")
    func weak() async throws {
        let relay = try await RelayProcess()
        let session = CallSession(callbackQueue: queue)
        weak var gone: Watcher?
        do {
            let watcher = Watcher()
            gone = watcher
            watcher.listen(to: session)
        }
        #expect(gone == nil)
        let (kept, removed) = (Watcher(), Watcher())
        kept.listen(to: session)
        kept.listen(to: session)
        removed.listen(to: session)
        session.removeSessionStatusListener(removed)
        session.removeParticipantEventListener(removed)
        try await join(session, "ana", at: relay.address)
        await kept.hear("joined ana")
        #expect(kept.heard == ["session joined", "list ana", "joined ana"])
        session.clearAllListeners()
        session.muteAudio()
        try await session.perform(.raiseHand)
        #expect(removed.heard.isEmpty)
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

    @Test("L-12 L-18: a slow queue gets the sum, and a loss that it has not seen")
    func slowQueue() async throws {
        let relay = try await RelayProcess()
        let watcher = Watcher()
        let ana = try await session("ana", at: relay, watcher)
        let bens = DispatchQueue(label: "ben")
        let ben = CallSession(callbackQueue: bens)
        try await join(ben, "ben", at: relay.address)
        await watcher.hear("joined ben")
        queue.suspend()
        for _ in 0..<50 {
            try await ben.perform(.muteAudio)
            try await ben.perform(.unmuteAudio)
        }
        try await ben.perform(.muteAudio)
        ana.call?.cutLink()
        // Answered once the link is made again.
        try await ana.perform(.raiseHand)
        queue.resume()
        await watcher.hear("restored")
        let told = watcher.heard.filter { $0.hasSuffix("muted ben") || $0 == "lost" || $0 == "restored" }
        #expect(told == ["lost", "muted ben", "restored"])
    }

    @Test("L-19: many threads at once, with listeners that come and go")
    func manyThreads() async throws {
        let relay = try await RelayProcess()
        let watcher = Watcher()
        let ana = try await session("ana", at: relay, watcher)
        let ben = try await session("ben", at: relay)
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    for round in 0..<25 {
                        let passing = Watcher()
                        passing.listen(to: ana)
                        ana.setLayout(LayoutType.allCases[(number + round) % 3])
                        if round.isMultiple(of: 2) { ana.muteAudio() } else { ana.unmuteAudio() }
                        if number.isMultiple(of: 2) { ben.raiseHand() } else { ben.lowerHand() }
                        _ = ana.search("b").count + ana.participants.count + ben.raisedHands.count
                        ana.removeMediaEventsListener(passing)
                    }
                }
            }
        }
        try await ben.perform(.lowerHand)
        try await ana.perform(.muteAudio)
        #expect(ana.localMedia?.isAudioMuted == true && ben.raisedHands.isEmpty)
        let events = watcher.heard.filter { $0 == "own muted" || $0 == "own unmuted" }
        for (one, next) in zip(events, events.dropFirst()) { #expect(one != next, "they alternate") }
        ana.leaveSession()
        await watcher.hear("session ended left")
    }
}

@Suite("Searching for people")
struct NameSearchTests {
    private func participants(_ names: String...) -> [Participant] {
        names.map { name in
            var facts = Participant.Facts(uid: "uid-" + name.lowercased())
            facts.name = name
            return Participant(facts)
        }
    }

    @Test("Names that begin with the text come first, then words, then the rest; case and accents do not count")
    func ranks() {
        let people = participants("Banana", "José Álvarez", "Ana", "Dr. Anna-Lena Weiß", "Zoë")
        #expect(NameSearch("AN").ranked(people).map(\.name) == ["Ana", "Dr. Anna-Lena Weiß", "Banana"])
        #expect(NameSearch("alv").ranked(people).map(\.name) == ["José Álvarez"])
        #expect(NameSearch(" ZOE ").ranked(people).map(\.name) == ["Zoë"])
        #expect(NameSearch("").ranked(people).count == 5 && NameSearch("x").ranked(people).isEmpty)
    }

    @Test("Of somebody without a name the uid is looked at")
    func withoutName() {
        let nameless = [Participant(Participant.Facts(uid: "ana"))]
        #expect(NameSearch("an").ranked(nameless).count == 1)
    }
}
