public import CallState

/// The parts of a snapshot, encoded once for all who join.
public struct EncodedSnapshot: Sendable {
    /// The position that the snapshot shows.
    public var position: Position
    /// All parts, one behind the other: each a whole frame with its length.
    public var bytes: [UInt8]
    /// Where in ``bytes`` each part is.
    ///
    /// Never empty.
    public var partRanges: [Range<Int>]
}

/// Makes the frames of a snapshot.
///
/// Its working memory is as large as the call: whoever makes many snapshots keeps the encoder, and with it that memory.
public struct SnapshotEncoder: Sendable {
    /// The longest part, in bytes with its length.
    public let maximumPartLength: Int
    /// What the state holds.
    private var diff = Diff()
    /// The encoded records, one behind the other.
    private var records: [UInt8] = []

    /// An encoder of parts up to 64 KiB.
    public init(maximumPartLength: Int = WireLimits.snapshotPart) {
        self.maximumPartLength = maximumPartLength
    }

    /// The parts of a snapshot of `state`: whole records in order of slot and, in the last part, their count and
    /// digest.
    ///
    /// A record that is longer than a part alone gets a part for itself; the limits of values keep it from happening.
    /// O(state).
    public mutating func encode(_ state: borrowing CallState) -> EncodedSnapshot {
        state.diff(from: 0, into: &diff)
        let end = SnapshotEnd(liveRecords: UInt64(state.liveRecordCount), digest: state.digest)
        var snapshot = EncodedSnapshot(position: state.position, bytes: [], partRanges: [])
        records.removeAll(keepingCapacity: true)
        // A part's own bytes: its length, two tags, and the lengths of body (up to 3 bytes here) and end.
        let room = maximumPartLength - 4 - 1 - 3 - SnapshotEncoder.endLength
        var partBegin = 0
        for index in diff.records.indices {
            let begin = records.count
            records.appendRecord(diff.records[index], fields: diff.fields, field: 1)
            if records.count - partBegin > room, begin > partBegin {
                snapshot.appendPart(records[partBegin..<begin], nil)
                partBegin = begin
            }
        }
        snapshot.appendPart(records[partBegin...], end)
        diff.removeAll()
        return snapshot
    }

    /// The most bytes that the end of a snapshot takes: tag and length, a tag and a varint, a tag and eight bytes.
    private static let endLength = 2 + 1 + 10 + 1 + 8

    /// Appends part 0 of a snapshot, for one receiver.
    public static func encodeHead(_ head: SnapshotHead, into bytes: inout [UInt8]) {
        ServerFrame.snapshot(head).encode(into: &bytes)
    }
}

extension EncodedSnapshot {
    /// Appends a part of encoded records.
    fileprivate mutating func appendPart(_ records: ArraySlice<UInt8>, _ end: SnapshotEnd?) {
        let begin = bytes.count
        let frame = bytes.beginFrame()
        let body = bytes.beginMessage(4)
        bytes.append(contentsOf: records)
        if let end { bytes.write(2, end) }
        bytes.endMessage(body)
        bytes.endFrame(frame)
        partRanges.append(begin..<bytes.count)
    }
}
