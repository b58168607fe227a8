#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads small text files, without Foundation.
enum TextFile {
    /// Why a file could not be read.
    struct Failure: Error, CustomStringConvertible {
        /// For people.
        let description: String
    }

    /// Larger files are no configuration.
    static let maximumSize = 1_048_576

    /// The text of the file at `path`.
    static func read(_ path: String) throws -> String {
        guard let file = fopen(path, "r") else { throw Failure(description: String(cString: strerror(errno))) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            bytes += chunk[..<count]
            if bytes.count > maximumSize { throw Failure(description: "it is larger than 1 MiB") }
        }
        guard ferror(file) == 0 else { throw Failure(description: String(cString: strerror(errno))) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Failure(description: "it is not UTF-8") }
        return text
    }
}
