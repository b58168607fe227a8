import CallState

/// Bytes that are read as choices: each small part of an input decides one thing, so that a change of it changes
/// little.
///
/// What is beyond the end reads as zeros.
struct ChoiceReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether every byte was used.
    var isAtEnd: Bool { offset >= bytes.count }

    mutating func byte() -> UInt8 {
        guard offset < bytes.count else { return 0 }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// A number from 0 up to `bound`, not counting it; `bound` is 1...256.
    mutating func below(_ bound: Int) -> Int { Int(byte()) % bound }

    mutating func flag() -> Bool { byte() & 1 == 1 }

    /// One of `values`.
    mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// Nothing or one of `values`, with even odds.
    mutating func pickOrNil<Value>(_ values: [Value]) -> Value? {
        let choice = below(2 * values.count)
        return choice < values.count ? values[choice] : nil
    }

    /// The next bytes, at most `most`; `.max` is all.
    mutating func take(_ most: Int) -> [UInt8] {
        let end = offset + min(most, bytes.count - offset)
        defer { offset = end }
        return Array(bytes[offset..<end])
    }

    /// A number near the borders that code knows, or a small one.
    mutating func number() -> UInt64 {
        let choice = byte()
        switch choice {
        case 0..<128: return UInt64(choice)
        case 128..<200: return UInt64(choice) << 8 | UInt64(byte())
        default: return Self.borders[Int(choice) % Self.borders.count]
        }
    }

    private static let borders: [UInt64] = [
        119_999, 120_000, 120_001, UInt64(Int32.max), UInt64(UInt32.max) - 1, UInt64(UInt32.max), 1 << 32,
        (1 << 53) - 2, (1 << 53) - 1, 1 << 53, UInt64(Int64.max), 1 << 63, .max - 1, .max,
    ]

    /// A short text, which may be empty or beyond ASCII.
    mutating func text() -> ByteString { pick(["", "ana", "ben", "Chlo\u{EB}", "\u{65}\u{301}", "dan"]) }

    /// Bytes of one value that repeats, up to what an attribute may have.
    mutating func blob() -> [UInt8] {
        let count = pick([0, 1, 2, 60, 300, 1_023, 1_024])
        return [UInt8](repeating: UInt8(truncatingIfNeeded: count), count: count)
    }
}
