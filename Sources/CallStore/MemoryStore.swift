public import CallState

/// Keeps calls in memory, so that nothing outlives the process: answers everything at once.
///
/// What is given to it of attendance is kept without bound. Not thread-safe.
public final class MemoryStore: CallStore {
    private var epochs: EpochSource
    private var calls: [ByteString: KeptCall] = [:]
    private var claimed: Set<ByteString> = []
    private var attendance: [SessionChange] = []

    private struct SessionChange {
        var session: ByteString
        var change: TimedAttendanceChange
    }

    /// What was done.
    public private(set) var counters = StoreCounters()

    /// A store without calls.
    ///
    /// - Parameter wall: ms since 1970: where the epochs begin, so that those of an earlier process do not come again.
    public init(startedAt wall: UInt64) {
        epochs = EpochSource(after: wall)
    }

    /// Gives what a relay before this one, in the same process, has left.
    public func start(_ tell: @escaping @Sendable (StoreAnswer) -> Void, contents: (StoreAnswer) -> Void) {
        claimed = []
        calls = calls.filter { $0.value.header.isOccupied }
        for entry in attendance { contents(.attendance(session: entry.session, [entry.change])) }
        contents(.occupied(calls.keys.sorted()))
    }

    /// Answers at once.
    public func take(_ request: StoreRequest) -> StoreAnswer? {
        switch request {
        case .claim(let session):
            counters.claims += 1
            claimed.insert(session)
            let kept = calls[session]
            calls[session]?.header.isClean = false
            return .claimed(session: session, .init(epoch: epochs.next(), kept: kept))
        case .append(let batch): return append(batch)
        case .release(let session):
            claimed.remove(session)
            if calls[session]?.header.isOccupied == false { calls[session] = nil }
            return nil
        }
    }

    private func append(_ batch: CallBatch) -> StoreAnswer {
        let session = batch.session
        guard claimed.contains(session), batch.from <= calls[session]?.header.position.seq ?? 0 else {
            return .fenced(session: session)
        }
        calls[session, default: KeptCall()].apply(batch)
        attendance += batch.attendance.map { SessionChange(session: session, change: $0) }
        counters.batches += 1
        counters.transactions += 1
        counters.bytes += UInt64(batch.byteCount)
        return .kept(session: session, seq: batch.header.position.seq)
    }

    /// There is nothing to wait for.
    public func stop(_ done: @escaping @Sendable () -> Void) { done() }
}

@available(*, unavailable) extension MemoryStore: Sendable {}

extension CallBatch {
    /// The bytes of what it brings, without attendance.
    var byteCount: Int {
        var count = header.rules.count
        for record in records { count += record.bytes.count }
        for entry in privates { count += entry.bytes?.count ?? 0 }
        return count
    }
}
