/// How long at least one of several things was so (a device of a person was there), counted as it happens.
///
/// Times are ms since 1970 and must not go back. Constant in size, whatever happens: the union of all intervals, also
/// of those that nobody keeps.
struct Coverage: Hashable, Sendable {
    /// The time before ``since`` that counts.
    private(set) var total: UInt64 = 0
    /// How many things are so now.
    private(set) var count: UInt32 = 0
    /// Since when at least one is so or, with none, none is.
    private(set) var since: UInt64 = 0

    /// The time that counts up to `now`, in ms.
    func length(at now: UInt64) -> UInt64 {
        count > 0 && now > since ? total &+ (now - since) : total
    }

    /// One more thing is so.
    mutating func begin(at now: UInt64) {
        if count == 0 { since = now }
        count += 1
    }

    /// One thing is not so any more.
    mutating func end(at now: UInt64) {
        guard count > 0 else { return }
        if count == 1 {
            total = length(at: now)
            since = now
        }
        count -= 1
    }

    // MARK: Gaps

    /// The time before `now` that does not count: what stays the same while something is so, and grows while nothing
    /// is.
    ///
    /// Kept from the begin of a gap, it tells later how much of the gap is still open.
    func uncovered(at now: UInt64) -> UInt64 { now &- length(at: now) }

    /// Counts a gap as if it had not been: from the time of ``uncovered(at:)`` to `now`.
    mutating func close(gapFrom uncovered: UInt64, at now: UInt64) {
        let open = self.uncovered(at: now)
        guard open > uncovered else { return }
        total &+= open - uncovered
    }
}

/// The sum of the lengths of many coverages, at any time; O(1) for each that changes.
struct CoverageSum: Hashable, Sendable {
    /// Of each coverage the time before its `since`, less `since` itself while it runs; modulo 2^64, since only sums
    /// are asked for.
    private var fixed: UInt64 = 0
    private var running: UInt64 = 0

    /// Takes a coverage in.
    mutating func add(_ coverage: Coverage) {
        fixed &+= coverage.total
        guard coverage.count > 0 else { return }
        fixed &-= coverage.since
        running &+= 1
    }

    /// Takes a coverage out, as it was when it was added.
    mutating func remove(_ coverage: Coverage) {
        fixed &-= coverage.total
        guard coverage.count > 0 else { return }
        fixed &+= coverage.since
        running &-= 1
    }

    /// The sum at a time that is not before the last change.
    func length(at now: UInt64) -> UInt64 { fixed &+ running &* now }
}
