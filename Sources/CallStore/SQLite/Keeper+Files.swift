import CSQLite
import CallState

// The files under the tables: whose they are, and the log of changes.
extension Keeper {
    /// Throws unless the files are the ones that were opened.
    func checkFiles() throws(SQLiteError) {
        guard let files else {
            if database.hasMoved { throw StoreFiles.Fault.moved.error }
            return
        }
        fault = files.fault(logSize: logSize)
        guard let fault else { return }
        // At each request, until it works, and again should it be removed again.
        if fault.strandsLog { try files.putBack(database.log) }
        throw fault.error
    }

    /// The log of changes has so many bytes at least.
    private var logSize: UInt64 { logged.pointee > 0 ? 32 + UInt64(logged.pointee) * frameSize : 0 }

    /// Throws when another relay has claimed a call in this file since: all calls are its own then.
    ///
    /// Inside a transaction, so that nobody can come in between.
    func checkOwner() throws(SQLiteError) {
        let last: UInt64
        do throws(SQLiteError) {
            last = try calls.lastEpoch()
        } catch {
            // Whoever claims is told.
            guard error.isDamage else { throw error }
            return
        }
        guard last == lastEpoch ?? last else {
            throw SQLiteError(code: SQLiteError.fence, "another relay has taken the file over: start this one anew")
        }
        lastEpoch = last
    }

    // MARK: The log of changes

    /// Moves the log of changes into the tables when it is long; to be called when the answers are out.
    ///
    /// A failure costs nothing but space: the next call tries again.
    func checkpointIfDue() {
        if fault?.forbidsMoving == true { return }
        if logged.pointee >= checkpointPages { checkpoint() }
    }

    private func checkpoint() {
        var pages: Int32 = 0
        var moved: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(database.raw, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &moved)
        guard code == SQLITE_OK, moved > 0 else { return }
        counters.checkpoints += 1
        counters.syncs += 3
        if moved == pages { logged.pointee = 0 }
    }

    /// Moves the log of changes into the tables, or sees to it that it is beside them.
    func close() {
        fault = files?.fault(logSize: logSize)
        // SQLite removes the log by its name, which may be another file's by now.
        database.setCheckpointsOnClose(fault == nil)
        // Who stops with this fault has said that not everything is kept.
        if fault?.strandsLog == true { try? files?.putBack(database.log) }
        if fault?.forbidsMoving != true { checkpoint() }
    }
}

/// SQLite's hook: remembers how long the log of changes is.
func noteLog(
    _ logged: UnsafeMutableRawPointer?,
    _ database: OpaquePointer?,
    _ name: UnsafePointer<CChar>?,
    _ pages: Int32
) -> Int32 {
    logged?.assumingMemoryBound(to: Int32.self).pointee = pages
    return SQLITE_OK
}
