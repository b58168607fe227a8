import CallState
import Rollcall
import RollcallProtocol
import TestSupport
import Testing

/// Networks of every shape between clients and a relay.
@Suite(.timeLimit(.minutes(5)))
struct FaultShapeTests {
    /// Joins through a proxy, and changes something on the other side of it.
    private func hold(_ shape: FaultShape, _ kind: FaultProxy.Kind = .tcp) async throws -> (
        FaultProxy, Call, RelayProcess
    ) {
        let relay = try await RelayProcess.onBoth()
        let proxy = try FaultProxy(to: kind == .tcp ? relay.tcp : relay.unix, kind)
        await proxy.shape(shape)
        let call = try await RollcallClient(proxy.address).join("standup", as: Identity(uid: "ana"))
        return (proxy, call, relay)
    }

    private func waitForHand(of uid: String, on call: Call) async {
        func isUp(_ state: CallSnapshot) -> Bool { state.person(uid: uid)?.hand != nil }
        if isUp(call.state) { return }
        for await update in call.updates where isUp(update.state) { return }
    }

    @Test("delay with jitter changes no order and loses nothing", arguments: [FaultProxy.Kind.tcp, .unix])
    func late(kind: FaultProxy.Kind) async throws {
        var shape = FaultShape()
        shape.delay = 20
        shape.jitter = 60
        let (proxy, call, relay) = try await hold(shape, kind)
        let ben = try await RollcallClient(relay.unix).join("standup", as: Identity(uid: "ben"))
        for number in 0..<20 { _ = try await ben.setAttribute("n", [UInt8(number)]) }
        _ = try await ben.raiseHand()
        await waitForHand(of: "ben", on: call)
        #expect(call.state.digest == ben.state.digest)
        #expect(await proxy.status.accepted == 1)
        await call.leave()
    }

    @Test("a slow link passes at its rate and no faster, and everything arrives")
    func slow() async throws {
        let (proxy, call, relay) = try await hold(.slow(rate: 64_000))
        let ben = try await RollcallClient(relay.unix).join("standup", as: Identity(uid: "ben"))
        let begun = ContinuousClock.now
        let before = await proxy.status.passed[.toClient] ?? 0
        for number in 0..<16 { _ = try await ben.setAttribute("k\(number)", [UInt8](repeating: 7, count: 1_000)) }
        _ = try await ben.raiseHand()
        await waitForHand(of: "ben", on: call)
        let bytes = (await proxy.status.passed[.toClient] ?? 0) - before
        let least = Duration.seconds(Double(bytes - 1_024) / 8_000)
        #expect(ContinuousClock.now - begun >= least, "\(bytes) bytes")
        #expect(bytes >= 16_000)
        await call.leave()
    }

    @Test(
        "a connection that is cut, stalled or half-open after some bytes, inside a frame, is followed by a whole one",
        arguments: [FaultShape.End.cut, .stall, .halfOpen]
    )
    func ends(end: FaultShape.End) async throws {
        let relay = try await RelayProcess("--dead-after", "300ms", "--ping-interval", "100ms")
        let proxy = try FaultProxy(to: relay.address)
        let call = try await RollcallClient(proxy.address).join("standup", as: Identity(uid: "ana"))
        let ben = try await RollcallClient(relay.address).join("standup", as: Identity(uid: "ben"))
        var shape = FaultShape()
        shape.end = (end, after: 7)
        await proxy.shape(shape, 0)
        _ = try await ben.raiseHand()
        // The client notices by the end, or by the silence, and comes back by another connection.
        try await proxy.until("another connection is made") { $0.accepted >= 2 }
        await waitForHand(of: "ben", on: call)
        for await state in call.connectionUpdates where state.isLive { break }
        _ = try await ben.lowerHand()
        for await update in call.updates where update.state.person(uid: "ben")?.hand == nil { break }
        #expect(call.state.position == ben.state.position && call.state.digest == ben.state.digest)
        await call.leave()
    }
}
