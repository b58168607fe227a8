import Foundation

/// A folder for one test, removed at its end.
///
/// Its path is short, so that a socket fits into it.
final class Scratch {
    let path: String

    init() throws {
        path = "/tmp/rollcall-\(String(UInt32.random(in: .min ... .max), radix: 36))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: path + "/" + name, atomically: true, encoding: .utf8)
    }
}
