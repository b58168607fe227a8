import CallState

// Elements of repeated fields, and what text and bytes must be.

extension WireCursor {
    /// The content of one element that is a message; the field may come again, `limit` times in all.
    @inline(__always)
    mutating func elementMessage(
        _ bytes: Span<UInt8>,
        _ tag: WireTag,
        _ path: @autoclosure () -> FieldPath,
        count: Int = 0,
        limit: Int = .max
    ) throws(WireError) -> WireCursor {
        try expect(WireType.lengthDelimited, tag, path())
        try room(tag, path(), count: count, limit: limit)
        return WireCursor(try content(bytes, path()), from: sender)
    }

    /// Refuses an element when there are `limit` already.
    func room(_ tag: WireTag, _ path: @autoclosure () -> FieldPath, count: Int, limit: Int) throws(WireError) {
        if count >= limit { throw WireError(.limit, path(), at: tag.offset, "more than \(limit) elements") }
    }

    /// One text of a repeated field.
    mutating func element(
        _ bytes: Span<UInt8>,
        _ path: @autoclosure () -> FieldPath,
        _ limit: ClosedRange<Int>
    ) throws(WireError) -> ByteString {
        let range = try limited(bytes, path(), limit)
        let text = ByteString(bytes.extracting(range))
        if !text.isShortASCII { try checkUTF8(bytes, range, path()) }
        return text
    }

    /// Demands UTF-8.
    func checkUTF8(_ bytes: Span<UInt8>, _ range: Range<Int>, _ path: @autoclosure () -> FieldPath) throws(WireError) {
        if let bad = firstInvalidUTF8(in: bytes, range) {
            throw WireError(.badUTF8, path(), at: bad, "bytes that are not UTF-8")
        }
    }

    /// The content of a length-delimited field whose length `limit` allows.
    mutating func limited(
        _ bytes: Span<UInt8>,
        _ path: @autoclosure () -> FieldPath,
        _ limit: ClosedRange<Int>
    ) throws(WireError) -> Range<Int> {
        let start = offset
        let range = try content(bytes, path())
        try checkLength(range.count, limit, path(), at: start)
        return range
    }
}

/// Demands that `count` bytes are within `limit`.
func checkLength(
    _ count: Int,
    _ limit: ClosedRange<Int>,
    _ path: @autoclosure () -> FieldPath,
    at offset: Int
) throws(WireError) {
    if count < limit.lowerBound {
        throw WireError(.limit, path(), at: offset, "\(count) bytes; at least \(limit.lowerBound) belong there")
    }
    if count > limit.upperBound {
        throw WireError(.limit, path(), at: offset, "\(count) bytes; the limit is \(limit.upperBound)")
    }
}

extension Span<UInt8> {
    /// An array of the bytes in `range`.
    func copy(_ range: Range<Int>) -> [UInt8] {
        unsafe extracting(range).withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension [UInt8] {
    /// Appends the bytes of a span in one move.
    mutating func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
