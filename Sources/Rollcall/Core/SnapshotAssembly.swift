import CallState
import RollcallProtocol

/// A snapshot while its parts come: kept off to the side until it is whole.
struct SnapshotAssembly: Sendable {
    /// What is collected when nothing else is said, in bytes: far above a call of the most people.
    static let defaultMaximum = 64 * 1024 * 1024
    /// What a record or a field counts besides its bytes.
    private static let overhead = 16

    /// Where the snapshot is.
    let position: Position
    /// The most that is collected, in bytes.
    let maximum: Int
    /// What is collected, in bytes.
    private(set) var count = 0
    private var diff = Diff()

    init(_ head: SnapshotHead, maximum: Int = SnapshotAssembly.defaultMaximum) {
        position = head.position
        self.maximum = maximum
    }

    /// Takes a part; false when that is more than the maximum.
    mutating func append(_ part: SnapshotPart) -> Bool {
        count += (part.records.records.count + part.records.fields.count) * Self.overhead
        for field in part.records.fields {
            count += field.key.count
            if case .bytes(let bytes)? = field.value { count += bytes.count }
        }
        if count > maximum { return false }
        let shift = diff.fields.count
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
