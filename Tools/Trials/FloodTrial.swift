import Processes
import Rollcall

/// One client floods a busy call over TCP, where nobody is exempt from rates: the others are answered, and get what
/// they would get without it.
package struct FloodTrial: Sendable {
    /// How many clients there are, the one that floods and the one that makes changes included.
    package var clients = 52
    /// Changes in a second: fewer than the relay lets one client have done.
    package var changesPerSecond = 50
    /// How many changes there are.
    package var changes = 1_000

    /// The trial as the figures want it.
    package init() {}

    /// Holds it: a run in which that client is silent, and one in which it floods.
    package func run(_ report: TrialReport) async throws {
        report.figure(
            "flood",
            "1 of \(clients) clients over TCP, \(changes) changes by another, \(changesPerSecond) a second"
        )
        let without = try await run(isFlooded: false, report)
        let with = try await run(isFlooded: true, report)
        report.compare(without, with, "the flood")
    }

    private func run(isFlooded: Bool, _ report: TrialReport) async throws -> BusyCall.Run {
        let relay = try await RelayProcess.onBoth(BusyCall.options)
        let flooder = try await Flooder(of: BusyCall.session, at: relay.tcp)
        let call = try await BusyCall(relay, changerAt: relay.tcp, others: clients - 2, at: relay.tcp)
        if isFlooded { try await flooder.flood() }
        let before = try await relay.counters()["frames-in"] ?? 0
        let run = try await call.run(changes, perSecond: changesPerSecond)
        let frames = try await relay.counters()["frames-in"] ?? 0
        let status = flooder.status
        if isFlooded {
            report.require("frames that it sent until the relay held it back", "\(status.first)", status.first > 0)
            report.figure("frames that it sent in all", "\(status.sent)")
            report.figure("frames that the relay took from everybody meanwhile", "\(frames - before)")
            report.require("whether it is connected at the end", "\(!status.hasEnded)", !status.hasEnded)
        }
        flooder.stop()
        await call.end()
        return run
    }
}
