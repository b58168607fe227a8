/// Gives epochs when nothing is kept on disk: rising, never one twice, also not after a restart, since the first is the
/// time of the start.
struct EpochSource {
    private var last: UInt64

    /// Starts at ms since 1970.
    init(startedAt wall: UInt64) {
        last = wall
    }

    /// The next epoch.
    ///
    /// Below 2^53 for some hundred thousand years.
    mutating func next() -> UInt64 {
        last += 1
        return last
    }
}
