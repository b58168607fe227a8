import Foundation

/// A program of this build, run to its end or watched line by line.
final class BuiltProgram: Sendable {
    /// What a program has said and how it ended.
    struct Ending: Sendable {
        var status: Int32
        var output: String
        var errors: String
    }

    /// Where the programs are: beside the tests.
    static let folder: URL = {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        return bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
    }()

    private let process: Process
    private let output = Pipe()
    private let errors = Pipe()
    private let input = Pipe()
    private let lines: AsyncStream<String>
    private let rest: Task<String, Never>

    /// Starts `name`; `environment` is added to this process's own.
    ///
    /// - Parameter standardOutput: Where the output goes instead of to the test.
    init(
        _ name: String,
        _ arguments: [String],
        environment: [String: String] = [:],
        input text: [UInt8] = [],
        standardOutput: FileHandle? = nil
    ) throws {
        let process = Process()
        process.executableURL = Self.folder.appendingPathComponent(name)
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment
        for key in ["ROLLCALL_CONNECT", "NO_COLOR"] { variables[key] = nil }
        process.environment = variables.merging(environment) { $1 }
        if let standardOutput { process.standardOutput = standardOutput } else { process.standardOutput = output }
        process.standardError = errors
        process.standardInput = input
        // A child inherits the signals that its parent's thread blocks, and the threads of the pool block nearly all.
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
        self.process = process
        // The parent's ends of the pipes must be the only ones here, or the end of the output never comes.
        try? input.fileHandleForWriting.write(contentsOf: Data(text))
        try? input.fileHandleForWriting.close()
        if standardOutput != nil { try? output.fileHandleForWriting.close() }
        lines = Self.lines(of: output.fileHandleForReading)
        let errorLines = Self.lines(of: errors.fileHandleForReading)
        rest = Task { await errorLines.reduce(into: "") { $0 += $1 + "\n" } }
    }

    /// A thread of its own reads: reading blocks, and the pool of tasks is small.
    private static func lines(of handle: FileHandle) -> AsyncStream<String> {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var rest: [UInt8] = []
            // Gives what is there; read(upToCount:) would wait for all of it.
            while case let data = handle.availableData, !data.isEmpty {
                rest += data
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            if !rest.isEmpty { continuation.yield(String(decoding: rest, as: UTF8.self)) }
            continuation.finish()
        }
        return lines
    }

    /// The next line of the output; nil at its end.
    func line() async -> String? {
        for await line in lines { return line }
        return nil
    }

    /// Sends a signal.
    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Waits for the end; `output` is what was not read line by line.
    func ending() async -> Ending {
        var text = ""
        for await line in lines { text += line + "\n" }
        let status = await withCheckedContinuation { continuation in
            Thread.detachNewThread { [process] in
                process.waitUntilExit()
                continuation.resume(returning: process.terminationStatus)
            }
        }
        return Ending(status: status, output: text, errors: await rest.value)
    }

    /// Runs the probe to its end.
    static func probe(
        _ arguments: [String],
        environment: [String: String] = [:],
        input: [UInt8] = []
    ) async throws -> Ending {
        try await BuiltProgram("rollcall-probe", arguments, environment: environment, input: input).ending()
    }
}

/// A directory for one test.
struct TemporaryFolder: ~Copyable {
    let path: String

    init() throws {
        var template = Array("/tmp/rollcall-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CocoaError(.fileWriteUnknown) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
