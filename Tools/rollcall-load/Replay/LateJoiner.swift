import Randomness
import Traces

/// A client that joins in the middle of a replay.
struct LateJoiner: Hashable, Sendable {
    /// Before which step it joins; the number of steps is after the last.
    let step: Int
    /// Who it is.
    let device: TraceDevice
    /// What it brings.
    let facts: InitialFacts
    /// Whether it only watches.
    let isObserver: Bool

    /// Draws so many, in order of their moments; every other one is an observer.
    static func drawn(_ count: Int, steps: Int, random: inout SplitMix64) -> [LateJoiner] {
        let moments = (0..<count).map { _ in steps == 0 ? 0 : 1 + random.below(steps) }.sorted()
        return moments.enumerated().map { index, step in
            LateJoiner(
                step: step,
                device: TraceDevice(uid: "late-\(index + 1)", device: "late"),
                facts: InitialFacts(audioMuted: random.below(2) == 0, videoPaused: random.below(2) == 0),
                isObserver: index % 2 == 1
            )
        }
    }
}
