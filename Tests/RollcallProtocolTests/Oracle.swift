import Foundation
import Testing

/// The official protobuf runtime for Python, run once for all of a test's messages.
enum Oracle {
    /// What became of a run.
    struct Answer {
        /// What the runtime made of each message, in order: `same`, or what else.
        var verdicts: [String]
        /// Messages that the runtime made: direction and bytes.
        var frames: [(direction: String, bytes: [UInt8])]
    }

    /// The root of the checkout.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Whether the runtime and the compiler of its schema are installed.
    ///
    /// In CI they have to be.
    static let isAvailable: Bool = {
        guard ProcessInfo.processInfo.environment["CI"] != "true" else { return true }
        let found = (try? run("oracle.py", ["0", "0"], input: ""))?.status == 0
        if !found { print("python3-protobuf or protobuf-compiler is missing: the oracle tests are skipped") }
        return found
    }()

    /// Lets the runtime read and write again each of `frames`, and make `count` of its own.
    static func ask(_ frames: [(direction: String, bytes: [UInt8])], seed: UInt64, count: Int) throws -> Answer {
        let input = frames.map { "\($0.direction) \($0.bytes.hex)\n" }.joined()
        let (status, output) = try run("oracle.py", ["\(seed)", "\(count)"], input: input)
        try #require(status == 0, "the oracle ended with status \(status)")
        let lines = output.split(separator: "\n").map(String.init)
        try #require(lines.count == frames.count + count)
        let made = lines.dropFirst(frames.count).map { line in
            let words = line.split(separator: " ")
            return (direction: String(words[0]), bytes: [UInt8](hex: words.count > 1 ? String(words[1]) : ""))
        }
        return Answer(verdicts: Array(lines.prefix(frames.count)), frames: made)
    }

    /// Runs a script of `Tests/Interop`.
    static func run(
        _ script: String,
        _ arguments: [String],
        input: String
    ) throws -> (status: Int32, output: String) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("rollcall-oracle-\(UUID().uuidString)")
        try Data(input.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let python = ProcessInfo.processInfo.environment["ROLLCALL_PYTHON"] ?? "/usr/bin/python3"
        let path = root.appendingPathComponent("Tests/Interop").appendingPathComponent(script).path
        process.arguments = [python, path] + arguments
        process.standardInput = try FileHandle(forReadingFrom: file)
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}

extension [UInt8] {
    /// The bytes that hexadecimal digits say.
    init(hex: String) {
        let digits = Array<UInt8>(hex.utf8).map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x57 }
        self = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Two lowercase hexadecimal digits for each byte.
    var hex: String {
        let digits = Array<UInt8>("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
