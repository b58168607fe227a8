import Foundation
import Options
import Rollcall
import ToolSupport
import Traces

/// `rollcall-load replay`.
struct ReplayCommand {
    private let address: Address
    private let paths: [String]
    private let speed: Double
    private let lateJoiners: Int
    private let jobs: Int
    private let seed: UInt64
    private let isJSON: Bool
    private let isQuiet: Bool

    init(_ settings: Settings) throws {
        let given = settings[LoadOptions.files]
        if given.isEmpty {
            throw ToolError(.usage, "no trace was given", advice: "Name files, or folders with .jsonl files in them.")
        }
        paths = try Self.traces(in: given)
        address = settings[LoadOptions.connect]
        speed = settings[LoadOptions.speed]
        lateJoiners = settings[LoadOptions.lateJoiners]
        jobs = settings[LoadOptions.jobs]
        seed = settings[LoadOptions.seed].map { UInt64($0) } ?? UInt64.random(in: 0..<1 << 53)
        isJSON = settings[LoadOptions.json]
        isQuiet = settings[LoadOptions.quiet]
    }

    /// The files that are named, and the `.jsonl` files of the folders that are named, in order of their paths.
    static func traces(in given: [String]) throws(ToolError) -> [String] {
        var paths: [String] = []
        for path in given {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
                throw ToolError(.noInput, "\(path): there is no such file or folder")
            }
            if !isFolder.boolValue {
                paths.append(path)
                continue
            }
            let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
            let traces = names.filter { $0.hasSuffix(".jsonl") }.sorted()
            if traces.isEmpty { throw ToolError(.noInput, "\(path): the folder holds no .jsonl file") }
            paths += traces.map { (path as NSString).appendingPathComponent($0) }
        }
        return paths
    }

    /// Plays all of them; whether there was no difference.
    func run(_ output: TextOutput) async throws -> Bool {
        ProcessSetup.raiseOpenFiles(to: 20_000)
        var plans: [(name: String, plan: TracePlan, skipped: [String: Int])] = []
        for path in paths {
            let trace: Trace
            do { trace = try Trace.load(path: path) } catch {
                throw ToolError(error.code == .unreadable ? .noInput : .dataError, "\(error)")
            }
            var skipped: [String: Int] = [:]
            for (field, count) in trace.unknownFields { skipped["field '\(field)': unknown"] = count }
            plans.append(((path as NSString).lastPathComponent, TracePlan(trace), skipped))
        }
        if !isJSON { try output.line("seed \(seed), relay \(address)") }
        var sum = ReplayReport(name: "\(plans.count) traces", session: "")
        sum.duration = .zero
        let start = ContinuousClock.now
        let progress = ReplayProgress("replay", total: plans.reduce(0) { $0 + $1.plan.steps.count }, isShown: !isQuiet)
        try await withThrowingTaskGroup(of: ReplayReport.self) { group in
            var waiting = plans[...]
            func startNext() {
                guard let (name, plan, skipped) = waiting.popFirst() else { return }
                group.addTask { try await replay(name, plan, skipped, progress) }
            }
            for _ in 0..<jobs { startNext() }
            for try await report in group {
                startNext()
                sum.add(report)
                try print(report, output)
            }
        }
        await progress.finish()
        sum.duration = .now - start
        try printSum(sum, output)
        return sum.isClean
    }

    private func replay(
        _ name: String,
        _ plan: TracePlan,
        _ skipped: [String: Int],
        _ progress: ReplayProgress
    ) async throws -> ReplayReport {
        var options = ReplayOptions(address: address)
        options.speed = speed
        options.lateJoiners = lateJoiners
        // Each trace has moments of its own, whatever else is played beside it.
        options.seed = name.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let run = ReplayRun(plan, name: name, options: options)
        try await run.play { progress.step() }
        try await run.settle()
        await run.leave()
        var report = await run.result
        report.skipped.merge(skipped, uniquingKeysWith: +)
        return report
    }

    private func print(_ report: ReplayReport, _ output: TextOutput) throws {
        if isJSON { return try output.json(report.json) }
        try output.line(report.line)
        if !isQuiet { try output.lines(report.skippedLines) }
        try output.lines(report.differences.map { "  \($0)" })
    }

    private func printSum(_ sum: ReplayReport, _ output: TextOutput) throws {
        if isJSON {
            var sum = sum
            sum.name = "all"
            return try output.json(sum.json)
        }
        if speed > 0 { try output.line("events went out at most \(ReplayReport.text(sum.worstDelay)) late") }
        try output.line(sum.line)
        try output.line(
            sum.isClean
                ? "zero differences in \(paths.count) traces (seed \(seed))"
                : "\(sum.differences.count) differences (seed \(seed))"
        )
    }
}
