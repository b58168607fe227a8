/// How often something may happen: so many times at once, and so many times a second on average.
public struct Rate: Hashable, Sendable {
    /// How many may come in a second for long; 0 is no limit.
    public var perSecond: Int
    /// How many may come at once after a rest, at least 1.
    public var burst: Int

    /// No limit.
    public static let unlimited = Rate(perSecond: 0, burst: 1)
    /// The highest number of either kind that counts.
    public static let maximum = 1_000_000_000

    /// A rate.
    ///
    /// Numbers outside of what counts are taken for the nearest one inside.
    public init(perSecond: Int, burst: Int) {
        self.perSecond = min(max(perSecond, 0), Self.maximum)
        self.burst = min(max(burst, 1), Self.maximum)
    }

    /// Whether there is a limit.
    public var isLimited: Bool { perSecond > 0 }
}

/// What is left of a ``Rate`` for somebody: a bucket that holds the burst and is filled at the rate.
///
/// A value; it knows the time only as a parameter, in ms, and takes an earlier one for the latest seen.
struct TokenBucket: Hashable {
    /// What is in it, in thousandths; below 0 it is in debt.
    private var level = Int.max
    /// When it was filled last.
    private var filledAt: UInt64 = 0

    /// Takes `count` if they are there and gives nil, else nothing and gives the ms after which they will be.
    ///
    /// More than the burst are there as soon as the bucket is full; the rest is owed.
    mutating func take(_ count: Int, of rate: Rate, at now: UInt64) -> UInt64? {
        guard rate.isLimited else { return nil }
        let wait = self.wait(for: count, of: rate, at: now)
        guard wait == 0 else { return wait }
        level -= Self.thousandths(count)
        return nil
    }

    /// Takes `count` whether they are there or not: what is missing is owed.
    mutating func charge(_ count: Int, of rate: Rate, at now: UInt64) {
        guard rate.isLimited else { return }
        fill(rate, at: now)
        level -= Self.thousandths(count)
    }

    /// The ms after which `count` will be there; 0 is now.
    mutating func wait(for count: Int, of rate: Rate, at now: UInt64) -> UInt64 {
        guard rate.isLimited else { return 0 }
        fill(rate, at: now)
        let missing = Self.thousandths(min(count, rate.burst)) - level
        // One thousandth comes in a ms for each of the rate.
        return missing <= 0 ? 0 : UInt64((missing - 1) / rate.perSecond + 1)
    }

    private mutating func fill(_ rate: Rate, at now: UInt64) {
        let most = Self.thousandths(rate.burst)
        if now > filledAt {
            let (added, isFull) = Int(clamping: now - filledAt).multipliedReportingOverflow(by: rate.perSecond)
            let (sum, isMore) = level.addingReportingOverflow(added)
            level = isFull || isMore ? most : sum
            filledAt = now
        }
        level = min(level, most)
    }

    private static func thousandths(_ count: Int) -> Int { min(max(count, 0), Rate.maximum) * 1_000 }
}
