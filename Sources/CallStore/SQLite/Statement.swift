import CSQLite
import CallState

/// A value in a row.
enum SQLValue {
    case null
    case integer(Int64)
    case text(ByteString)
    case blob([UInt8])

    /// A number below 2^63, as all that people count are.
    static func number(_ number: some BinaryInteger) -> SQLValue { .integer(Int64(truncatingIfNeeded: number)) }
    /// 0 or 1.
    static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }
    /// A number, or NULL.
    static func number(_ number: UInt64?) -> SQLValue { number.map { .number($0) } ?? .null }
    /// Text, or NULL when it is empty.
    static func word(_ text: ByteString) -> SQLValue { text.isEmpty ? .null : .text(text) }
}

/// A compiled statement; a new use begins where the last has ended.
final class Statement {
    private let raw: OpaquePointer
    private let database: OpaquePointer

    init(_ raw: OpaquePointer, of database: OpaquePointer) {
        self.raw = raw
        self.database = database
    }

    deinit { sqlite3_finalize(raw) }

    /// Runs it with these values, to its end; rows are not looked at.
    func run(_ values: SQLValue...) throws(SQLiteError) {
        try bind(values)
        while try step() {}
    }

    /// Begins with these values; ``step()`` gives the rows.
    func query(_ values: SQLValue...) throws(SQLiteError) { try bind(values) }

    private func bind(_ values: [SQLValue]) throws(SQLiteError) {
        sqlite3_reset(raw)
        for (place, value) in values.enumerated() {
            let index = Int32(place + 1)
            let code =
                switch value {
                case .null: sqlite3_bind_null(raw, index)
                case .integer(let number): sqlite3_bind_int64(raw, index, number)
                case .text(let text):
                    text.bytes.withUnsafeBytes { rollcall_bind_text(raw, index, $0.baseAddress, $0.count) }
                case .blob(let bytes):
                    bytes.withUnsafeBytes { rollcall_bind_blob(raw, index, $0.baseAddress, $0.count) }
                }
            if code != SQLITE_OK { throw SQLiteError(code, database) }
        }
    }

    /// Goes to the next row; false at the end, where the statement lets go of what it holds.
    func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(raw)
        if code == SQLITE_ROW { return true }
        // Reset gives the same code; asked before, since the message goes with it.
        let error = code == SQLITE_DONE ? nil : SQLiteError(sqlite3_extended_errcode(database), database)
        sqlite3_reset(raw)
        if let error { throw error }
        return false
    }

    /// Ends the use before the last row.
    func reset() { sqlite3_reset(raw) }

    /// Whether a column of the row is NULL.
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(raw, column) == SQLITE_NULL }

    /// A column as a number; 0 for NULL.
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(raw, column) }

    /// A column as a number without a sign; negative ones, which only damage brings, are the largest.
    func number(_ column: Int32) -> UInt64 { UInt64(exactly: integer(column)) ?? .max }

    /// A column as text; NULL is empty.
    func text(_ column: Int32) -> ByteString { ByteString(blob(column)) }

    /// A column as bytes; NULL is none.
    func blob(_ column: Int32) -> [UInt8] {
        // The pointer first: asking for it may convert the value.
        guard let pointer = sqlite3_column_blob(raw, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: pointer, count: Int(sqlite3_column_bytes(raw, column))))
    }
}
