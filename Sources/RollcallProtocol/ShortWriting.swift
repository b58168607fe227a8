import CallState

// Headers and small frames, put together in one piece at the end of an array: looking at the array for each byte costs
// several times what writing the byte does. Nothing here is longer than the room that is asked for.
extension OutputSpan<UInt8> {
    /// Writes a varint in the fewest bytes.
    @inline(__always)
    mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes the begin of a length-delimited field: its tag and the length of what follows.
    @inline(__always)
    mutating func append(_ field: UInt32, length: Int) {
        append(varint: UInt64(field) << 3 | WireType.lengthDelimited)
        append(varint: UInt64(length))
    }

    /// Writes a number, whatever it is.
    @inline(__always)
    mutating func write(_ field: UInt32, _ value: UInt64) {
        append(varint: UInt64(field) << 3 | WireType.varint)
        append(varint: value)
    }

    /// Writes a number unless it is 0.
    @inline(__always)
    mutating func put(_ field: UInt32, _ value: UInt64) {
        if value != 0 { write(field, value) }
    }

    /// Writes the length of a frame.
    @inline(__always)
    mutating func append(bigEndian value: UInt32) {
        append(UInt8(truncatingIfNeeded: value >> 24))
        append(UInt8(truncatingIfNeeded: value >> 16))
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }
}

/// The number of bytes of a varint field with a number below 16, 0 for one that is left out.
@inline(__always)
func putLength(_ value: UInt64) -> Int { value == 0 ? 0 : 1 + varintLength(value) }

/// The number of bytes of a length-delimited field with a number below 16, tag and length included.
@inline(__always)
func fieldLength(_ count: Int) -> Int { 1 + varintLength(UInt64(count)) + count }
