import Foundation
import Rollcall
import RollcallCalls
import Synchronization
import TestSupport
import Testing

// How a session is called: from anywhere, at any time, by whatever queue.

extension SessionTests {
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

    @Test("L-16 L-19: the settings panel is the app's own, and who asks for a transcription is told that there is none")
    func panelAndTranscription() {
        let session = CallSession(callbackQueue: queue)
        #expect(!session.isSettingsPanelVisible)
        session.showSettingsPanel()
        #expect(session.isSettingsPanelVisible)
        session.hideSettingsPanel()
        #expect(!session.isSettingsPanelVisible && session.lastError == nil)
        for ask in [CallSession.startTranscription, CallSession.stopTranscription] {
            session.pinParticipant(participantId: "nobody")
            #expect(session.lastError?.errorCode == "ERR_NO_SUCH_PARTICIPANT")
            ask(session)()
            #expect(session.lastError?.errorCode == "ERR_UNSUPPORTED")
            #expect(session.lastError?.errorDescription.contains("transcri") == true)
        }
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

    @Test("L-18: a class of the main actor listens on the main queue, which is the default")
    @MainActor func mainActor() async throws {
        let relay = try await RelayProcess()
        let session = CallSession()
        let screen = Screen()
        session.addParticipantEventListener(screen)
        try await join(session, "ana", at: relay.address)
        await screen.shown()
        #expect(screen.names == ["Ana"])
        session.removeParticipantEventListener(screen)
    }

    @Test("L-18: callbacks come one at a time, also on a concurrent queue, and on another queue once it is chosen")
    func queues() async throws {
        let relay = try await RelayProcess()
        let ben = try await session("ben", at: relay)
        let watcher = Watcher()
        let ana = CallSession(callbackQueue: .global())
        watcher.listen(to: ana)
        let inside = Mutex(0)
        let most = Mutex(0)
        let (entries, entry) = AsyncStream.makeStream(of: Void.self)
        let mayLeave = DispatchSemaphore(value: 0)
        watcher.onHeard { text in
            let now = inside.withLock { count in
                count += 1
                return count
            }
            most.withLock { $0 = max($0, now) }
            if text == "session joined" {
                entry.yield()
                #expect(mayLeave.wait(timeout: .now() + 60) == .success)
            }
            inside.withLock { $0 -= 1 }
        }
        try await join(ana, "ana", at: relay.address)
        // While the first callback is held there is ever more to tell, and the queue has room and time for another.
        for await _ in entries { break }
        for _ in 0..<20 {
            try await ben.perform(.raiseHand)
            try await ben.perform(.lowerHand)
            ana.setLayout(.sidebar)
            ana.setLayout(.tile)
            await withCheckedContinuation { done in DispatchQueue.global().async { done.resume() } }
        }
        #expect(watcher.heard == ["session joined"] && most.withLock { $0 } == 1)
        mayLeave.signal()
        ana.setLayout(.sidebar)
        await watcher.hear("layout sidebar")
        let chosen = DispatchQueue(label: "chosen")
        let key = DispatchSpecificKey<Bool>()
        chosen.setSpecific(key: key, value: true)
        ana.callbackQueue = chosen
        let (queues, continuation) = AsyncStream.makeStream(of: Bool.self)
        watcher.onHeard { text in
            if text == "layout spotlight" { continuation.yield(DispatchQueue.getSpecific(key: key) == true) }
        }
        // A turn that was on its way may still come on the queue before.
        await ana.leave()
        await watcher.hear("session ended left")
        try await join(ana, "ana", at: relay.address)
        ana.setLayout(.spotlight)
        for await isChosen in queues {
            #expect(isChosen)
            break
        }
        #expect(most.withLock { $0 } == 1)
    }

    @Test("L-18: nothing is queued without end for an app that does not listen")
    func bounded() async throws {
        let session = CallSession(callbackQueue: queue)
        let watcher = Watcher()
        watcher.listen(to: session)
        queue.suspend()
        for _ in 0..<1_000 { session.buttonClicked(.raiseHand) }
        queue.resume()
        await withCheckedContinuation { done in queue.async { done.resume() } }
        #expect((1...256).contains(watcher.heard.count))
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

/// A screen as apps have it: all of it belongs to the main actor.
@MainActor
private final class Screen: @MainActor ParticipantEventListener {
    private(set) var names: [String] = []
    private var waiting: CheckedContinuation<Void, Never>?

    func onParticipantListChanged(participants: [Participant]) {
        names = participants.compactMap(\.name)
        waiting?.resume()
        waiting = nil
    }

    /// Waits for the first list.
    func shown() async {
        if names.isEmpty { await withCheckedContinuation { waiting = $0 } }
    }
}
