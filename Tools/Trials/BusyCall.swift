import CallState
import Foundation
import Processes
import Rollcall
import RollcallProtocol

/// A call in which one client changes something again and again, and many others see each change before the next is
/// made: what they get can be compared with another run change by change.
///
/// Nothing is timed but latencies: a change is made when its time has come and the one before has been seen by all.
struct BusyCall: Sendable {
    /// Its session.
    static let session = "busy"
    /// What its relay is told: each change in its own turn, since the next one waits for it, and runs are compared by
    /// turns.
    static let options = ["--tick", "0"]

    /// What the others saw while changes were made.
    struct Run: Sendable {
        /// Bytes for each of them.
        var bytes: [Int] = []
        /// Times that output was handed over to each.
        var writes: [UInt64] = []
        /// Turns of the relay in which that was.
        var turns: [UInt64] = []
        /// Differences made for each alone.
        var merged: [UInt64] = []
        /// From the wish to the last one that has seen it.
        var latencies: [Duration] = []
        /// Turns of the relay in all, and times that it handed output to the system.
        var relayTurns = 0
        var relayWrites = 0
        /// Changes in a second, as it came out.
        var pace = 0
        /// When the last change had been seen by all.
        var end = ContinuousClock.now
    }

    let relay: RelayProcess
    /// The client that changes things.
    let changer: Call
    private let sinks: ByteSinks
    private let begin: [Int]

    /// Joins the one that makes changes, and `others` who see them.
    init(_ relay: RelayProcess, changerAt changing: Address, others: Int, at seeing: Address) async throws {
        self.relay = relay
        changer = try await RollcallClient(changing).join(Self.session, as: Identity(uid: "changer", device: "d"))
        sinks = try ByteSinks(others, of: Self.session, at: seeing)
        try await sinks.waitUntilJoined()
        // A change whose bytes everybody gets: the joins are over.
        _ = try await changer.setAttribute("n", Self.value(0))
        try await sinks.wait(reaching: changer.position)
        begin = sinks.bytes
    }

    /// Makes so many changes, and gives what the others saw.
    ///
    /// - Parameter settled: Done after the last change, before the relay is asked what it has cost.
    func run(_ changes: Int, perSecond: Int, settled: (Run) async throws -> Void = { _ in }) async throws -> Run {
        let before = try await infos()
        let countersBefore = try await relay.counters()
        var run = Run()
        let clock = ContinuousClock()
        let begun = clock.now
        for number in 1...changes {
            let slot = begun + .microseconds(1_000_000 / perSecond) * number
            try await clock.sleep(until: slot, tolerance: .zero)
            let start = clock.now
            _ = try await changer.setAttribute("n", Self.value(number))
            try await sinks.wait(reaching: changer.position)
            run.latencies.append(clock.now - start)
        }
        run.end = clock.now
        run.pace = Int(Double(changes) / ((run.end - begun) / .seconds(1)))
        try await settled(run)
        run.bytes = zip(sinks.bytes, begin).map { $0 - $1 }
        let counters = try await relay.counters()
        run.relayTurns = (counters["turns"] ?? 0) - (countersBefore["turns"] ?? 0)
        run.relayWrites = (counters["writes"] ?? 0) - (countersBefore["writes"] ?? 0)
        let after = try await infos()
        run.writes = zip(after, before).map { $0.writes - $1.writes }
        run.turns = zip(after, before).map { $0.turns - $1.turns }
        run.merged = zip(after, before).map { $0.merged - $1.merged }
        return run
    }

    /// What the relay tells of the connection of the client with that name.
    func info(of client: String) async throws -> ConnectionInfo? {
        try await RollcallClient(relay.unix).connections().first { $0.clientName.string == client }
    }

    private func infos() async throws -> [ConnectionInfo] {
        try await RollcallClient(relay.unix).connections().filter { $0.clientName.string == ByteSinks.clientName }
    }

    /// Everybody goes, and the relay ends.
    func end() async {
        await changer.leave()
        sinks.stop()
        relay.send(SIGTERM)
        _ = await relay.end()
    }

    /// 64 bytes whatever the number, so that runs can be compared byte by byte.
    private static func value(_ number: Int) -> [UInt8] {
        let digits = "\(number)"
        return Array((String(repeating: "0", count: 64 - digits.count) + digits).utf8)
    }
}

extension TrialReport {
    /// Holds that the others got the same in both runs, and shows their latencies.
    ///
    /// - Parameter it: What only the second run had.
    func compare(_ without: BusyCall.Run, _ with: BusyCall.Run, _ it: String) {
        require("others that got other bytes than without \(it)", different(with.bytes, without.bytes), is: 0)
        require("others that got them in other writes", different(with.writes, without.writes), is: 0)
        require("others that got them in other turns", different(with.turns, without.turns), is: 0)
        require("others for whom a difference was made", with.merged.count { $0 > 0 }, is: 0)
        figure("bytes for each of \(with.bytes.count) others", range(with.bytes))
        figure("writes for each", range(with.writes.map { Int($0) }))
        for (name, run) in [("without", without), ("with", with)] {
            figure("turns in which each got something, \(name) it", range(run.turns.map { Int($0) }))
            figure(
                "turns and writes of the relay in all, \(name) it",
                "\(run.relayTurns) turns, \(run.relayWrites) writes to the system, \(run.pace) changes a second"
            )
            figure(
                "latency to all others, \(name) it",
                "\(percentile(run.latencies, 50)) at half, \(percentile(run.latencies, 99)) at 99 %"
            )
        }
    }

    private func different<Number: Equatable>(_ one: [Number], _ other: [Number]) -> Int {
        zip(one, other).count { $0 != $1 } + abs(one.count - other.count)
    }

    private func percentile(_ values: [Duration], _ percent: Int) -> String {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return "-" }
        let value = sorted[min(sorted.count - 1, sorted.count * percent / 100)]
        return "\(Double(Int(value / .microseconds(10))) / 100) ms"
    }

    private func range(_ values: [Int]) -> String {
        let (least, most) = (values.min() ?? 0, values.max() ?? 0)
        return least == most ? "\(least)" : "\(least) to \(most)"
    }
}
