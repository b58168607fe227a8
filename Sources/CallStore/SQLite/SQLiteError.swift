import CSQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What SQLite says when something did not work.
struct SQLiteError: Error, CustomStringConvertible {
    /// The extended result code.
    let code: Int32
    /// In words, from SQLite; may name a file.
    let message: String

    /// The result code without its extension.
    var primary: Int32 { code & 0xff }

    /// Whether the file itself is wrong, so that trying again is of no use.
    var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }

    var description: String { message }

    /// The last failure of a connection.
    init(_ code: Int32, _ database: OpaquePointer?) {
        self.code = code
        let words = String(cString: sqlite3_errstr(code))
        guard let database, let text = sqlite3_errmsg(database) else {
            message = words
            return
        }
        let detail = String(cString: text)
        let system = sqlite3_system_errno(database)
        var message = detail == "not an error" ? words : detail
        // "disk I/O error" alone tells nobody what to do.
        if code & 0xff == SQLITE_IOERR || code & 0xff == SQLITE_CANTOPEN, system != 0 {
            message += " (\(systemWords(system)))"
        }
        self.message = message
    }

    /// A fault that is no result code of SQLite.
    init(code: Int32, _ message: String) {
        self.code = code
        self.message = message
    }
}

/// The system's words for an error number.
func systemWords(_ number: Int32) -> String { String(cString: strerror(number)) }
