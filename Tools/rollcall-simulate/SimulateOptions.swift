import Options

/// The options of `rollcall-simulate`, each stated once.
enum SimulateOptions {
    static let seeds = Option<Int>.value("seeds", .count(1...100_000_000), default: 200, "So many seeds, one run each.")
    static let steps = Option<Int>.value("steps", .count(1...1_000_000), default: 2_000, "Steps of each run.")
    static let from = Option<Int>.value("from", .count(0...Int.max), default: 1, "The first seed; the others follow.")
    static let seed = Option<Int?>.optional("seed", .count(0...Int.max), "Only this seed, with the tail of its trace.")
    static let shrink = Option<Bool>.flag("shrink", "Make a failing run as short as it goes, and print it.")
    static let name = Option<String>.value(
        "name",
        .string,
        default: "unnamed",
        "With --shrink: the name under which the run can be kept."
    )
    static let jobs = Option<Int>.value("jobs", .count(1...64), default: 2, "Runs at a time.")
    static let coverage = Option<Bool>.flag(
        "coverage",
        "Print how often everything happened, and fail when something never did."
    )
    static let hashes = Option<Bool>.flag("hashes", "Print a hash over all that happened in each run.")
    static let regressions = Option<String?>.optional(
        "regressions",
        .string(placeholder: "FILE"),
        "Run the entries of a file instead."
    )

    /// The program.
    static let program = Program(
        name: "rollcall-simulate",
        summary: "Runs one relay and many clients in a simulated world of faults, and judges them after every step.",
        version: ProductVersion.text,
        groups: [
            OptionGroup("Runs", [seeds, steps, from, jobs, coverage, hashes]),
            OptionGroup("One run", [seed, shrink, name]),
            OptionGroup("Kept runs", [regressions]),
        ]
    )
}
