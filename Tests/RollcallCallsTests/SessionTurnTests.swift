import Dispatch
import Rollcall
import RollcallCalls
import Synchronization
import TestSupport
import Testing

// What is true inside of a turn on the callback queue, and for who waits for one.

extension SessionTests {
    @Test("L-1: inside a button's callback, too, the session answers with what listeners were told")
    func stateOfAClick() async throws {
        let relay = try await RelayProcess()
        let watcher = Watcher()
        let ana = try await session("ana", at: relay, watcher)
        await watcher.hear("joined ana")
        let call = try #require(ana.call)
        let (clicks, click) = AsyncStream<Void>.makeStream()
        let isChanged = DispatchSemaphore(value: 0)
        let counts = Mutex<[Int]>([])
        watcher.onHeard { text in
            guard text == "clicked raiseHand" else { return }
            click.yield()
            _ = isChanged.wait(timeout: .now() + 60)
            counts.withLock { $0.append(ana.participants.count) }
        }
        ana.buttonClicked(.raiseHand)
        for await _ in clicks { break }
        let ben = try await session("ben", at: relay)
        for await update in call.updates where update.state.peopleCount == 2 { break }
        isChanged.signal()
        await watcher.hear("joined ben")
        #expect(counts.withLock { $0 } == [1])
        await ben.leave()
    }

    @Test("L-18: a listener that another removes in a callback does not hear that callback any more")
    func removedInside() async throws {
        let relay = try await RelayProcess()
        let (first, second) = (Watcher(), Watcher())
        let ana = try await session("ana", at: relay, first)
        second.listen(to: ana)
        await second.hear("joined ana")
        first.onHeard { text in
            if text == "muted ana" { ana.removeParticipantEventListener(second) }
        }
        try await ana.perform(.muteAudio)
        await second.hear("own muted")
        #expect(first.heard.contains("muted ana") && !second.heard.contains("muted ana"))
    }

    @Test("L-19: a join that waits for the session before to end can be cancelled, though the queue stands still")
    func cancelledWait() async throws {
        let relay = try await RelayProcess()
        let ana = try await session("ana", at: relay)
        queue.suspend()
        ana.leaveSession()
        let again = Task { try await join(ana, "ana", at: relay.address) }
        again.cancel()
        await #expect(throws: RollcallCallException.self) { try await again.value }
        queue.resume()
    }

    @Test("L-19: a join that was left does not stand in the way of the next one")
    func leftJoin() async throws {
        let relay = try await RelayProcess()
        let network = try FaultProxy(to: relay.address)
        await network.admit(.swallow)
        let ana = CallSession(callbackQueue: queue)
        let first = Task { try await join(ana, "ana", at: network.address) }
        try await network.until("the join has come") { $0.accepted > 0 }
        ana.leaveSession()
        try await join(ana, "ana", at: relay.address)
        await #expect(throws: RollcallCallException.self) { try await first.value }
        #expect(ana.isCallSessionActive())
        await ana.leave()
    }
}
