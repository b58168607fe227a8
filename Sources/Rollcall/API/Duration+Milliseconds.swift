extension Duration {
    /// Whole milliseconds, from 0 to 2^53, which is what the wire carries.
    var milliseconds: UInt64 {
        let (seconds, attoseconds) = components
        if seconds < 0 || attoseconds < 0 { return 0 }
        let limit: Int64 = 1 << 43
        return UInt64(min(seconds, limit)) * 1_000 + UInt64(attoseconds) / 1_000_000_000_000_000
    }

    /// A duration of whole milliseconds.
    init(milliseconds: UInt64) {
        self = .milliseconds(Int64(clamping: milliseconds))
    }
}
