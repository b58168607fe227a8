import Foundation
import Options
import Rollcall
import Synchronization
import ToolSupport

/// `rollcall-load hostile`.
struct HostileCommand {
    private let address: Address
    private let only: HostileCase?
    private let generated: HostileCase?
    private let session: String
    private let times: HostileTimes
    private let seed: UInt64
    private let isJSON: Bool

    init(_ settings: Settings) {
        address = settings[LoadOptions.connect]
        only = settings[LoadOptions.hostileCase]
        generated = settings[LoadOptions.generate]
        session = settings[LoadOptions.session]
        times = HostileTimes(
            hello: .milliseconds(settings[LoadOptions.helloTimeout]),
            stall: .milliseconds(settings[LoadOptions.stallTimeout])
        )
        seed = settings[LoadOptions.seed].map { UInt64($0) } ?? UInt64.random(in: 0..<1 << 53)
        isJSON = settings[LoadOptions.json]
    }

    /// Plays the cases one after the other; whether each got what it must and harmed nobody.
    func run(_ output: TextOutput) async throws -> Bool {
        if let generated {
            let generator = HostileGenerator(
                hostile: generated,
                address: address,
                session: session,
                times: times,
                seed: seed
            )
            let outcome = try JSONEncoder().encode(generator.run())
            try output.line(String(decoding: outcome, as: UTF8.self))
            return true
        }
        if !isJSON { try output.line("seed \(seed), relay \(address)") }
        var isGood = true
        for hostile in only.map({ [$0] }) ?? HostileCase.allCases {
            let verdict = try judge(hostile)
            isGood = isGood && verdict.failures.isEmpty
            try output.lines(isJSON ? [verdict.json.text] : verdict.lines)
        }
        return isGood
    }

    /// Plays one case beside a witness, then the same changes without it, and compares what the witness got.
    private func judge(_ hostile: HostileCase) throws -> HostileVerdict {
        let name = "load-hostile-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let disturbed = try Witness(address, session: name)
        let child = try HostileChild(arguments(for: hostile, session: name))
        // At least so many changes, and as many as it takes: the call is busy for as long as the case lasts.
        while disturbed.steps < 200 || child.isRunning {
            try disturbed.step()
            if disturbed.steps > 200 { Thread.sleep(forTimeInterval: 0.001) }
        }
        let outcome = try child.outcome()
        let quiet = try Witness(address, session: name + "-quiet")
        for _ in 0..<disturbed.steps { try quiet.step() }

        var verdict = HostileVerdict(hostile: hostile, outcome: outcome, failures: outcome.failures(of: hostile))
        verdict.frames = disturbed.deltas.count
        verdict.worst = disturbed.worst
        verdict.worstQuiet = quiet.worst
        if let difference = Self.difference(disturbed.deltas, quiet.deltas) { verdict.failures.append(difference) }
        return verdict
    }

    /// The first way in which two runs of frames differ; nil when they are the same.
    static func difference(_ disturbed: [[UInt8]], _ quiet: [[UInt8]]) -> String? {
        if let index = zip(disturbed, quiet).enumerated().first(where: { $1.0 != $1.1 })?.offset {
            return "the witness's frame \(index + 1) differs: \(hexText(disturbed[index].prefix(40))) beside it, "
                + "\(hexText(quiet[index].prefix(40))) without it"
        }
        if disturbed.count != quiet.count {
            return "the witness got \(disturbed.count) frames beside it, \(quiet.count) without it"
        }
        return nil
    }

    private func arguments(for hostile: HostileCase, session: String) -> [String] {
        [
            "hostile", "--connect", "\(address)", "--generate", hostile.rawValue, "--session", session, "--seed",
            "\(seed)",
            "--hello-timeout", "\(Int(times.hello / .milliseconds(1)))ms",
            "--stall-timeout", "\(Int(times.stall / .milliseconds(1)))ms",
        ]
    }
}

/// What is to be said about one case.
struct HostileVerdict {
    let hostile: HostileCase
    let outcome: HostileOutcome
    /// What is wrong, a line each.
    var failures: [String]
    /// How many frames of the witness were compared.
    var frames = 0
    /// The longest that the witness waited for a change, beside the hostile client and without it.
    var worst = Duration.zero
    /// See ``worst``.
    var worstQuiet = Duration.zero

    /// For people: one line, and one for each failure.
    var lines: [String] {
        let ends = outcome.ends.sorted { $0.key < $1.key }.map { $1 == 1 ? $0 : "\($1) x \($0)" }
        let head = [
            failures.isEmpty ? "ok" : "FAILED", "\(hostile.rawValue) (\(hostile.summary))",
            ends.joined(separator: ", "), "after \((outcome.seconds * 100).rounded() / 100) s",
            "witness: \(frames) frames the same, worst wait \(ReplayReport.text(worst)) (\(ReplayReport.text(worstQuiet)) without)",
        ]
        let notes = outcome.notes.isEmpty ? [] : ["[\(outcome.notes.joined(separator: ", "))]"]
        return [(head + notes).joined(separator: "  ")] + failures.map { "    \($0)" }
    }

    /// For programs; the keys are stable.
    var json: JSONValue {
        let ends: [JSONValue.Member] = outcome.ends.sorted { $0.key < $1.key }.map {
            .init(key: $0.key, value: .number(UInt64($0.value)))
        }
        return .members([
            "case": .string(hostile.rawValue), "ok": .bool(failures.isEmpty),
            "ends": .object(ends),
            "seconds": .decimal(outcome.seconds), "frames": .number(UInt64(frames)),
            "worstMs": .decimal(worst / .milliseconds(1)), "worstQuietMs": .decimal(worstQuiet / .milliseconds(1)),
            "notes": .array(outcome.notes.map { .string($0) }),
            "failures": .array(failures.map { .string($0) }),
        ])
    }
}
