import CallState

extension Delta {
    /// The fields of a delta, in place of what was there.
    mutating func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) {
        var cursor = body
        toSeq = 0
        toEpoch = nil
        fromSeq = nil
        fromEpoch = nil
        actor = nil
        op = 0
        digest = nil
        records.removeAll()
        while let tag = try cursor.nextTag(bytes, of: "Delta") {
            let limit = WireLimits.position
            switch tag.number {
            case 1: toSeq = try cursor.number(bytes, tag, "Delta.to_seq", through: limit)
            case 2: toEpoch = try cursor.number(bytes, tag, "Delta.to_epoch", through: limit).unlessZero
            case 3: fromSeq = try cursor.number(bytes, tag, "Delta.from_seq", through: limit).unlessZero
            case 4: fromEpoch = try cursor.number(bytes, tag, "Delta.from_epoch", through: limit).unlessZero
            case 5:
                let record = try cursor.elementMessage(bytes, tag, "Delta.records")
                try records.appendRecord(bytes, record, tag)
            case 6: actor = try cursor.number32(bytes, tag, "Delta.actor")
            case 7: op = try cursor.number(bytes, tag, "Delta.op")
            case 8: digest = try cursor.fixed64(bytes, tag, "Delta.digest")
            default: try cursor.unknown(bytes, tag, in: "Delta")
            }
        }
        if toSeq == 0 {
            // No commit has number 0, and "to_seq minus one" would have no value.
            throw WireError(.missing, "Delta.to_seq", at: cursor.end, "a delta to no position")
        }
    }
}

extension UInt64 {
    /// nil for 0, which stands for an omitted number.
    fileprivate var unlessZero: UInt64? { self == 0 ? nil : self }
}

extension SnapshotHead {
    /// The fields of part 0 of a snapshot.
    static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> SnapshotHead {
        var cursor = body
        var head = SnapshotHead(position: .zero, reason: .join)
        while let tag = try cursor.nextTag(bytes, of: "Snapshot") {
            switch tag.number {
            case 1: head.position = try cursor.position(bytes, tag, "Snapshot.position")
            case 2: head.reason.rawValue = try cursor.enumeration(bytes, tag, "Snapshot.reason")
            case 3: head.request = try cursor.number(bytes, tag, "Snapshot.request")
            default: try cursor.unknown(bytes, tag, in: "Snapshot")
            }
        }
        return head
    }
}

extension SnapshotPart {
    /// The fields of a part of a snapshot.
    static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> SnapshotPart {
        var cursor = body
        var part = SnapshotPart(records: Diff())
        while let tag = try cursor.nextTag(bytes, of: "SnapshotPart") {
            switch tag.number {
            case 1:
                let record = try cursor.elementMessage(bytes, tag, "SnapshotPart.records")
                try part.records.appendRecord(bytes, record, tag)
            case 2: part.end = try SnapshotEnd.decode(bytes, try cursor.message(bytes, tag, "SnapshotPart.end"))
            default: try cursor.unknown(bytes, tag, in: "SnapshotPart")
            }
        }
        return part
    }
}

extension SnapshotEnd {
    fileprivate static func decode(_ bytes: Span<UInt8>, _ body: WireCursor) throws(WireError) -> SnapshotEnd {
        var cursor = body
        var end = SnapshotEnd(liveRecords: 0, digest: 0)
        while let tag = try cursor.nextTag(bytes, of: "SnapshotEnd") {
            switch tag.number {
            case 1: end.liveRecords = try cursor.number(bytes, tag, "SnapshotEnd.live_records")
            case 2: end.digest = try cursor.fixed64(bytes, tag, "SnapshotEnd.digest")
            default: try cursor.unknown(bytes, tag, in: "SnapshotEnd")
            }
        }
        return end
    }
}
