import CSQLite

extension SQLiteError {
    /// The code of a file whose contents are wrong.
    static let damage = SQLITE_CORRUPT
    /// The code of a file that may not be written.
    static let denial = SQLITE_READONLY

    /// Whether the system does not let this process read or write the file.
    var isDenial: Bool { primary == SQLITE_READONLY || primary == SQLITE_PERM || primary == SQLITE_AUTH }
}
