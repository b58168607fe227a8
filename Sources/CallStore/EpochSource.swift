/// Gives epochs: rising, never one twice.
///
/// They keep up with the clock, so that they go on rising even when it is not known which ones were given before.
struct EpochSource {
    private(set) var last: UInt64

    /// Epochs above `last`.
    init(after last: UInt64) {
        self.last = last
    }

    /// The next epoch, which is `wall` (ms since 1970) when that is above every one that was given.
    ///
    /// Below 2^53 for some hundred thousand years: no clock is believed that is not.
    mutating func next(wall: UInt64 = 0) -> UInt64 {
        last += 1
        if wall < 1 << 52 { last = max(last, wall) }
        return last
    }
}
