import Foundation

/// A program that a test has started: its lines one by one, and its end.
final class Program: Sendable {
    /// Why a program is no use to the test.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let process: Process
    private let input: Pipe
    private let lines: AsyncStream<String>
    private let ends: AsyncStream<Int32>

    /// Starts a program.
    ///
    /// Its standard error is this process's own.
    init(_ path: String, _ arguments: [String]) throws {
        let process = Process()
        let output = Pipe()
        let input = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = input
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let (ends, ended) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            ended.yield(process.terminationStatus)
            ended.finish()
        }
        try process.run()
        // A thread of its own: reading blocks, and the pool of tasks is small.
        Thread.detachNewThread {
            var rest: [UInt8] = []
            while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            continuation.finish()
        }
        self.process = process
        self.input = input
        self.lines = lines
        self.ends = ends
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// The next line; nil at the end of the program's output.
    ///
    /// One task may wait at a time.
    func line() async -> String? {
        for await line in lines { return line }
        return nil
    }

    /// Waits for a line that begins with `prefix`, and gives the rest of it.
    func line(after prefix: String) async throws -> String {
        while let line = await line() {
            if line.hasPrefix(prefix) { return String(line.dropFirst(prefix.count)) }
        }
        throw Failure(description: "the program ended without a line that begins with \(prefix)")
    }

    /// Writes a line to the program.
    func write(_ line: String) {
        input.fileHandleForWriting.write(Data((line + "\n").utf8))
    }

    /// Asks the program to end.
    func terminate() {
        if process.isRunning { process.terminate() }
    }

    /// Waits for the end; the exit status, nil when the task was cancelled.
    func status() async -> Int32? {
        for await status in ends { return status }
        return nil
    }
}

/// Where the programs of this build and the files of the repository are.
enum Places {
    /// The directory of what was built: where this test itself is.
    static let products: URL = {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        return bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    }()

    /// The top of the repository.
    static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The system's Python, which has the official protobuf runtime.
    static let python = ProcessInfo.processInfo.environment["ROLLCALL_PYTHON"] ?? "/usr/bin/python3"

    /// Whether Python has the protobuf runtime and protoc is there.
    static let hasPython: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = [
            "-B", "-c", "import google.protobuf, shutil, sys; sys.exit(shutil.which('protoc') is None)",
        ]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()
}
