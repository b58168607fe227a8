import CallState
import Faults
import Foundation
import Processes
package import Rollcall
import RollcallProtocol
import Synchronization

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
    /// What the relay may hold for it, in bytes.
    package var memoryLimit = 256 * 1024
    /// How long after the last change it must be equal, in ms.
    package var patience = 2_000

    /// Where the relay listens, and where a client meets a link that is slow by itself; nil makes one slow by a proxy.
    package var network: (relay: Address, slow: Address)?

    /// The trial as the figures want it.
    package init() {}

    /// What the others saw in one run.
    private struct Run {
        var bytes: [Int] = []
        var writes: [UInt64] = []
        var merged: [UInt64] = []
        var latencies: [Duration] = []
        var took = Duration.zero
    }

    /// Holds it: a run without the slow client, and one with it.
    package func run(_ report: TrialReport) async throws {
        report.figure(
            "slow link",
            "\(rate) bits/s for 1 of \(clients) clients, \(changes) changes, \(changesPerSecond) a second"
        )
        let without = try await run(hasSlow: false, report)
        let with = try await run(hasSlow: true, report)
        let others = clients - 1
        report.require("others that got other bytes than without it", different(with.bytes, without.bytes), is: 0)
        report.require("others that got them in other writes", different(with.writes, without.writes), is: 0)
        report.require("others for whom a difference was made", with.merged.count { $0 > 0 }, is: 0)
        report.figure("bytes for each of \(others) others", Self.range(with.bytes))
        report.figure("writes, and so turns, for each", Self.range(with.writes.map { Int($0) }))
        for (name, run) in [("without", without), ("with", with)] {
            report.figure(
                "latency to all others \(name) it",
                "\(Self.percentile(run.latencies, 50)) at half, \(Self.percentile(run.latencies, 99)) at 99 %"
            )
        }
    }

    private func different<Number: Equatable>(_ one: [Number], _ other: [Number]) -> Int {
        zip(one, other).count { $0 != $1 } + abs(one.count - other.count)
    }

    private func run(hasSlow: Bool, _ report: TrialReport) async throws -> Run {
        let times = ["--ping-interval", "20m", "--dead-after", "1h", "--stall-timeout", "15s"]
        let relay = try await start(times)
        let changer = try await RollcallClient(relay.unix).join("busy", as: Identity(uid: "changer", device: "d"))
        let sinks = try ByteSinks(clients - 1, of: "busy", at: relay.unix)
        while try await RollcallClient(relay.unix).calls().first?.observers != UInt64(clients - 1) {
            try await Task.sleep(for: .milliseconds(10))
        }
        // A change whose bytes everybody gets: the joins are over.
        _ = try await changer.setAttribute("n", Self.value(0))
        var sent = try await sinks.wait(past: 0)
        let begin = sent
        let slow = hasSlow ? try await SlowClient(rate: rate, before: relay, at: network?.slow) : nil
        let writesBefore = try await Self.sinkInfos(relay)

        var run = Run()
        let clock = ContinuousClock()
        let begun = clock.now
        for number in 1...changes {
            let slot = begun + .microseconds(1_000_000 / changesPerSecond) * number
            try await clock.sleep(until: slot, tolerance: .zero)
            let start = clock.now
            _ = try await changer.setAttribute("n", Self.value(number))
            sent = try await sinks.wait(past: sent)
            run.latencies.append(clock.now - start)
        }
        let end = clock.now
        run.took = end - begun
        if let slow { try await slow.judge(changer, since: end, self, report) }
        let achieved = Int(Double(changes) / (run.took / .seconds(1)))
        report.figure("changes a second \(hasSlow ? "with" : "without") it", "\(achieved)")
        run.bytes = sinks.bytes.map { $0 - begin }
        let infos = try await Self.sinkInfos(relay)
        run.writes = zip(infos, writesBefore).map { $0.writes - $1.writes }
        run.merged = zip(infos, writesBefore).map { $0.merged - $1.merged }
        await slow?.leave()
        await changer.leave()
        sinks.stop()
        relay.send(SIGTERM)
        _ = await relay.end()
        return run
    }

    /// A relay on a UNIX socket, and on TCP for the slow client.
    private func start(_ times: [String]) async throws -> RelayProcess {
        guard let network else { return try await RelayProcess.onBoth(times) }
        let scratch = try Scratch()
        let listens = [
            "--listen", "unix:\(scratch.path)/relay.sock", "--listen", "\(network.relay)", "--open-to-network",
        ]
        return try await RelayProcess(options: listens + times, scratch: scratch)
    }

    /// Always of one length, so that runs can be compared byte by byte.
    private static func value(_ number: Int) -> [UInt8] {
        let digits = "\(number)"
        return Array((String(repeating: "0", count: 8 - digits.count) + digits).utf8)
    }

    private static func sinkInfos(_ relay: RelayProcess) async throws -> [ConnectionInfo] {
        try await RollcallClient(relay.unix).connections().filter { $0.clientName.string == ByteSinks.clientName }
    }

    private static func percentile(_ values: [Duration], _ percent: Int) -> String {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return "-" }
        let value = sorted[min(sorted.count - 1, sorted.count * percent / 100)]
        return "\(Double(Int(value / .microseconds(10))) / 100) ms"
    }

    private static func range(_ values: [Int]) -> String {
        let (least, most) = (values.min() ?? 0, values.max() ?? 0)
        return least == most ? "\(least)" : "\(least) to \(most)"
    }
}

