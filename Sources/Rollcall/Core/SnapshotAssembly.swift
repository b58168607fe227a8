import CallState
import RollcallProtocol

/// A snapshot while its parts come: kept off to the side until it is whole.
struct SnapshotAssembly: Sendable {
    /// The most changed fields that are collected: far above a call of the most people, far below a device's memory.
    static let maximumFields = 4_000_000

    /// Where the snapshot is.
    let position: Position
    private var diff = Diff()

    init(_ head: SnapshotHead) {
        position = head.position
    }

    /// Takes a part; false when that is more than any call has.
    mutating func append(_ part: SnapshotPart) -> Bool {
        let shift = diff.fields.count
        if shift + part.records.fields.count > Self.maximumFields { return false }
        if diff.records.count + part.records.records.count > Self.maximumFields { return false }
        diff.fields += part.records.fields
        for var record in part.records.records {
            record.fields = record.fields.lowerBound + shift..<record.fields.upperBound + shift
            diff.records.append(record)
        }
        return true
    }

    /// Replaces `copy` by the whole snapshot, if it is right.
    ///
    /// - Returns: What is wrong with it, for a Resync; nil when it was right.
    func replace(_ copy: inout CallState, end: SnapshotEnd) -> ResyncReason? {
        var candidate = copy
        do {
            try candidate.replace(with: diff, at: position)
        } catch {
            return .invalid
        }
        guard UInt64(candidate.liveRecordCount) == end.liveRecords, candidate.digest == end.digest else {
            return .digest
        }
        copy = candidate
        return nil
    }
}
