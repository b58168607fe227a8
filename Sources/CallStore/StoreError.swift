#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file can't be used to keep calls in.
public struct StoreError: Error, Hashable, Sendable {
    /// What kind of fault it is.
    public enum Code: Hashable, Sendable, CaseIterable {
        /// There is no such file, or no such directory.
        case notFound
        /// Not a regular file of one name.
        case notAFile
        /// Another relay keeps its calls in it.
        case inUse
        /// This process may not read or write it, or make files beside it.
        case notPermitted
        /// It is something else's file.
        case foreign
        /// A later version of Rollcall has written it.
        case newer
        /// It is ours and its contents are wrong.
        case damaged
        /// The system has failed at reading or writing.
        case system
    }

    /// What kind of fault it is.
    public let code: Code
    /// The file, as it was named.
    public let path: String
    /// What is wrong with it, in words.
    public let reason: String
    /// What can be done, as a sentence; empty when that is plain.
    public let advice: String

    init(_ code: Code, _ path: String, _ reason: String, advice: String = "") {
        self.code = code
        self.path = path
        self.reason = reason
        self.advice = advice
    }

    /// What SQLite could not do with a file that was looked at before.
    init(_ error: SQLiteError, _ path: String) {
        let code: Code =
            if error.isDamage { .damaged } else if error.isDenial { .notPermitted } else { .system }
        self.init(code, path, error.message, advice: code == .damaged ? StoreError.adviceOnDamage : "")
    }

    /// What the system could not do: a negative error number of one of its calls.
    init(system number: Int32, _ path: String, doing what: String) {
        let code: Code =
            switch -number {
            case EACCES, EPERM, EROFS: .notPermitted
            case ENOENT, ENOTDIR, ELOOP, ENAMETOOLONG: .notFound
            default: .system
            }
        self.init(code, path, "\(what): \(systemWords(-number))")
    }

    static let adviceOnDamage = """
        Nothing was written to it. Move it away to begin anew, or put a sound copy in its place; \
        rollcall-relay --check tells what is wrong.
        """
}

extension StoreError: CustomStringConvertible {
    /// The file, the fault and what to do.
    public var description: String { "\(path): \(reason)" + (advice.isEmpty ? "" : "\n  \(advice)") }
}
