import CallState

/// The tag of a field: its number, its wire type and where it is.
struct WireTag {
    var number: UInt32
    /// One of ``WireType``.
    var type: UInt64
    var offset: Int
}

/// A place in the bytes of one message, and which of its fields have been read.
///
/// The bytes are passed to each call instead of being held, since a span must not be stored. Nothing is allocated but
/// the strings that are asked for, and these only after their length was compared with the bytes that are there.
struct WireCursor {
    /// The next byte to read.
    private(set) var offset: Int
    /// Where the message ends.
    let end: Int
    /// Who wrote the message: a client's unknown fields are refused, a relay's are passed over.
    let sender: Sender
    /// The singular fields that have been read, a bit for each number below 64.
    private var seen: UInt64 = 0

    /// Who writes frames.
    enum Sender {
        case client
        case relay
    }

    /// At the begin of the message that `range` holds.
    init(_ range: Range<Int>, from sender: Sender) {
        offset = range.lowerBound
        end = range.upperBound
        self.sender = sender
    }

    /// A varint that belongs to `path`.
    @inline(__always)
    mutating func varint(_ bytes: Span<UInt8>, _ path: @autoclosure () -> FieldPath) throws(WireError) -> UInt64 {
        // Nearly all tags and lengths are one byte.
        if offset < end {
            let byte = bytes[offset]
            if byte < 0x80 {
                offset += 1
                return UInt64(byte)
            }
        }
        return try longVarint(bytes, path())
    }

    private mutating func longVarint(_ bytes: Span<UInt8>, _ path: @autoclosure () -> FieldPath) throws(WireError)
        -> UInt64
    {
        let start = offset
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            guard offset < end else {
                throw WireError(.truncated, path(), at: start, "the bytes end inside a varint")
            }
            let byte = bytes[offset]
            offset += 1
            if shift == 63, byte > 1 {
                throw WireError(.badVarint, path(), at: start, "a varint of more than 64 bits")
            }
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 {
                if byte == 0, shift > 0 {
                    throw WireError(.badVarint, path(), at: start, "a varint with needless bytes")
                }
                return value
            }
            shift += 7
        }
    }

    /// The next field of `message`; nil at its end.
    @inline(__always)
    mutating func nextTag(_ bytes: Span<UInt8>, of message: StaticString) throws(WireError) -> WireTag? {
        guard offset < end else { return nil }
        let start = offset
        let raw = try varint(bytes, FieldPath(message))
        let number = raw >> 3
        // A bit for each wire type that there is: 0, 1, 2 and 5.
        let isKnownType = 0b10_0111 >> (raw & 7) & 1 == 1
        guard (1..<1 << 29).contains(number), isKnownType else {
            throw WireError(
                .badTag,
                FieldPath(message),
                at: start,
                "a tag with field number \(number) and wire type \(raw & 7)"
            )
        }
        return WireTag(number: UInt32(number), type: raw & 7, offset: start)
    }

    /// Notes a singular field; the second time it is an error.
    @inline(__always)
    mutating func once(_ tag: WireTag, _ path: @autoclosure () -> FieldPath) throws(WireError) {
        let bit: UInt64 = 1 << UInt64(tag.number & 63)
        if seen & bit != 0 { throw WireError(.duplicate, path(), at: tag.offset, "the field a second time") }
        seen |= bit
    }

    /// Whether the singular field `number` was read.
    func hasSeen(_ number: UInt32) -> Bool {
        seen & (1 << UInt64(number & 63)) != 0
    }

    /// Demands a wire type.
    @inline(__always)
    func expect(_ type: UInt64, _ tag: WireTag, _ path: @autoclosure () -> FieldPath) throws(WireError) {
        if tag.type == type { return }
        throw WireError(
            .wrongWireType,
            path(),
            at: tag.offset,
            "wire type \(tag.type) where \(type) belongs"
        )
    }

    /// The content of a length-delimited field, as a range of the bytes; the cursor moves behind it.
    @inline(__always)
    mutating func content(_ bytes: Span<UInt8>, _ path: @autoclosure () -> FieldPath) throws(WireError) -> Range<Int> {
        let start = offset
        let length = try varint(bytes, path())
        guard length <= UInt64(end - offset) else {
            throw WireError(
                .truncated,
                path(),
                at: start,
                "a length of \(length) bytes where \(end - offset) are left"
            )
        }
        let range = offset..<offset + Int(length)
        offset = range.upperBound
        return range
    }

    /// Passes over a field that is not known.
    mutating func skip(_ bytes: Span<UInt8>, _ tag: WireTag, _ path: @autoclosure () -> FieldPath) throws(WireError) {
        switch tag.type {
        case WireType.varint: _ = try varint(bytes, path())
        case WireType.lengthDelimited: _ = try content(bytes, path())
        case WireType.fixed64: _ = try fixed(bytes, 8, path())
        default: _ = try fixed(bytes, 4, path())
        }
    }

    /// Deals with a field that `message` does not have in this version.
    mutating func unknown(_ bytes: Span<UInt8>, _ tag: WireTag, in message: StaticString) throws(WireError) {
        let path = FieldPath(message, tag.number)
        switch sender {
        case .client: throw WireError(.unknownField, path, at: tag.offset, "a field that this version does not know")
        case .relay: try skip(bytes, tag, path)
        }
    }

    /// A little-endian number of `width` bytes.
    private mutating func fixed(_ bytes: Span<UInt8>, _ width: Int, _ path: @autoclosure () -> FieldPath)
        throws(WireError) -> UInt64
    {
        guard end - offset >= width else {
            throw WireError(.truncated, path(), at: offset, "\(end - offset) bytes where \(width) belong")
        }
        var value: UInt64 = 0
        for index in (0..<width).reversed() {
            value = value << 8 | UInt64(bytes[offset + index])
        }
        offset += width
        return value
    }
}