/// The client behind the slow link, and what is held for it on the way.
private final class SlowClient: Sendable {
    private let proxy: FaultProxy?
    private let call: Call
    private let relay: RelayProcess
    private let watching: Task<Held, Never>
    private let joins = FrameBook()

    /// What was held for it at most, and what it was sent.
    private struct Held {
        var samples = 0
        var bytes = 0
        var lag: UInt64 = 0
        var merged: UInt64 = 0
        var writes: UInt64 = 0
    }

    init(rate: Int, before relay: RelayProcess, at slow: Address?) async throws {
        self.relay = relay
        proxy = slow == nil ? try FaultProxy(listeningAt: .tcp("127.0.0.1", 0), to: relay.tcp) : nil
        await proxy?.shape(.slow(rate: rate))
        let joins = joins
        var options = ClientOptions()
        options.clientName = "slow"
        options.onFrame = { joins.note($0, from: 0) }
        call = try await RollcallClient(slow ?? proxy?.address ?? relay.tcp, options: options).observe("busy")
        let place = relay.unix
        let port = SlowClient.port(relay.tcp)
        watching = Task {
            var held = Held()
            while !Task.isCancelled {
                // Handed over by the rules and not taken by the system, and what the system has not got rid of.
                let infos = (try? await RollcallClient(place).connections()) ?? []
                if let info = infos.first(where: { $0.clientName == "slow" }) {
                    held.samples += 1
                    held.bytes = max(held.bytes, Int(info.inFlight) + (KernelQueues.bytesToSend(from: port) ?? 0))
                    held.lag = max(held.lag, info.lag)
                    (held.merged, held.writes) = (info.merged, info.writes)
                }
                try? await Task.sleep(for: .milliseconds(50))
            }
            return held
        }
    }

    private static func port(_ address: Address) -> UInt16 {
        if case .tcp(_, let port) = address { port } else { 0 }
    }

    /// Judges it once the last change has been made.
    func judge(_ other: Call, since end: ContinuousClock.Instant, _ trial: SlowLinkTrial, _ report: TrialReport)
        async throws
    {
        let head = other.position
        let limit = end + .seconds(60)
        while call.position < head, ContinuousClock.now < limit { try await Task.sleep(for: .milliseconds(2)) }
        let took = ContinuousClock.now - end
        watching.cancel()
        let held = await watching.value
        report.require(
            "the slow client was equal after",
            "\(Int(took / .milliseconds(1))) ms (at most \(trial.patience) ms)",
            took <= .milliseconds(trial.patience) && call.digest == other.digest
        )
        report.require("memory of the relay and the system for it, in bytes", held.bytes, atMost: trial.memoryLimit)
        report.require("samples of that", "\(held.samples)", held.samples > 0)
        report.figure("commits that it was behind at most", "\(held.lag)")
        report.figure("writes to it", "\(held.writes), \(held.merged) of them differences made for it alone")
        report.require("times that it had to connect", joins.joins(of: 0), is: 1)
        report.require("whether it is connected at the end", "\(call.connection)", call.connection.isLive)
    }

    func leave() async { await call.leave() }
}
