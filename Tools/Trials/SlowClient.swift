import Faults
import Processes
import Rollcall
import RollcallProtocol

/// The client behind the slow link.
final class SlowClient: Sendable {
    private static let name = "slow"

    private let proxy: FaultProxy?
    private let call: Call
    private let joins = FrameBook()

    /// Joins through a proxy that passes `rate` bits a second, or at `slow` where the link is slow by itself.
    init(rate: Int, before relay: RelayProcess, at slow: Address?) async throws {
        proxy = slow == nil ? try FaultProxy(listeningAt: .tcp("127.0.0.1", 0), to: relay.tcp) : nil
        await proxy?.shape(.slow(rate: rate))
        let joins = joins
        var options = ClientOptions()
        options.clientName = Self.name
        options.onFrame = { joins.note($0, from: 0) }
        call = try await RollcallClient(slow ?? proxy?.address ?? relay.tcp, options: options)
            .observe(BusyCall.session)
    }

    /// Judges it once the last change has been made.
    func judge(
        _ busy: BusyCall,
        since end: ContinuousClock.Instant,
        _ trial: SlowLinkTrial,
        _ report: TrialReport
    ) async throws {
        // What it still has to get then, as the relay and its system hold it.
        let left = try await busy.info(of: Self.name)
        let head = busy.changer.position
        for await update in call.updates where update.state.position >= head { break }
        let took = Int((ContinuousClock.now - end) / .milliseconds(1))
        guard let info = try await busy.info(of: Self.name) else { throw TrialFailure("the slow client was ended") }
        report.require(
            "the slow client was equal after",
            "\(took) ms (at most \(trial.patience) ms)",
            took <= trial.patience && call.digest == busy.changer.digest
        )
        report.require(
            "the most bytes that the relay and its system held for it, as the relay counts them",
            Int(info.heldMost),
            atMost: trial.memoryLimit
        )
        // A link on which nothing ever waits is not slow, and proves nothing.
        report.require("differences made for it alone", "\(info.merged) of \(info.writes) writes", info.merged > 0)
        report.figure("commits that it was behind at the end", "\(left?.lag ?? 0)")
        report.require("times that it had to connect", joins.joins(of: 0), is: 1)
        report.require("whether it is connected at the end", "\(call.connection)", call.connection.isLive)
    }

    func leave() async { await call.leave() }
}
