/// Lets joins in at a rate, and gives those that are too many a time at which to come back, one behind the other.
///
/// So a storm of joins comes at the rate instead of as a storm again. Those that come back to a place that they have
/// are not kept waiting by newcomers: half of the burst is theirs alone.
struct JoinGate {
    private var bucket = TokenBucket()
    /// Up to when times were given away, in thousandths of a ms.
    private var promised: UInt64 = 0

    /// The shortest time that anybody is sent away for, in ms.
    static let shortestWait: UInt64 = 500

    /// Nil when the join may come in, else the ms after which its turn is.
    mutating func admit(isResume: Bool, at rate: Rate, now: UInt64) -> UInt64? {
        guard rate.isLimited else { return nil }
        let kept = isResume ? 0 : rate.burst / 2
        if bucket.wait(for: kept + 1, of: rate, at: now) == 0 {
            bucket.charge(1, of: rate, at: now)
            return nil
        }
        let (present, isLate) = now.multipliedReportingOverflow(by: 1_000)
        guard !isLate else { return Self.shortestWait }
        let begin = max(promised, present)
        let (next, isFar) = begin.addingReportingOverflow(1_000_000 / UInt64(rate.perSecond))
        guard !isFar else { return Self.shortestWait }
        promised = next
        return Self.shortestWait + (next - present) / 1_000
    }
}
