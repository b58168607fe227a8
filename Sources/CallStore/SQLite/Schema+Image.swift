import CSQLite

extension Schema {
    /// The bytes of a file with all tables and nothing in them.
    ///
    /// They are written in one piece, so that there never is a file with some of the tables.
    ///
    /// - Parameter now: ms since 1970; no epoch will be at or below it.
    static func image(now: UInt64) throws(SQLiteError) -> [UInt8] {
        var raw: OpaquePointer?
        let code = sqlite3_open_v2(":memory:", &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil)
        guard code == SQLITE_OK, let raw else {
            sqlite3_close_v2(raw)
            throw SQLiteError(code, nil)
        }
        let database = Database(raw)
        try database.execute("PRAGMA page_size = 4096; PRAGMA encoding = 'UTF-8'")
        try database.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
        for statement in statements { try database.execute(statement) }
        let sum = CallTables.sum(lastEpoch: now, createdAt: now)
        try database.execute("INSERT INTO store VALUES (1, \(now), \(now), \(sum))")
        var size: sqlite3_int64 = 0
        guard let bytes = sqlite3_serialize(raw, "main", &size, 0) else {
            throw SQLiteError(code: SQLITE_NOMEM, "out of memory")
        }
        defer { sqlite3_free(bytes) }
        var image = Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
        // The versions of the format for writing and reading: with a log of changes. In memory there is none.
        image[18] = 2
        image[19] = 2
        return image
    }
}
