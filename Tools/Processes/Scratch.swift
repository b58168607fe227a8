import Foundation

/// A directory for one test, removed at its end; its path is short, so that a socket's fits.
package final class Scratch: Sendable {
    /// Where it is.
    package let path: String

    /// Makes it.
    package init() throws {
        path = Self.freshPath()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// A short path that nothing has.
    package static func freshPath() -> String {
        "/tmp/rollcall-\(String(UInt64.random(in: .min ... .max), radix: 36))"
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file, and gives its path.
    package func write(_ text: String, to name: String) throws -> String {
        try text.write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
        return "\(path)/\(name)"
    }
}
