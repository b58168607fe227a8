import CallState
import Rollcall
import RollcallProtocol
import SimulationSupport
import Testing

extension ScriptedWorld {
    /// Follows every order, holds at each end what must hold at all of them, and shows it.
    ///
    /// At the end everybody who is still in has the same state as the relay and as somebody who joins only now; each
    /// app was told that state and nothing that can't be. For suites with ``Testing/Trait/searches``.
    @discardableResult
    func everyOrder(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (CallWorld) throws -> Void = { _ in }
    ) throws -> Int {
        try everyOrder(sourceLocation: sourceLocation) { world, _ in try body(world) }
    }

    /// The same, with the steps that led to the end.
    @discardableResult
    func everyOrder(
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (CallWorld, [Action]) throws -> Void
    ) throws -> Int {
        #expect(SearchTrait.isInForce, "this suite lacks .searches", sourceLocation: sourceLocation)
        return try Interleavings(from: self).forEach { end, order in
            let faults = end.faults
            if !faults.isEmpty {
                let told =
                    "\(faults.joined(separator: "; ")) after: \(order.map(\.description).joined(separator: ", "))"
                Issue.record("\(told)", sourceLocation: sourceLocation)
                throw Stopped()
            }
            try body(end.world, order)
        }.orders
    }

    /// One order that shows a fault is enough to see.
    struct Stopped: Error {}

    /// What is wrong at the end of an order.
    private var faults: [String] {
        var faults: [String] = []
        var isLossy = false
        for (client, script) in scripts {
            isLossy = isLossy || hasLost(client)
            if script.contains(where: { $0 != .lose }), world.clients[client].closeReason == nil {
                faults.append("client \(client) could not do \(script)")
            }
        }
        var world = world
        world.looksAtOnce = true
        let late = world.add(uid: "", device: "") { $0.mode = .observer }
        world.start(late)
        world.settle()
        // A loss that nothing follows is found by the next Ping.
        if isLossy { world.pass(12_000) }
        let relay = world.clients[late].core
        for (number, client) in world.clients.enumerated() where number != late {
            let told = Told(client.app.events)
            faults += told.faults.map { "client \(number): \($0)" }
            guard client.closeReason == nil else { continue }
            let core = client.core
            if core.confirmed.position != relay.confirmed.position || core.confirmed.digest != relay.confirmed.digest {
                faults.append("client \(number) is at \(core.confirmed.position), not \(relay.confirmed.position)")
            }
            if client.resyncs > client.wantedResyncs, !isLossy { faults.append("client \(number) lacked something") }
            if client.app.wentBack { faults.append("client \(number) saw an older state after a newer one") }
            var fresh = WorldApp()
            fresh.look(at: core.snapshot)
            if told.state != Told(fresh.events).state { faults.append("client \(number) was told another state") }
        }
        return faults
    }
}
