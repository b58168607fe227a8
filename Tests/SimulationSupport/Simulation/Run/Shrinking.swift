/// A run that breaks an invariant, made as short as it goes.
package struct Shrinking {
    /// What decides the world.
    package let seed: UInt64
    /// How many steps the run had.
    package let count: Int
    /// The invariant that is broken.
    package let invariant: Invariant
    /// The steps that are left, with their numbers.
    package private(set) var steps: [(number: Int, step: Step)]
    /// Runs that were tried.
    package private(set) var tries = 0

    /// A run of a seed; nil when it breaks nothing.
    package init?(seed: UInt64, steps count: Int) {
        var world = Simulation(seed: seed)
        world.run(steps: count)
        guard let violation = world.violation else { return nil }
        self.init(
            seed: seed,
            count: count,
            invariant: violation.invariant,
            steps: (0...min(violation.step, count - 1)).map { ($0, world.step($0)) }
        )
    }

    private init(seed: UInt64, count: Int, invariant: Invariant, steps: [(number: Int, step: Step)]) {
        self.seed = seed
        self.count = count
        self.invariant = invariant
        self.steps = steps
    }

    /// Leaves out whatever is not needed, in at most so many tries.
    package mutating func shrink(tries limit: Int) {
        for kind in Step.Kind.allCases where steps.contains(where: { $0.step.kind == kind }) {
            keep(steps.filter { $0.step.kind != kind })
        }
        var size = max(1, steps.count / 2)
        while tries < limit {
            var start = 0
            var hasShrunk = false
            while start < steps.count, tries < limit {
                let end = min(start + size, steps.count)
                if keep(Array(steps[..<start] + steps[end...])) { hasShrunk = true } else { start = end }
            }
            if size == 1, !hasShrunk { return }
            size = max(1, size / 2)
        }
    }

    /// Takes fewer steps if they still break the invariant.
    @discardableResult
    private mutating func keep(_ fewer: [(number: Int, step: Step)]) -> Bool {
        tries += 1
        var world = Simulation(seed: seed)
        world.run(fewer, of: count)
        guard let violation = world.violation, violation.invariant == invariant else { return false }
        steps = fewer.filter { $0.number <= violation.step }
        return true
    }
}

/// A run that has found something once, by its name.
package struct Regression: Sendable {
    /// What it found, in words joined by dashes.
    package var name: String
    /// What decides the world.
    package var seed: UInt64
    /// How many steps the run had.
    package var count: Int
    /// The steps that are needed, with their numbers; none is all of the seed's.
    package var steps: [(number: Int, step: Step)] = []

    /// A regression of a shrunk run.
    package init(name: String, _ run: Shrinking) {
        self.name = name
        seed = run.seed
        count = run.count
        steps = run.steps
    }

    private init(name: String, seed: UInt64, count: Int) {
        self.name = name
        self.seed = seed
        self.count = count
    }

    /// The world after the run.
    package func run(isRecorded: Bool = false) -> Simulation {
        var world = Simulation(seed: seed, isRecorded: isRecorded)
        if steps.isEmpty { world.run(steps: count) } else { world.run(steps, of: count) }
        return world
    }

    /// The entry as a file has it.
    package var text: String {
        var lines = ["=== \(name)", "seed \(seed) steps \(count)"]
        var line = ""
        for (number, step) in steps {
            let word = "\(number):\(step.text)"
            if line.count + word.count > 100 {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? word : " " + word
        }
        if !line.isEmpty { lines.append(line) }
        return lines.joined(separator: "\n")
    }

    /// What is wrong with a file of regressions.
    package struct FileError: Error, CustomStringConvertible {
        var line: Int
        var reason: String
        package var description: String { "line \(line): \(reason)" }
    }

    /// The entries of a file.
    package static func read(_ text: String) throws(FileError) -> [Regression] {
        var entries: [Regression] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            if line.hasPrefix("=== ") {
                entries.append(Regression(name: String(line.dropFirst(4)), seed: 0, count: 0))
                continue
            }
            guard !entries.isEmpty else {
                throw FileError(line: index + 1, reason: "an entry begins with === and a name")
            }
            let last = entries.count - 1
            let words = line.split(separator: " ")
            if words.first == "seed" {
                guard words.count == 4, let seed = UInt64(words[1]), words[2] == "steps", let count = Int(words[3])
                else {
                    throw FileError(line: index + 1, reason: "where `seed N steps N` belongs")
                }
                (entries[last].seed, entries[last].count) = (seed, count)
                continue
            }
            for word in words {
                let parts = word.split(separator: ":")
                guard parts.count == 2, let number = Int(parts[0]), let step = Step(text: parts[1]) else {
                    throw FileError(line: index + 1, reason: "`\(word)` is no step")
                }
                entries[last].steps.append((number, step))
            }
        }
        return entries
    }
}
