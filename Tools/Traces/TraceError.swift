/// Why a trace could not be read: what is wrong, and where.
public struct TraceError: Error, Hashable, Sendable {
    /// The kind of fault.
    public enum Code: String, Hashable, Sendable {
        /// The file could not be opened or read.
        case unreadable
        /// The file is longer than ``Trace/maximumFileBytes``.
        case fileTooLong
        /// A line is longer than ``Trace/maximumLineBytes``.
        case lineTooLong
        /// A line is not UTF-8.
        case notUTF8
        /// A line is not one JSON object.
        case notJSON
        /// A field that the event needs is not there.
        case missingField
        /// A field has a type or a value that it must not have.
        case invalidField
        /// The time is before that of the line above.
        case timeWentBack
        /// The first line is not the `meta` line.
        case missingMeta
        /// A second `meta` line.
        case duplicateMeta
        /// The line names another session than the `meta` line.
        case otherSession
        /// The file holds another number of events than the `meta` line says: it was cut, or joined from parts.
        case wrongCount
    }

    /// The kind of fault.
    public let code: Code
    /// The file, as it was named to the reader.
    public let file: String
    /// The line, counted from 1; 0 when the fault is the file's.
    public let line: Int
    /// The field that is wrong, when it is one.
    public let field: String?
    /// What is wrong, in words.
    public let cause: String

    /// Creates an error for one place.
    public init(_ code: Code, file: String, line: Int, field: String? = nil, cause: String) {
        self.code = code
        self.file = file
        self.line = line
        self.field = field
        self.cause = cause
    }
}

extension TraceError: CustomStringConvertible {
    /// One line in the form `file:line: field 't': cause`.
    public var description: String {
        let place = line > 0 ? "\(file):\(line)" : file
        guard let field else { return "\(place): \(cause)" }
        return "\(place): field '\(field)': \(cause)"
    }
}
