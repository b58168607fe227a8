/// Something that takes bytes: a buffer, or a hash of what would be in one.
///
/// Values are written once and for all through this protocol, so that what is hashed is what is sent.
public protocol ByteSink {
    /// Takes one byte.
    mutating func append(_ byte: UInt8)
    /// Takes bytes.
    mutating func append(contentsOf bytes: [UInt8])
}

extension [UInt8]: ByteSink {}

/// The wire types of protobuf that record fields and frames use.
public enum WireType {
    /// A varint.
    public static let varint: UInt64 = 0
    /// Eight bytes, little-endian.
    public static let fixed64: UInt64 = 1
    /// A length and so many bytes.
    public static let lengthDelimited: UInt64 = 2
    /// Four bytes, little-endian.
    public static let fixed32: UInt64 = 5
}

extension ByteSink {
    /// Writes a varint in the fewest bytes.
    @inlinable
    public mutating func appendVarint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes the tag of a field.
    @inlinable
    public mutating func appendTag(_ number: UInt32, _ wireType: UInt64) {
        appendVarint(UInt64(number) << 3 | wireType)
    }

    /// Writes a varint field, whatever its value.
    @inlinable
    public mutating func appendField(_ number: UInt32, varint value: UInt64) {
        appendTag(number, WireType.varint)
        appendVarint(value)
    }

    /// Writes a length-delimited field, whatever its value.
    @inlinable
    public mutating func appendField(_ number: UInt32, bytes: [UInt8]) {
        appendTag(number, WireType.lengthDelimited)
        appendVarint(UInt64(bytes.count))
        append(contentsOf: bytes)
    }

    /// Writes a fixed64 field, whatever its value.
    @inlinable
    public mutating func appendField(_ number: UInt32, fixed64 value: UInt64) {
        appendTag(number, WireType.fixed64)
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Writes the canonical value bytes of a field: its protobuf payload without tag and length.
    @inlinable
    public mutating func appendCanonical(_ value: FieldValue) {
        switch value {
        case .number(let number): appendVarint(number)
        case .bytes(let bytes): append(contentsOf: bytes)
        }
    }
}

/// The number of bytes of a minimal varint.
@inlinable
public func varintLength(_ value: UInt64) -> Int {
    // Nearly all are short; else one byte for each 7 significant bits.
    value < 0x80 ? 1 : (70 - value.leadingZeroBitCount) / 7
}
