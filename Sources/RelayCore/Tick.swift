/// Decides when the changes of one call are told to its readers: at once while the call is quiet, gathered while it is
/// busy.
///
/// A write costs the same however little is in it, so that what saves work is to write less often. A tick begins with
/// the first change after the last one has ended, which is told at once. Within a tick more is told at once as long as
/// that takes few writes; what comes after that waits for the end of the tick, or until it is long enough to be worth
/// its writes. Nothing waits longer than a tick, and nothing is counted in time but its end.
struct Tick: Hashable {
    /// What is set about it.
    struct Rule: Hashable {
        /// How long a tick is, in ms; 0 is none.
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

    /// Whether `bytes` that nobody was told of are told now, to so many readers; nil is more than any receiver gets as
    /// frames.
    ///
    /// `now` is on the monotonic clock.
    mutating func tells(_ bytes: Int?, to readers: Int, at now: UInt64, by rule: Rule) -> Bool {
        guard now < ends, let bytes, bytes < rule.bytes else {
            ends = now + rule.length
            writes = readers
            return true
        }
        guard writes + readers <= rule.writes else { return false }
        writes += readers
        return true
    }
}
