import Foundation
import Options
import SimulationSupport
import ToolSupport

/// What the program was asked to do.
struct SimulateCommand {
    let settings: Settings
    let output: TextOutput

    /// Does it; false when an invariant is broken, or something never happened.
    func run() async throws -> Bool {
        if let file = settings[SimulateOptions.regressions] { return try runKept(file) }
        if let seed = settings[SimulateOptions.seed] { return try runOne(UInt64(seed)) }
        return try await runMany()
    }

    /// Prints what a run broke, and how to see it again.
    private func show(_ world: Simulation, steps: Int, violation: Violation) throws {
        try output.lines(world.tail.map { "  | \($0)" })
        try output.line("seed \(world.seed), \(violation)")
        try output.line("again: Tools/simulate --seed \(world.seed) --steps \(steps) [--shrink]")
    }

    /// One seed, with its trace when it fails.
    private func runOne(_ seed: UInt64) throws -> Bool {
        let steps = settings[SimulateOptions.steps]
        if settings[SimulateOptions.shrink], var shrinking = Shrinking(seed: seed, steps: steps) {
            let before = shrinking.steps.count
            shrinking.shrink(tries: 3_000)
            let regression = Regression(name: settings[SimulateOptions.name], shrinking)
            let world = regression.run(isRecorded: true)
            if let violation = world.violation { try show(world, steps: steps, violation: violation) }
            try output.line("\(before) steps became \(shrinking.steps.count) in \(shrinking.tries) tries:")
            try output.line(regression.text)
            return false
        }
        var world = Simulation(seed: seed, isRecorded: true)
        world.run(steps: steps)
        guard let violation = world.violation else {
            try output.line("seed \(seed): \(steps) steps, no violation, trace \(String(world.traceHash, radix: 16))")
            return true
        }
        try show(world, steps: steps, violation: violation)
        return false
    }

    /// The entries of a file.
    private func runKept(_ path: String) throws -> Bool {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw ToolError(.noInput, "can't read \(path)")
        }
        var failed = 0
        let entries: [Regression]
        do {
            entries = try Regression.read(text)
        } catch {
            throw ToolError(.dataError, "\(path), \(error)")
        }
        for entry in entries {
            let world = entry.run(isRecorded: true)
            guard let violation = world.violation else { continue }
            failed += 1
            try show(world, steps: entry.count, violation: violation)
            try output.line("regression \(entry.name) is back")
        }
        try output.line("\(entries.count) kept runs, \(failed) fail")
        return failed == 0
    }

    /// Many seeds.
    private func runMany() async throws -> Bool {
        let from = UInt64(settings[SimulateOptions.from])
        let steps = settings[SimulateOptions.steps]
        let begin = ContinuousClock.now
        let seeds = from..<from + UInt64(settings[SimulateOptions.seeds])
        let runs = await Runs.run(seeds, steps: steps, jobs: settings[SimulateOptions.jobs])
        let took = ContinuousClock.now - begin
        let seconds = Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
        let pace = Int(Double(runs.steps) / max(seconds, 0.001))
        if settings[SimulateOptions.hashes] {
            try output.lines(runs.hashes.map { "\($0.seed) \(String($0.hash, radix: 16))" })
            return runs.failure == nil
        }
        if settings[SimulateOptions.coverage] {
            try output.lines(Coverage.Mark.allCases.map { "  \($0) \(runs.coverage.count($0))" })
        }
        try output.line(
            "simulation: \(runs.count) seeds from \(from), \(runs.steps) steps in \(Int(seconds)) s, \(pace) steps/s, "
                + "\(runs.failure == nil ? 0 : 1) violations"
        )
        if let failure = runs.failure {
            var world = Simulation(seed: failure.seed, isRecorded: true)
            world.run(steps: steps)
            try show(world, steps: steps, violation: world.violation ?? failure.violation)
            return false
        }
        if settings[SimulateOptions.coverage], !runs.coverage.missing.isEmpty {
            try output.line("never happened: \(runs.coverage.missing.map { "\($0)" }.joined(separator: ", "))")
            return false
        }
        return true
    }
}
