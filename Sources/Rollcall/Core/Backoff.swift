/// How long to wait before connecting again: full jitter, so that clients that lost one relay do not return together.
struct Backoff: Sendable {
    /// The shortest wait, in ms.
    static let floor: UInt64 = 250
    /// The longest wait that a relay can ask for, in ms: a peer is never trusted with a time.
    static let longestAdvice: UInt64 = 600_000

    /// The number of failures since the connection was last good.
    private(set) var failures = 0

    /// The connection is good: the next wait is a short one again.
    mutating func reset() {
        failures = 0
    }

    /// The next wait in ms: at random between 250 and a bound that doubles, capped by the policy and a third of the
    /// grace.
    ///
    /// - Parameter advice: The relay asked to wait so long; the jitter comes on top.
    mutating func next(
        _ policy: ReconnectPolicy,
        grace: UInt64,
        advice: UInt64,
        random: inout JitterSource
    ) -> UInt64 {
        let base = max(policy.base.milliseconds, 1)
        let doubled = base << UInt64(min(failures, 10))
        failures += 1
        let bound = max(Backoff.floor, min(doubled, policy.cap.milliseconds, grace / 3))
        return min(advice, Backoff.longestAdvice) + UInt64.random(in: Backoff.floor...bound, using: &random)
    }
}