// MARK: Singular fields

extension WireCursor {
    /// A number of 64 bits up to `limit`.
    mutating func number(
        _ bytes: Span<UInt8>,
        _ tag: WireTag,
        _ path: @autoclosure () -> FieldPath,
        through limit: UInt64 = .max
    ) throws(WireError) -> UInt64 {
        try expect(WireType.varint, tag, path())
        try once(tag, path())
        let start = offset
        let value = try varint(bytes, path())
        if value > limit { throw WireError(.limit, path(), at: start, "\(value), which is above \(limit)") }
        return value
    }

    /// A number of 32 bits.
    mutating func number32(_ bytes: Span<UInt8>, _ tag: WireTag, _ path: @autoclosure () -> FieldPath) throws(WireError)
        -> UInt32
    {
        UInt32(try number(bytes, tag, path(), through: UInt64(UInt32.max)))
    }

    /// The number of an enum's value; protobuf's are 31 bits here, since none is negative.
    mutating func enumeration(_ bytes: Span<UInt8>, _ tag: WireTag, _ path: @autoclosure () -> FieldPath)
        throws(WireError) -> UInt32
    {
        UInt32(try number(bytes, tag, path(), through: UInt64(Int32.max)))
    }

    /// A boolean: 0 or 1 and nothing else.
    mutating func flag(_ bytes: Span<UInt8>, _ tag: WireTag, _ path: @autoclosure () -> FieldPath) throws(WireError)
        -> Bool
    {
        try number(bytes, tag, path(), through: 1) == 1
    }

    /// Eight bytes, little-endian.
    mutating func fixed64(_ bytes: Span<UInt8>, _ tag: WireTag, _ path: @autoclosure () -> FieldPath) throws(WireError)
        -> UInt64
    {
        try expect(WireType.fixed64, tag, path())
        try once(tag, path())
        return try fixed(bytes, 8, path())
    }

    /// Bytes, as many as `limit` says.
    mutating func data(
        _ bytes: Span<UInt8>,
        _ tag: WireTag,
        _ path: @autoclosure () -> FieldPath,
        _ limit: ClosedRange<Int> = 0...Int.max
    ) throws(WireError) -> [UInt8] {
        try expect(WireType.lengthDelimited, tag, path())
        try once(tag, path())
        return bytes.copy(try limited(bytes, path(), limit))
    }

    /// Text, as many bytes as `limit` says.
    mutating func text(
        _ bytes: Span<UInt8>,
        _ tag: WireTag,
        _ path: @autoclosure () -> FieldPath,
        _ limit: ClosedRange<Int> = 0...Int.max
    ) throws(WireError) -> ByteString {
        try expect(WireType.lengthDelimited, tag, path())
        try once(tag, path())
        return try element(bytes, path(), limit)
    }

    /// The content of a nested message.
    @inline(__always)
    mutating func message(_ bytes: Span<UInt8>, _ tag: WireTag, _ path: @autoclosure () -> FieldPath) throws(WireError)
        -> WireCursor
    {
        try expect(WireType.lengthDelimited, tag, path())
        try once(tag, path())
        return WireCursor(try content(bytes, path()), from: sender)
    }

    /// A position.
    mutating func position(_ bytes: Span<UInt8>, _ tag: WireTag, _ path: @autoclosure () -> FieldPath) throws(WireError)
        -> Position
    {
        var inner = try message(bytes, tag, path())
        var position = Position.zero
        while let tag = try inner.nextTag(bytes, of: "Position") {
            switch tag.number {
            case 1:
                position.epoch = try inner.number(bytes, tag, "Position.epoch", through: WireLimits.position)
            case 2:
                position.seq = try inner.number(bytes, tag, "Position.seq", through: WireLimits.position)
            default: try inner.unknown(bytes, tag, in: "Position")
            }
        }
        return position
    }
}
