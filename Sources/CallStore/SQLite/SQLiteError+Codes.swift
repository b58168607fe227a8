import CSQLite

extension SQLiteError {
    /// The code of a file whose contents are wrong.
    static let damage = SQLITE_CORRUPT
    /// The code of a file that may not be written.
    static let denial = SQLITE_READONLY

    /// The code of a file that another relay owns; none of SQLite's.
    static let fence = Int32.max

    /// Whether another relay owns the file.
    var isFence: Bool { code == Self.fence }

    /// Whether the system does not let this process read or write the file.
    var isDenial: Bool { primary == SQLITE_READONLY || primary == SQLITE_PERM || primary == SQLITE_AUTH }
}
