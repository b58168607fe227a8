import Foundation
import Rollcall

/// A relay in a process of its own, for one test.
final class RelayProcess: Sendable {
    /// Why a relay is no use to the test.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Where its files are.
    let scratch: Scratch
    /// The socket that it listens on, unless the test has named others.
    let socket: String
    /// Where it said that it listens, in the order of the options.
    let addresses: [Address]
    /// The lines of its log.
    let log: LineReader

    private let process: Process
    private let output: LineReader

    var pid: Int32 { process.processIdentifier }
    /// The first address.
    var address: Address { addresses[0] }
    /// What it has written to standard output.
    var printed: [String] { output.all }

    /// Starts a relay on a UNIX socket, or on what `options` name, and returns when it is ready.
    ///
    /// - Parameter scratch: Where its files are: another's, to start on the same socket again.
    convenience init(_ options: String..., scratch: Scratch? = nil) async throws {
        try await self.init(options: options, scratch: scratch ?? Scratch())
    }

    init(options: [String], scratch: Scratch, environment: [String: String] = [:]) async throws {
        self.scratch = scratch
        socket = scratch.path + "/relay.sock"
        let listens = options.contains { $0.hasPrefix("--listen") || $0.hasPrefix("--config") }
        let own = listens || environment["ROLLCALL_LISTEN"] != nil ? [] : ["--listen", "unix:\(socket)"]
        let (process, output, log) = try RelayProcess.launch(own + options, environment)
        self.process = process
        self.output = output
        self.log = log
        guard await output.next(with: "rollcall-relay: ready") != nil else {
            throw Failure(description: await log.toTheEnd().joined(separator: "\n"))
        }
        addresses = try output.all.filter { $0.contains("listening on ") }.map { line in
            try Address.parse(String(line.drop { $0 != ":" }.dropFirst(": listening on ".count)))
        }
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    private static func launch(
        _ arguments: [String],
        _ environment: [String: String]
    ) throws -> (Process, LineReader, LineReader) {
        let process = Process()
        let (output, log) = (Pipe(), Pipe())
        process.executableURL = program
        process.arguments = arguments
        process.environment = environment.merging(patience) { given, _ in given }
        process.standardOutput = output
        process.standardError = log
        // The worst that a parent can hand down: the relay must let its signals through by itself.
        var (blocked, before) = (sigset_t(), sigset_t())
        sigfillset(&blocked)
        pthread_sigmask(SIG_SETMASK, &blocked, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
        return (process, LineReader(output.fileHandleForReading), LineReader(log.fileHandleForReading))
    }

    /// A relay that waits for hours, so that a test's verdict does not depend on how busy the machine is.
    private static let patience = [
        "ROLLCALL_HELLO_TIMEOUT": "1h", "ROLLCALL_PING_INTERVAL": "20m", "ROLLCALL_DEAD_AFTER": "1h",
        "ROLLCALL_STALL_TIMEOUT": "1h", "ROLLCALL_IDLE": "0",
    ]

    /// Sends it a signal.
    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// Waits for its end.
    ///
    /// - Returns: The exit status; negative is the signal that ended it.
    func end() async -> Int32 {
        await RelayProcess.end(of: process)
    }

    private static func end(of process: Process) async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                process.waitUntilExit()
                let status = process.terminationStatus
                continuation.resume(returning: process.terminationReason == .exit ? status : -status)
            }
        }
    }

    /// Asks for its counters and waits for them.
    func counters() async throws -> [String: Int] {
        send(SIGUSR1)
        guard let line = await log.next(with: "info counters ") else { throw Failure(description: "it has ended") }
        var counters: [String: Int] = [:]
        for fact in line.split(separator: " ") {
            let parts = fact.split(separator: "=")
            if parts.count == 2, let number = Int(parts[1]) { counters[String(parts[0])] = number }
        }
        return counters
    }

    /// Asks for its counters again and again until they are as wanted: events of its own make them so, and nothing tells.
    func counters(until condition: ([String: Int]) -> Bool) async throws -> [String: Int] {
        while true {
            let counters = try await counters()
            if condition(counters) { return counters }
        }
    }

    /// Runs the program to its end.
    static func run(
        _ arguments: String...,
        environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await run(arguments: arguments, environment: environment)
    }

    static func run(
        arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String, errors: String) {
        let (process, output, errors) = try launch(arguments, environment)
        let texts = await (output.toTheEnd(), errors.toTheEnd())
        return (await end(of: process), texts.0.joined(separator: "\n"), texts.1.joined(separator: "\n"))
    }

    /// The program, beside the tests.
    private static let program: URL = {
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
        let products = bundle?.bundleURL.deletingLastPathComponent() ?? Bundle.main.bundleURL
        let beside = products.appendingPathComponent("rollcall-relay")
        if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
        return Bundle.main.executableURL!.deletingLastPathComponent().appendingPathComponent("rollcall-relay")
    }()
}
