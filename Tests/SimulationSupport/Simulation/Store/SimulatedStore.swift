import CallState

/// A store as a value: what is written, what is synced, and what it was asked and has not answered yet.
///
/// Requests that wait are carried out together, first written and then synced, and only then answered: a process that
/// dies loses the answers, a machine that dies also what was written and not synced.
struct SimulatedStore {
    enum Request {
        case claim(ByteString)
        case append(CallBatch)
        case release(ByteString)
    }

    /// What there is of one session.
    struct Entry {
        var call: KeptCall?
        var lastEpoch: UInt64 = 100
        var attendance: [TimedAttendanceChange] = []
    }

    /// What the system would give to whoever reads the file now.
    private(set) var written: [ByteString: Entry] = [:]
    /// What is on the disk.
    private(set) var synced: [ByteString: Entry] = [:]
    /// What was asked and is not written.
    private(set) var requests: [Request] = []
    /// Answers to what is written and not synced.
    private var unsynced: [StoreAnswer] = []
    /// Whether the disk takes nothing.
    var isFailing = false
    /// A batch that does not follow what is kept, in words.
    private(set) var fault: String?

    /// Whether there is something to do.
    var isBusy: Bool { !requests.isEmpty || !unsynced.isEmpty }

    mutating func ask(_ request: Request) { requests.append(request) }

    /// Goes one step on; gives the answers that are ready then.
    mutating func proceed() -> [StoreAnswer] {
        if !unsynced.isEmpty {
            synced = written
            defer { unsynced = [] }
            return unsynced
        }
        let group = requests
        requests = []
        if isFailing { return group.compactMap { refusal(of: $0) } }
        unsynced = group.compactMap { carryOut($0) }
        // A group of releases has no answer to wait for.
        if unsynced.isEmpty { synced = written }
        return []
    }

    /// Whether a claim waits for its answer.
    var isClaiming: Bool {
        requests.contains { if case .claim = $0 { true } else { false } }
            || unsynced.contains { if case .claimed = $0 { true } else { false } }
    }

    /// Whether something is written and not synced.
    var isUnsynced: Bool { !unsynced.isEmpty }

    private func refusal(of request: Request) -> StoreAnswer? {
        switch request {
        case .claim(let session): .unavailable(session: session, reason: "disk I/O error")
        case .append(let batch): .unavailable(session: batch.session, reason: "database or disk is full")
        case .release: nil
        }
    }

    private mutating func carryOut(_ request: Request) -> StoreAnswer? {
        switch request {
        case .claim(let session):
            var entry = written[session] ?? Entry()
            entry.lastEpoch += 1
            let claim = StoreAnswer.Claim(epoch: entry.lastEpoch, kept: entry.call)
            entry.call?.header.isClean = false
            written[session] = entry
            return .claimed(session: session, claim)
        case .append(let batch):
            var entry = written[batch.session] ?? Entry()
            let known = entry.call?.header.position.seq ?? 0
            if batch.from > known { fault = "a batch from \(batch.from) for a call that is kept up to \(known)" }
            var call = entry.call ?? KeptCall()
            call.apply(batch)
            entry.call = call
            entry.attendance += batch.attendance
            written[batch.session] = entry
            return .kept(session: batch.session, seq: batch.header.position.seq)
        case .release(let session):
            written[session]?.call = nil
            return nil
        }
    }

    /// The relay is gone, and with `power` the machine too: what was not synced is lost.
    mutating func crash(power: Bool) {
        if power { written = synced } else { synced = written }
        requests = []
        unsynced = []
    }

    /// Everything that was asked is carried out: the relay has stopped by plan.
    mutating func close() {
        while isBusy { _ = proceed() }
    }
}
