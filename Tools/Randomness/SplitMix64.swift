/// A small, fast generator whose sequence depends on the seed alone (Steele, Lea and Flood, 2014), for tests and tools.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts a sequence.
    public init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// A number from 0 up to `bound`, not counting it; `bound` is above 0.
    public mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// True once in `count` times.
    public mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }
}
