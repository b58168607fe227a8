import SimulationSupport
import Synchronization

/// Where to stop: no seed from here on counts any more.
private final class End: Sendable {
    private let value: Mutex<UInt64>

    init(_ seed: UInt64) { value = Mutex(seed) }

    var seed: UInt64 { value.withLock { $0 } }

    func lower(to seed: UInt64) { value.withLock { $0 = min($0, seed) } }
}

/// What many runs came to.
struct Runs: Sendable {
    /// A run that broke an invariant.
    struct Failure: Sendable {
        var seed: UInt64
        var violation: Violation
    }

    var count = 0
    var steps = 0
    var coverage = Coverage()
    var hashes: [(seed: UInt64, hash: UInt64)] = []
    /// The one with the lowest seed.
    var failure: Failure?

    mutating func add(_ other: Runs) {
        count += other.count
        steps += other.steps
        coverage.add(other.coverage)
        hashes += other.hashes
        if let new = other.failure, new.seed < failure?.seed ?? .max { failure = new }
    }

    /// Runs `seeds` in `jobs` threads, up to the first that fails.
    static func run(_ seeds: Range<UInt64>, steps: Int, jobs: Int) async -> Runs {
        let end = End(seeds.upperBound)
        return await withTaskGroup(of: Runs.self) { group in
            for job in 0..<jobs {
                group.addTask {
                    var part = Runs()
                    var seed = seeds.lowerBound + UInt64(job)
                    // Those below the lowest failing one are run all the same, so that it is found whatever the threads
                    // do.
                    while seed < end.seed {
                        part.run(seed, steps)
                        if part.failure != nil {
                            end.lower(to: seed)
                            break
                        }
                        seed += UInt64(jobs)
                    }
                    return part
                }
            }
            var whole = Runs()
            for await part in group { whole.add(part) }
            whole.hashes.sort { $0.seed < $1.seed }
            return whole
        }
    }

    private mutating func run(_ seed: UInt64, _ steps: Int) {
        var world = Simulation(seed: seed)
        world.run(steps: steps)
        count += 1
        self.steps += world.stepNumber
        coverage.add(world.coverage)
        hashes.append((seed, world.traceHash))
        if let violation = world.violation { failure = Failure(seed: seed, violation: violation) }
    }
}
