import CallState

/// Parts of a snapshot that are being put together: records go in, one after the other, and are cut into frames.
///
/// Records that an earlier snapshot has are not copied one by one: what lies together there is one move.
struct SnapshotParts {
    /// The most bytes of records in a part.
    private let room: Int
    /// So many bytes are kept for the length of a part's body: no more than a full one needs.
    private let lengthRoom: Int
    /// The bytes of an earlier snapshot.
    private let source: [UInt8]
    /// What of them is to be copied next.
    private var run = 0..<0

    private var bytes: [UInt8] = []
    private var ranges: [Range<Int>] = []
    /// Where the records of the last part begin.
    private var content = 0

    /// No parts yet.
    ///
    /// - Parameters:
    ///   - maximumPartLength: The longest part, in bytes with its length.
    ///   - source: The earlier snapshot that records are copied from.
    ///   - expected: About how many bytes there will be.
    init(_ maximumPartLength: Int, from source: [UInt8] = [], expecting expected: Int) {
        // A part's own bytes: its length, two tags, and the lengths of body (up to 3 bytes here) and end.
        room = maximumPartLength - 4 - 1 - 3 - Self.endLength
        lengthRoom = varintLength(UInt64(max(0, room)))
        self.source = source
        bytes.reserveCapacity(expected)
        beginPart()
    }

    /// The most bytes that the end of a snapshot takes: tag and length, a tag and a varint, a tag and eight bytes.
    private static let endLength = 2 + 1 + 10 + 1 + 8

    /// Adds the record in `slot`, if there is one; gives the slot of the one above it, nil at the end.
    @discardableResult
    mutating func append(_ slot: Slot, of state: borrowing CallState) -> Slot? {
        endRun()
        let begin = bytes.count
        let next = state.appendRecord(slot, changedSince: 0, as: 1, to: &bytes)
        guard bytes.count - content > room, begin > content else { return next }
        let moved = Array(bytes[begin...])
        bytes.removeSubrange(begin...)
        endPart(nil)
        beginPart()
        bytes += moved
        return next
    }

    /// Adds a record as the earlier snapshot has it.
    mutating func append(copyOf range: Range<Int>) {
        let before = bytes.count - content + run.count
        if before + range.count > room, before > 0 {
            endRun()
            endPart(nil)
            beginPart()
        }
        if run.upperBound == range.lowerBound, !run.isEmpty {
            run = run.lowerBound..<range.upperBound
        } else {
            endRun()
            run = range
        }
    }

    /// The whole snapshot of `state`.
    mutating func finish(_ state: borrowing CallState) -> EncodedSnapshot {
        endRun()
        endPart(SnapshotEnd(liveRecords: UInt64(state.liveRecordCount), digest: state.digest))
        return EncodedSnapshot(position: state.position, bytes: bytes, partRanges: ranges)
    }

    private mutating func endRun() {
        if run.isEmpty { return }
        let source = source
        bytes.append(source.span.extracting(run))
        run = 0..<0
    }

    private mutating func beginPart() {
        content = bytes.count + 4 + 1 + lengthRoom
        for _ in bytes.count..<content { bytes.append(0) }
    }

    private mutating func endPart(_ end: SnapshotEnd?) {
        if let end { bytes.write(2, end) }
        let begin = content - 4 - 1 - lengthRoom
        let count = bytes.count - content
        var header: [UInt8] = []
        header.appendTag(4, WireType.lengthDelimited)
        header.appendVarint(UInt64(count))
        let length = UInt32(header.count + count)
        // The last part is often short, and a record may be longer than a part.
        bytes.replaceSubrange(begin + 4..<content, with: header)
        for place in 0..<4 { bytes[begin + place] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * place)) }
        ranges.append(begin..<bytes.count)
    }
}

/// The records of an encoded snapshot, one after the other.
struct EncodedRecords {
    /// One of them.
    struct Element {
        /// Where it is, with its tag and length.
        var range: Range<Int>
        var slot: Slot
        var isTombstone: Bool
    }

    private var offset = 0
    /// Where the running part ends.
    private var end = 0

    private static let tagOfRecord: UInt8 = 1 << 3 | 2
    private static let tagOfSlot: UInt8 = 1 << 3
    private static let tagOfTombstone = RecordKind.removed.rawValue << 3 | 2

    /// The next record of the snapshot with these bytes, which this relay has encoded; nil at the end.
    mutating func next(in bytes: Span<UInt8>) -> Element? {
        while true {
            if offset == end {
                if offset == bytes.count { return nil }
                // The length of the frame, then tag and length of the part.
                offset += 5
                let count = varint(bytes)
                end = offset + count
                continue
            }
            let begin = offset
            let isRecord = bytes[offset] == Self.tagOfRecord
            offset += 1
            let length = varint(bytes)
            let next = offset + length
            defer { offset = next }
            guard isRecord else { continue }
            var slot = Slot.call
            // Slot 0 is left out.
            if bytes[offset] == Self.tagOfSlot {
                offset += 1
                slot = Slot(truncatingIfNeeded: varint(bytes))
            }
            return Element(range: begin..<next, slot: slot, isTombstone: UInt32(bytes[offset]) == Self.tagOfTombstone)
        }
    }

    @inline(__always)
    private mutating func varint(_ bytes: Span<UInt8>) -> Int {
        var value = 0
        var shift = 0
        while true {
            let byte = bytes[offset]
            offset += 1
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
    }
}
