/// Decides when the changes of one call are told to its readers: at once while the call is quiet, gathered while it is
/// busy.
///
/// A write costs the same however little is in it, so that what saves work is to write less often. A tick begins with
/// the first change after the last one has ended, which is told at once. Within a tick more is told at once as long as
/// that takes few writes; what comes after that is gathered, and told when the first of it has waited for as long as a
/// tick, or when it is long enough to be worth its writes. Nothing waits longer than that, and nothing is counted in
/// time but that end.
struct Tick: Hashable {
    /// What is set about it.
    struct Rule: Hashable {
        /// How long a tick is, and how long something waits at most, in ms; 0 is none.
        var length: UInt64
        /// So many writes are made in a tick before something waits; those of its begin count.
        var writes: Int
        /// So many bytes of frames never wait.
        var bytes: Int
    }

    /// When the running one ends, or the last one ended, on the monotonic clock.
    private(set) var ends: UInt64 = 0
    /// Writes since it began.
    private var writes = 0
    /// Whether something was gathered since, from which on its end counts.
    private var isGathering = false

    /// Whether `bytes` that nobody was told of are told now, to so many readers; nil is more than any receiver gets as
    /// frames.
    ///
    /// `now` is on the monotonic clock.
    mutating func tells(_ bytes: Int?, to readers: Int, at now: UInt64, by rule: Rule) -> Bool {
        guard now < ends, let bytes, bytes < rule.bytes else {
            ends = now + rule.length
            writes = readers
            isGathering = false
            return true
        }
        if isGathering { return false }
        guard writes + readers > rule.writes else {
            writes += readers
            return true
        }
        // Counted from here and not from the last write: that is what is promised, with the fewest writes.
        ends = now + rule.length
        isGathering = true
        return false
    }
}
