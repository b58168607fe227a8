import CallState

/// SipHash-2-4: 64 bits of some bytes that nobody can aim at who does not know the key.
struct KeyedHash {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64

    private init(_ first: UInt64, _ second: UInt64) {
        v0 = first ^ 0x736f_6d65_7073_6575
        v1 = second ^ 0x646f_7261_6e64_6f6d
        v2 = first ^ 0x6c79_6765_6e65_7261
        v3 = second ^ 0x7465_6462_7974_6573
    }

    /// The hash of `bytes` under the key of these two words.
    static func hash(_ bytes: Span<UInt8>, key first: UInt64, _ second: UInt64) -> UInt64 {
        var state = KeyedHash(first, second)
        var word: UInt64 = 0
        for index in bytes.indices {
            word |= UInt64(bytes[index]) &<< UInt64(8 * (index & 7))
            guard index & 7 == 7 else { continue }
            state.take(word)
            word = 0
        }
        state.take(word | UInt64(truncatingIfNeeded: bytes.count) &<< 56)
        state.v2 ^= 0xff
        for _ in 0..<4 { state.mix() }
        return state.v0 ^ state.v1 ^ state.v2 ^ state.v3
    }

    private mutating func take(_ word: UInt64) {
        v3 ^= word
        mix()
        mix()
        v0 ^= word
    }

    private mutating func mix() {
        v0 &+= v1
        v1 = Self.turn(v1, 13) ^ v0
        v0 = Self.turn(v0, 32)
        v2 &+= v3
        v3 = Self.turn(v3, 16) ^ v2
        v0 &+= v3
        v3 = Self.turn(v3, 21) ^ v0
        v2 &+= v1
        v1 = Self.turn(v1, 17) ^ v2
        v2 = Self.turn(v2, 32)
    }

    private static func turn(_ word: UInt64, _ bits: UInt64) -> UInt64 { word &<< bits | word &>> (64 - bits) }
}
