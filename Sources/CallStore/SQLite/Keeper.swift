import CSQLite
import CallState

/// Carries out requests on the database: all that are given at once in one transaction.
///
/// Used by one thread at a time.
final class Keeper {
    let database: Database
    let calls: CallTables
    private let attendance: AttendanceTables
    private let wallClock: @Sendable () -> UInt64
    /// Looks after the files; nil where they are in no directory.
    let files: StoreFiles?
    /// Frames in the log of changes; written by SQLite's hook.
    let logged: UnsafeMutablePointer<Int32>

    /// The calls that were claimed and not released.
    private var claimed: Set<ByteString> = []
    /// Calls whose release was in a transaction that failed: it is done with the next.
    private var unreleased: Set<ByteString> = []
    /// Changes of attendance that are kept of a batch which was refused all the same, by session: it comes again, with
    /// these at its begin.
    private var recorded: [ByteString: Int] = [:]
    /// Calls that were clean when a claim was kept which was refused all the same: they are when they are claimed
    /// again.
    private var doubted: Set<ByteString> = []
    /// Called between the end of a transaction and the look at the files after it; for tests.
    var hasCommitted: (() -> Void)?
    /// The last epoch that this relay has given, or found; nil before the first transaction.
    var lastEpoch: UInt64?
    /// What has happened to the files, as it was seen last.
    var fault: StoreFiles.Fault?
    /// Nil while everything works.
    private(set) var lastFailure: SQLiteError?

    var counters = StoreCounters()

    let checkpointPages: Int32
    /// Bytes of a page in the log of changes, with what is before it.
    let frameSize: UInt64

    /// Uses an open database that was checked.
    ///
    /// - Parameters:
    ///   - files: Where the database is.
    ///   - checkpointPages: The log is moved into the tables when it has so many pages.
    ///   - wallClock: ms since 1970.
    init(
        _ database: Database,
        limits: AttendanceLog.Limits,
        files: StoreFiles? = nil,
        checkpointPages: Int32 = 1_000,
        wallClock: @escaping @Sendable () -> UInt64
    ) throws(SQLiteError) {
        self.database = database
        self.files = files
        self.checkpointPages = checkpointPages
        self.wallClock = wallClock
        for pragma in Self.settings { try database.execute(pragma) }
        calls = try CallTables(database)
        attendance = try AttendanceTables(database, limits: limits)
        frameSize = UInt64(clamping: try database.number("PRAGMA page_size") ?? 0) + 24
        logged = .allocate(capacity: 1)
        logged.initialize(to: 0)
        // Instead of SQLite's own, which would move the log before the answers are out.
        sqlite3_wal_hook(database.raw, noteLog, logged)
        files?.begin()
    }

    deinit {
        sqlite3_wal_hook(database.raw, nil, nil)
        logged.deallocate()
    }

    /// What each connection that writes is set to.
    private static let settings = [
        "PRAGMA journal_mode = WAL",
        // What was answered survives a loss of power: the log is synced with each transaction.
        "PRAGMA synchronous = FULL",
        "PRAGMA fullfsync = ON",
        "PRAGMA checkpoint_fullfsync = ON",
        // What is forgotten is gone.
        "PRAGMA secure_delete = FAST",
        "PRAGMA temp_store = MEMORY",
        "PRAGMA journal_size_limit = 67108864",
    ]

    // MARK: The start

    /// Gives attendance in the order in which it was kept, then the calls that somebody was in; calls that nobody was
    /// in are removed.
    func readContents(_ body: (StoreAnswer) -> Void) throws(SQLiteError) {
        var occupied: [ByteString] = []
        var empty: [Int64] = []
        for (session, entry) in try calls.entries() {
            if entry.header.isOccupied { occupied.append(session) } else { empty.append(entry.call) }
        }
        if !empty.isEmpty {
            try transaction { () throws(SQLiteError) in
                for call in empty { try calls.delete(call) }
            }
        }
        if attendance.limits.meetings > 0 {
            var session = ByteString.empty
            var changes: [TimedAttendanceChange] = []
            try attendance.rows.replay { change, meeting in
                if meeting.session != session || changes.count >= Self.replayed {
                    if !changes.isEmpty { body(.attendance(session: session, changes)) }
                    changes.removeAll(keepingCapacity: true)
                    session = meeting.session
                }
                changes.append(change)
            }
            if !changes.isEmpty { body(.attendance(session: session, changes)) }
        }
        body(.occupied(occupied))
    }

    /// Changes of attendance that are given at once at most.
    private static let replayed = 1_024

    // MARK: Requests

