import CallState

/// A checksum over the values of a row: SQLite has none of its own, and a flipped bit in a name or a version would
/// otherwise be taken for what was kept.
///
/// FNV-1a with 64 bits; each value goes in with its length.
struct RowSum {
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The checksum as a column holds it.
    var column: Int64 { Int64(bitPattern: hash) }

    /// Adds a number.
    mutating func add(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { add(byte: UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// Adds a number that may be missing.
    mutating func add(_ number: UInt64?) {
        // What is missing is not the same as 0.
        add(number == nil ? 0 : 1 as UInt64)
        if let number { add(number) }
    }

    /// Adds a flag.
    mutating func add(_ flag: Bool) { add(byte: flag ? 1 : 0) }

    /// Adds bytes and how many they are.
    mutating func add(_ bytes: [UInt8]) {
        add(UInt64(bytes.count))
        for byte in bytes { add(byte: byte) }
    }

    /// Adds a text as its bytes.
    mutating func add(_ text: ByteString) { add(text.bytes) }

    private mutating func add(byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
}

extension SQLiteError {
    /// A row is not what was written.
    static func damaged(_ what: String) -> SQLiteError { SQLiteError(code: SQLiteError.damage, what) }
}
