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
public struct SnapshotEncoder: Sendable {
    /// The longest part, in bytes with its length.
    public let maximumPartLength: Int

    /// An encoder of parts up to 64 KiB.
    public init(maximumPartLength: Int = WireLimits.snapshotPart) {
        self.maximumPartLength = maximumPartLength
    }

    /// The parts of a snapshot of `state`: whole records in order of slot and, in the last part, their count and
    /// digest.
    ///
    /// A record that is longer than a part alone gets a part for itself; the limits of values keep it from happening.
    /// O(state).
    public func encode(_ state: borrowing CallState) -> EncodedSnapshot {
        var parts = SnapshotParts(maximumPartLength, expecting: state.liveRecordCount * 64)
        var slot: Slot? = .call
        while let next = slot { slot = parts.append(next, of: state) }
        return parts.finish(state)
    }

    /// The same bytes as ``encode(_:)`` gives, made of an earlier snapshot of the same call: only the records that have
    /// changed since are encoded, and all others are copied in long runs.
    ///
    /// `known` must be of this call in one of its earlier states, by an encoder with the same ``maximumPartLength``.
    /// Where what was removed since is not known any more, or where most has changed, everything is encoded. O(changes
    /// * log changes), and a look at each record.
    public func encode(_ state: borrowing CallState, from known: EncodedSnapshot) -> EncodedSnapshot {
        guard known.position.seq >= state.floor, known.position.seq <= state.position.seq else { return encode(state) }
        var changed: [Slot] = []
        state.findSlots(changedSince: known.position.seq, into: &changed)
        guard changed.count <= state.liveRecordCount / 2 else { return encode(state) }
        let expected = known.bytes.count + 64 * changed.count
        var parts = SnapshotParts(maximumPartLength, from: known.bytes, expecting: expected)
        var next = 0
        var records = EncodedRecords()
        let bytes = known.bytes.span
        while let record = records.next(in: bytes) {
            while next < changed.count, changed[next] < record.slot {
                parts.append(changed[next], of: state)
                next += 1
            }
            if next < changed.count, changed[next] == record.slot {
                parts.append(changed[next], of: state)
                next += 1
            } else if !record.isTombstone || state.holds(record.slot) {
                parts.append(copyOf: record.range)
            }
        }
        while next < changed.count {
            parts.append(changed[next], of: state)
            next += 1
        }
        return parts.finish(state)
    }

    /// Appends part 0 of a snapshot, for one receiver.
    public static func encodeHead(_ head: SnapshotHead, into bytes: inout [UInt8]) {
        ServerFrame.snapshot(head).encode(into: &bytes)
    }
}