    /// Carries all of them out, or none that changes something; gives the answers in order.
    func carryOut(_ requests: [StoreRequest]) -> [StoreAnswer] {
        let before = (totals: attendance.totals, claimed: claimed, epoch: lastEpoch)
        var done = counters
        var answers: [StoreAnswer] = []
        var isKept = false
        do throws(SQLiteError) {
            try checkFiles()
            try transaction { () throws(SQLiteError) in
                try checkOwner()
                for session in unreleased.sorted() { try release(session) }
                for request in requests {
                    if let answer = try carryOut(request, &done) { answers.append(answer) }
                }
            }
            isKept = true
            hasCommitted?()
            // Kept where a relay that starts anew will find it?
            try checkFiles()
        } catch {
            if isKept {
                for case .append(let batch) in requests { recorded[batch.session] = batch.attendance.count }
                for case .claimed(let session, let claim) in answers where claim.kept?.header.isClean == true {
                    doubted.insert(session)
                }
            } else {
                attendance.totals = before.totals
                claimed = before.claimed
                lastEpoch = before.epoch
            }
            lastFailure = error
            counters.failures += 1
            return refusals(of: requests, because: error)
        }
        lastFailure = nil
        unreleased = []
        if !recorded.isEmpty { for request in requests { recorded[request.session] = nil } }
        if !doubted.isEmpty { for case .claim(let session) in requests { doubted.remove(session) } }
        done.transactions += 1
        done.syncs += 1
        counters = done
        return answers
    }

    private func transaction(_ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        do throws(SQLiteError) {
            try database.execute("BEGIN IMMEDIATE")
            try body()
            try database.execute("COMMIT")
        } catch {
            // SQLite may have rolled back by itself.
            if database.isInTransaction { try? database.execute("ROLLBACK") }
            throw error
        }
    }

    private func carryOut(_ request: StoreRequest, _ done: inout StoreCounters) throws(SQLiteError) -> StoreAnswer? {
        switch request {
        case .claim(let session):
            do throws(SQLiteError) {
                let answer = try claim(session)
                done.claims += 1
                return answer
            } catch {
                guard error.isDamage else { throw error }
                // Of this call alone: the others shall go on.
                claimed.remove(session)
                return .unavailable(session: session, reason: ByteString(error.message))
            }
        case .append(let batch):
            let answer = try append(batch)
            guard case .kept = answer else { return answer }
            done.batches += 1
            done.bytes += UInt64(batch.byteCount)
            return answer
        case .release(let session):
            try release(session)
            return nil
        }
    }

    private func claim(_ session: ByteString) throws(SQLiteError) -> StoreAnswer {
        var epochs = EpochSource(after: try calls.lastEpoch())
        let epoch = epochs.next(wall: wallClock())
        try calls.setLastEpoch(epoch)
        lastEpoch = epoch
        claimed.insert(session)
        guard let entry = try calls.entry(session) else { return .claimed(session: session, .init(epoch: epoch)) }
        var kept = try calls.read(session, entry)
        if doubted.contains(session) {
            // The mark was taken away by a claim that nobody got.
            kept.header.isClean = true
        } else if kept.header.isClean {
            // In this very transaction: if the relay ends now, something of the call may be missing.
            var header = kept.header
            header.isClean = false
            _ = try calls.write(session, header)
        }
        return .claimed(session: session, .init(epoch: epoch, kept: kept))
    }

    private func append(_ batch: CallBatch) throws(SQLiteError) -> StoreAnswer {
        let entry: CallTables.Entry?
        do throws(SQLiteError) {
            entry = try calls.entry(batch.session)
        } catch {
            guard error.isDamage else { throw error }
            return .unavailable(session: batch.session, reason: ByteString(error.message))
        }
        // What does not follow on what is there, or is of an epoch before it, comes from a relay that does not own the
        // call.
        let kept = entry?.header.position ?? .zero
        guard claimed.contains(batch.session), batch.from <= kept.seq, batch.header.position.epoch >= kept.epoch else {
            return .fenced(session: batch.session)
        }
        try calls.apply(batch)
        try attendance.record(batch.attendance.dropFirst(recorded[batch.session] ?? 0), of: batch.session)
        return .kept(session: batch.session, seq: batch.header.position.seq)
    }

    private func release(_ session: ByteString) throws(SQLiteError) {
        claimed.remove(session)
        let entry: CallTables.Entry?
        do throws(SQLiteError) {
            entry = try calls.entry(session)
        } catch {
            // A damaged call stays as it is, for whoever repairs it, and keeps no other call from being kept.
            guard error.isDamage else { throw error }
            return
        }
        guard let entry, !entry.header.isOccupied else { return }
        try calls.delete(entry.call)
    }

    private func refusals(of requests: [StoreRequest], because error: SQLiteError) -> [StoreAnswer] {
        let reason = ByteString(error.message)
        var answers: [StoreAnswer] = []
        for request in requests {
            if case .release(let session) = request {
                if claimed.contains(session) { unreleased.insert(session) }
            } else if error.isFence, case .append(let batch) = request {
                answers.append(.fenced(session: batch.session))
            } else if doubted.contains(request.session) {
                answers.append(.doubtful(session: request.session, reason: reason))
            } else {
                answers.append(.unavailable(session: request.session, reason: reason))
            }
        }
        return answers
    }
}

@available(*, unavailable) extension Keeper: Sendable {}
