import Rollcall
import SimulationSupport
import TestSupport
import Testing

@Suite("The harness itself", .timeLimit(.minutes(5)))
struct HarnessTests {
    // MARK: The proxy

    @Test("the proxy passes, holds in order, and releases", arguments: [FaultProxy.Kind.unix, .tcp])
    func holding(kind: FaultProxy.Kind) async throws {
        let relay = try await RelayProcess()
        let network = try FaultProxy(to: relay.address, kind)
        let call = try await RollcallClient(network.address).join("standup", as: Identity(uid: "ana"))
        await network.hold(.toRelay)
        async let muted = call.setAudio(.on)
        async let raised = call.raiseHand()
        try await network.until("both commands wait") { $0.held[.toRelay, default: 0] >= 20 }
        #expect(try await RollcallClient(relay.address).peek("standup").raisedHands.isEmpty)
        await network.release(.toRelay)
        _ = try await (muted, raised)
        #expect(try await RollcallClient(relay.address).peek("standup").raisedHands.map(\.uid) == ["ana"])
    }

    @Test("the proxy cuts, refuses and admits again", arguments: [FaultProxy.Kind.unix, .tcp])
    func cutting(kind: FaultProxy.Kind) async throws {
        let relay = try await RelayProcess()
        let network = try FaultProxy(to: relay.address, kind)
        let call = try await RollcallClient(network.address).join("standup", as: Identity(uid: "ana"))
        await network.admit(.refuse)
        await network.cut()
        #expect(await network.status.open.isEmpty)
        try await network.until("the client has tried again") { $0.accepted >= 2 }
        await network.admit(.pass)
        try await call.raiseHand()
        #expect(call.connection.isLive)
        #expect(await network.status.open.count == 1)
    }

    @Test("the proxy cuts inside a frame at every place of a join, and the client is back", arguments: [1, 9, 30, 77])
    func cuttingInside(count: Int) async throws {
        let relay = try await RelayProcess()
        let network = try FaultProxy(to: relay.address)
        var options = ClientOptions()
        options.reconnect.retriesFirstJoin = true
        await network.hold(.toClient)
        async let joined = RollcallClient(network.address, options: options)
            .join("standup", as: Identity(uid: "ana"))
        try await network.until("the answers wait") { $0.held[.toClient, default: 0] > 77 }
        await network.cut(after: count, .toClient)
        await network.release(.toClient)
        let call = try await joined
        #expect(await network.status.accepted == 2)
        #expect(call.state.people.map(\.uid) == ["ana"])
    }

    @Test("a swallowed connection stands and carries nothing; both ends find out by themselves")
    func swallowing() async throws {
        let relay = try await RelayProcess("--ping-interval", "200ms", "--dead-after", "1s", "--grace", "0")
        let network = try FaultProxy(to: relay.address)
        let call = try await RollcallClient(network.address).join("standup", as: Identity(uid: "ana"))
        let watcher = try await RollcallClient(relay.address).observe("standup")
        await network.admit(.swallow)
        await network.swallow()
        for await update in watcher.updates where update.state.people.isEmpty { break }
        for await state in call.connectionUpdates where !state.isLive { break }
        await call.leave()
    }

    @Test("the proxy loses whole frames, and the client asks for what it lacks")
    func losing() async throws {
        let relay = try await RelayProcess()
        let network = try FaultProxy(to: relay.address)
        let ana = try await RollcallClient(network.address).join("standup", as: Identity(uid: "ana"))
        let ben = try await RollcallClient(relay.address).join("standup", as: Identity(uid: "ben"))
        await network.lose(frames: 1)
        try await ben.raiseHand()
        try await ben.setAudio(.on)
        for await update in ana.updates where update.state.position == ben.position { break }
        #expect(ana.state.raisedHands.map(\.uid) == ["ben"])
        #expect(ana.digest == ben.digest)
    }

    // MARK: Every order

    /// Two parties that each take some steps; a step of one may meet those of the other.
    private struct Steps: Interleaved {
        struct Action: Hashable {
            let party: Int
            let isShared: Bool
        }

        var left = [2, 2]
        let isShared: Bool
        var enabled: [Action] {
            left.indices.filter { left[$0] > 0 }.map { Action(party: $0, isShared: isShared) }
        }
        mutating func perform(_ action: Action) { left[action.party] -= 1 }
        static func areIndependent(_ one: Action, _ other: Action) -> Bool {
            one.party != other.party && !one.isShared
        }
    }

    @Test("every order is followed once, and orders that do not differ only once in all")
    func everyOrder() throws {
        var seen: Set<[Int]> = []
        let shared = try Interleavings(from: Steps(isShared: true)).forEach { _, order in
            seen.insert(order.map(\.party))
        }
        #expect(shared.orders == 6 && seen.count == 6)
        #expect(try Interleavings(from: Steps(isShared: false)).forEach { _, _ in }.orders == 1)
        #expect(throws: Interleavings<Steps>.TooMany.self) {
            try Interleavings(from: Steps(isShared: true), most: 5).forEach { _, _ in }
        }
    }
}
