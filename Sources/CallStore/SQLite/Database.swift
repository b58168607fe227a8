import CSQLite
import CallState

/// One connection to a database file, used by one thread.
final class Database {
    let raw: OpaquePointer
    private var isOpen = true

    /// How a file is opened.
    enum Access {
        /// Reads and writes.
        case write
        /// Reads what another process may be writing.
        case read
        /// Reads a file that nobody writes, without making or touching any other file.
        case readAlone
    }

    /// Opens the file at `path`, which must be there.
    ///
    /// - Parameters:
    ///   - files: The name of SQLite's layer for files; nil is the system's.
    init(path: String, access: Access, files: String? = nil) throws(SQLiteError) {
        var raw: OpaquePointer?
        let writes = access == .write
        // Our own threads only, and each connection stays on one.
        let flags = (writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI
        let address = "file:" + Self.escaped(path) + (access == .readAlone ? "?immutable=1" : "")
        let code = sqlite3_open_v2(address, &raw, flags, files)
        guard code == SQLITE_OK, let raw else {
            let error = SQLiteError(raw.map { sqlite3_extended_errcode($0) } ?? code, raw)
            sqlite3_close_v2(raw)
            throw error
        }
        self.raw = raw
        sqlite3_extended_result_codes(raw, 1)
        sqlite3_busy_timeout(raw, Self.patience)
        // Text of a damaged schema must not run code of extensions, nor write into the schema.
        _ = rollcall_configure(raw, SQLITE_DBCONFIG_DEFENSIVE, 1)
        _ = rollcall_configure(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    }

    /// Takes over an open connection.
    init(_ raw: OpaquePointer) { self.raw = raw }

    deinit { close() }

    /// How long another program's lock is waited for, in ms.
    private static let patience: Int32 = 2_000

    /// Closes; statements must be gone.
    func close() {
        guard isOpen else { return }
        isOpen = false
        sqlite3_close_v2(raw)
    }

    /// Whether the closing of the last connection moves the log of changes into the tables and removes it.
    func setCheckpointsOnClose(_ does: Bool) {
        _ = rollcall_configure(raw, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, does ? 0 : 1)
    }

    /// Runs statements without results.
    func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(raw, sql, nil, nil, nil)
        if code != SQLITE_OK { throw SQLiteError(code, raw) }
    }

    /// Compiles a statement for many uses.
    func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(raw, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw SQLiteError(code, raw) }
        return Statement(statement, of: raw)
    }

    /// The first column of the first row as a number; nil without a row or with NULL.
    func number(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.integer(0)
    }

    /// The first column of every row as text.
    func texts(_ sql: String) throws(SQLiteError) -> [String] {
        let statement = try prepare(sql)
        var texts: [String] = []
        while try statement.step() { texts.append(statement.text(0).string) }
        return texts
    }

    /// Whether it was opened for writing and can't be written.
    var isReadOnly: Bool { sqlite3_db_readonly(raw, "main") != 0 }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(raw) == 0 }

    /// Whether the file is another one, or gone, since it was opened.
    var hasMoved: Bool { rollcall_has_moved(raw) != 0 }

    /// The bytes of the log of changes, also of one that has lost its name.
    func log() throws(SQLiteError) -> [UInt8] {
        var size: Int64 = 0
        var code = rollcall_log_size(raw, &size)
        var bytes = [UInt8](repeating: 0, count: Int(size))
        var place = 0
        while code == SQLITE_OK, place < bytes.count {
            let count = min(bytes.count - place, 1 << 20)
            code = bytes.withUnsafeMutableBytes {
                rollcall_log_read(raw, $0.baseAddress! + place, Int32(count), Int64(place))
            }
            place += count
        }
        if code != SQLITE_OK { throw SQLiteError(code, nil) }
        return bytes
    }

    /// A path as a part of a URI.
    private static func escaped(_ path: String) -> String {
        var text = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16)
                text += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
        }
        return text
    }
}
