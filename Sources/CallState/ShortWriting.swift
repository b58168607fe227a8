// Headers and small frames, put together in one piece at the end of an array: looking at the array for each byte costs
// several times what writing the byte does. Nothing here is longer than the room that is asked for.
extension OutputSpan<UInt8> {
    /// Writes a varint in the fewest bytes.
    @inlinable
    @inline(__always)
    package mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes the begin of a length-delimited field: its tag and the length of what follows.
    @inlinable
    @inline(__always)
    package mutating func append(_ field: UInt32, length: Int) {
        append(varint: UInt64(field) << 3 | WireType.lengthDelimited)
        append(varint: UInt64(length))
    }

    /// Writes a number, whatever it is.
    @inlinable
    @inline(__always)
    package mutating func write(_ field: UInt32, _ value: UInt64) {
        append(varint: UInt64(field) << 3 | WireType.varint)
        append(varint: value)
    }

    /// Writes a number unless it is 0.
    @inlinable
    @inline(__always)
    package mutating func put(_ field: UInt32, _ value: UInt64) {
        if value != 0 { write(field, value) }
    }

    /// Takes bytes in one move.
    @inlinable
    package mutating func append(all bytes: [UInt8]) {
        unsafe withUnsafeMutableBufferPointer { space, count in
            let room = unsafe UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: space[count...]))
            unsafe bytes.withUnsafeBytes { unsafe room.copyMemory(from: $0) }
            count += bytes.count
        }
    }

    /// Takes the bytes of a text.
    @inlinable
    package mutating func append(all text: ByteString) {
        switch text.storage {
        case .long(let bytes): append(all: bytes)
        case .short(var first, var second):
            let count = Int(truncatingIfNeeded: second & 0xFF)
            for _ in 0..<min(count, 8) {
                append(UInt8(truncatingIfNeeded: first >> 56))
                first <<= 8
            }
            for _ in 8..<max(count, 8) {
                append(UInt8(truncatingIfNeeded: second >> 56))
                second <<= 8
            }
        }
    }

    /// Writes the length of a frame.
    @inlinable
    @inline(__always)
    package mutating func append(bigEndian value: UInt32) {
        append(UInt8(truncatingIfNeeded: value >> 24))
        append(UInt8(truncatingIfNeeded: value >> 16))
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }
}

/// The number of bytes of a tag.
@inlinable
@inline(__always)
package func tagLength(_ field: UInt32) -> Int { varintLength(UInt64(field) << 3) }

/// The number of bytes of a varint field with a number below 16, 0 for one that is left out.
@inlinable
@inline(__always)
package func putLength(_ value: UInt64) -> Int { value == 0 ? 0 : 1 + varintLength(value) }

/// The number of bytes of a length-delimited field with a number below 16, tag and length included.
@inlinable
@inline(__always)
package func fieldLength(_ count: Int) -> Int { 1 + varintLength(UInt64(count)) + count }
