/// Reads the fields of one small protobuf message from its bytes.
///
/// It accepts what any protobuf runtime writes and ends with a failure at the first byte that breaks the encoding; it
/// never reads behind the end and never believes a length.
public struct MessageReader {
    /// A field's value as it stands on the wire.
    public enum Value {
        /// A varint.
        case number(UInt64)
        /// A range of the bytes given at the start.
        case bytes(Range<Int>)
    }

    @usableFromInline let bytes: [UInt8]
    @usableFromInline var offset = 0
    /// Whether the bytes broke the encoding; nothing more is read then.
    public private(set) var failed = false

    /// Reads `bytes` from the start.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next field, or nil at the end or after a failure.
    ///
    /// Eight-byte and four-byte fields come as bytes.
    public mutating func next() -> (number: UInt32, value: Value)? {
        guard !failed, offset < bytes.count else { return nil }
        guard let tag = varint(), tag >> 3 >= 1, tag >> 3 <= 0x1FFF_FFFF else { return fail() }
        let number = UInt32(tag >> 3)
        switch tag & 7 {
        case WireType.varint:
            guard let value = varint() else { return fail() }
            return (number, .number(value))
        case WireType.lengthDelimited:
            guard let length = varint(), let range = take(length) else { return fail() }
            return (number, .bytes(range))
        case WireType.fixed64:
            guard let range = take(8) else { return fail() }
            return (number, .bytes(range))
        case WireType.fixed32:
            guard let range = take(4) else { return fail() }
            return (number, .bytes(range))
        default:
            return fail()
        }
    }

    /// A varint, which may be longer than needed; nil when it is cut or above 64 bits.
    mutating func varint() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            if shift == 63, byte > 1 { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    private mutating func take(_ length: UInt64) -> Range<Int>? {
        guard length <= UInt64(bytes.count - offset) else { return nil }
        let range = offset..<(offset + Int(length))
        offset = range.upperBound
        return range
    }

    private mutating func fail<T>() -> T? {
        failed = true
        return nil
    }
}
