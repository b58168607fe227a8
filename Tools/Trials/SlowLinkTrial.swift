import Processes
package import Rollcall

/// One client on a slow link among many that are not, in a busy call: it stays, costs little, and the others get what
/// they would get without it.
package struct SlowLinkTrial: Sendable {
    /// How many clients there are, the slow one included.
    package var clients = 200
    /// Changes in a second.
    package var changesPerSecond = 500
    /// How many changes there are.
    package var changes = 5_000
    /// The rate of the slow link, in bits per second.
    package var rate = 64_000
    /// What the relay and its system may hold for it, in bytes.
    package var memoryLimit = 256 * 1024
    /// How long after the last change it must be equal, in ms.
    package var patience = 2_000

    /// Where the relay listens, and where a client meets a link that is slow by itself; nil makes one slow by a proxy.
    package var network: (relay: Address, slow: Address)?

    /// The trial as the figures want it.
    package init() {}

    /// Holds it: a run without the slow client, and one with it.
    package func run(_ report: TrialReport) async throws {
        report.figure(
            "slow link",
            "\(rate) bits/s for 1 of \(clients) clients, \(changes) changes, \(changesPerSecond) a second"
        )
        let without = try await run(hasSlow: false, report)
        let with = try await run(hasSlow: true, report)
        report.compare(without, with, "it")
    }

    private func run(hasSlow: Bool, _ report: TrialReport) async throws -> BusyCall.Run {
        let relay = try await start(["--ping-interval", "20m", "--dead-after", "1h", "--stall-timeout", "15s"])
        let call = try await BusyCall(relay, changerAt: relay.unix, others: clients - 1, at: relay.unix)
        let slow = hasSlow ? try await SlowClient(rate: rate, before: relay, at: network?.slow) : nil
        let run = try await call.run(changes, perSecond: changesPerSecond) { run in
            try await slow?.judge(call, since: run.end, self, report)
        }
        await slow?.leave()
        await call.end()
        return run
    }

    /// A relay on a UNIX socket, and on TCP for the slow client.
    private func start(_ times: [String]) async throws -> RelayProcess {
        guard let network else { return try await RelayProcess.onBoth(BusyCall.options + times) }
        let scratch = try Scratch()
        let listens = [
            "--listen", "unix:\(scratch.path)/relay.sock", "--listen", "\(network.relay)", "--open-to-network",
        ]
        return try await RelayProcess(options: listens + BusyCall.options + times, scratch: scratch)
    }
}
