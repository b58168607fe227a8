import Synchronization

/// What a trial has measured, and which of it is as it must be.
package final class TrialReport: Sendable {
    private struct State {
        var failures = 0
        var lines: [String] = []
    }

    private let state = Mutex(State())
    private let print: @Sendable (String) -> Void

    /// A report that tells each line as it comes.
    package init(_ print: @escaping @Sendable (String) -> Void) {
        self.print = print
    }

    /// How many things are not as they must be.
    package var failures: Int { state.withLock { $0.failures } }

    /// Every line so far.
    package var lines: [String] { state.withLock { $0.lines } }

    /// Something measured, without a verdict.
    package func figure(_ name: String, _ value: String) { tell("      \(name): \(value)") }

    /// Something measured that must be so.
    package func require(_ name: String, _ value: String, _ isSo: Bool) {
        if !isSo { state.withLock { $0.failures += 1 } }
        tell("\(isSo ? "ok   " : "FAIL ") \(name): \(value)")
    }

    /// A count that must be `limit` at most.
    package func require(_ name: String, _ value: Int, atMost limit: Int) {
        require(name, "\(value) (at most \(limit))", value <= limit)
    }

    /// A count that must be exactly so much.
    package func require(_ name: String, _ value: Int, is wanted: Int) {
        require(name, value == wanted ? "\(value)" : "\(value) (must be \(wanted))", value == wanted)
    }

    private func tell(_ line: String) {
        state.withLock { $0.lines.append(line) }
        print(line)
    }
}

/// Why a trial could not be held.
package struct TrialFailure: Error, CustomStringConvertible {
    /// For people.
    package let description: String

    init(_ description: String) { self.description = description }
}
