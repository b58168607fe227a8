import Foundation

/// Random numbers that come again with the same seed.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }

    /// A number below `bound`.
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// True once in `n`.
    mutating func oneIn(_ n: Int) -> Bool { below(n) == 0 }
}

/// The seeds of this run: one from ROLLCALL_SEED, or as many as asked for, from a printed random number.
enum Seeds {
    private static let given = ProcessInfo.processInfo.environment["ROLLCALL_SEED"].flatMap { UInt64($0) }

    private static let base: UInt64 = {
        let base = UInt64.random(in: 0..<1_000_000_000)
        print("random histories with seeds from \(base); repeat one with ROLLCALL_SEED=<seed>")
        return base
    }()

    static func take(_ count: Int) -> [UInt64] {
        if let given { return [given] }
        return (0..<count).map { base + UInt64($0) }
    }
}
