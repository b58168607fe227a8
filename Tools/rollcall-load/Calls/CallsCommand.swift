import CallState
import Options
import Rollcall
import RollcallProtocol
import ToolSupport
import Traces

/// `rollcall-load calls`.
struct CallsCommand {
    private let address: Address
    private let calls: Int
    private let people: Int
    private let steps: Int
    private let devices: Int
    private let seed: UInt64
    private let relayPID: Int?
    private let idleClients: Int
    private let isJSON: Bool
    private let isQuiet: Bool

    init(_ settings: Settings) {
        address = settings[LoadOptions.connect]
        calls = settings[LoadOptions.calls]
        people = settings[LoadOptions.peoplePerCall]
        steps = settings[LoadOptions.steps]
        devices = settings[LoadOptions.devices]
        seed = settings[LoadOptions.seed].map { UInt64($0) } ?? UInt64.random(in: 0..<1 << 53)
        relayPID = settings[LoadOptions.relayPID]
        idleClients = settings[LoadOptions.idleClients]
        isJSON = settings[LoadOptions.json]
        isQuiet = settings[LoadOptions.quiet]
    }

    /// Plays all calls at once; whether everybody ended with the relay's digest and nobody lagged.
    func run(_ output: TextOutput) async throws -> Bool {
        let limit = ProcessSetup.raiseOpenFiles(to: UInt64(calls * (people * devices + 2) + idleClients + 100))
        if !isJSON { try output.line("seed \(seed), relay \(address), descriptor limit \(limit)") }
        let memory = try measureMemory()
        let plans = (0..<calls).map { call in
            var meeting = RandomMeeting(people: people, steps: steps, seed: seed &+ UInt64(call))
            meeting.devicesPerPerson = devices
            return meeting.plan()
        }
        var options = ReplayOptions(address: address)
        options.comparesAtJoins = false
        options.isMeasured = false
        let runs = plans.enumerated().map { ReplayRun($1, name: "call-\($0 + 1)", options: options) }
        let progress = ReplayProgress("calls", total: plans.reduce(0) { $0 + $1.steps.count }, isShown: !isQuiet)
        let start = ContinuousClock.now
        try await forEach(runs) { try await $0.play { progress.step() } }
        let playing = ContinuousClock.now - start
        await progress.finish()
        try await forEach(runs) { try await $0.settle() }

        var sum = ReplayReport(name: "\(calls) calls of \(people)", session: "")
        for run in runs { sum.add(await run.result) }
        sum.duration = playing
        let lag = try await inspect(runs)
        try await forEach(runs) { await $0.leave() }
        return try print(sum, lag, memory, output)
    }

    private func forEach(_ runs: [ReplayRun], _ body: @escaping @Sendable (ReplayRun) async throws -> Void) async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for run in runs { group.addTask { try await body(run) } }
            try await group.waitForAll()
        }
    }

    /// What the relay says about the connections of these calls, once nobody lags, or after 10 s.
    private func inspect(_ runs: [ReplayRun]) async throws -> (connections: Int, lagging: [ConnectionInfo]) {
        let sessions = Set(runs.map(\.session))
        var own: [ConnectionInfo] = []
        _ = try await poll(within: .seconds(10)) { () -> Bool? in
            own = try await RollcallClient(address).connections().filter { sessions.contains($0.session.string) }
            return own.allSatisfy { $0.lag == 0 } ? true : nil
        }
        return (own.count, own.filter { $0.lag > 0 })
    }

    /// How much the relay grows for each idle client; nil without `--relay-pid`.
    private func measureMemory() throws -> IdleMemory? {
        guard let relayPID, idleClients > 0 else { return nil }
        return try IdleMemory.measure(address, relayPID: relayPID, clients: idleClients)
    }

    private func print(
        _ sum: ReplayReport,
        _ lag: (connections: Int, lagging: [ConnectionInfo]),
        _ memory: IdleMemory?,
        _ output: TextOutput
    ) throws -> Bool {
        let rate = Double(sum.events) / max(sum.duration.inSeconds, 0.001)
        let isGood = sum.isClean && lag.lagging.isEmpty
        if isJSON {
            try output.json(json(sum, rate: rate, lag, memory))
            return isGood
        }
        try output.lines(sum.differences.map { "  \($0)" })
        try output.line(
            "\(sum.name): \(sum.events) events in \(ReplayReport.seconds(sum.duration)), \(Int(rate)) a second, each acknowledged"
        )
        try output.line(
            "at the end \(sum.digests) digests and \(sum.comparisons) states were compared, with \(sum.differences.count) differences"
        )
        try output.line("conns: \(lag.connections) connections, \(lag.lagging.count) of them lag")
        for connection in lag.lagging.prefix(20) {
            try output.line("  \(connection.session) \(connection.uid)/\(connection.device): lag \(connection.lag)")
        }
        try output.line(memory?.line ?? "memory per idle client: not measured without --relay-pid")
        return isGood
    }

    private func json(
        _ sum: ReplayReport,
        rate: Double,
        _ lag: (connections: Int, lagging: [ConnectionInfo]),
        _ memory: IdleMemory?
    ) -> JSONValue {
        var perClient = JSONValue.null
        if let memory { perClient = .number(UInt64(memory.bytesPerClient)) }
        return .members([
            "calls": .number(UInt64(calls)), "people": .number(UInt64(people)), "seed": .number(seed),
            "eventsPerSecond": .decimal(rate), "connections": .number(UInt64(lag.connections)),
            "lagging": .number(UInt64(lag.lagging.count)), "bytesPerIdleClient": perClient, "played": sum.json,
        ])
    }
}
