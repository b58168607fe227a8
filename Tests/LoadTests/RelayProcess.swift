import Dispatch
import Foundation
import Rollcall
import Testing

/// The tests that start processes, one after the other: a process that starts while another does may inherit its pipe and
/// keep it open.
@Suite(.serialized) struct AgainstARelay {}

/// A relay in a process of its own, for one test.
final class RelayProcess {
    /// Where it listens on UNIX.
    let unix: Address
    /// Where it listens on TCP.
    let tcp: Address
    /// Its process id.
    var pid: Int { Int(process.processIdentifier) }

    private let process = Process()
    private let end = DispatchSemaphore(value: 0)
    private let scratch: Scratch

    /// Starts a relay and returns when it is ready.
    init(_ options: [String] = []) throws {
        scratch = try Scratch()
        let socket = scratch.path + "/relay.sock"
        process.executableURL = Products.path("rollcall-relay")
        process.arguments =
            ["--listen", "unix:\(socket)", "--listen", "tcp:127.0.0.1:0", "--log-level", "warning"] + options
        let pipe = Pipe()
        process.standardOutput = pipe
        process.terminationHandler = { [end] _ in end.signal() }
        try process.run()
        var text = ""
        while !text.contains("rollcall-relay: ready\n") {
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { throw RelayDidNotStart(output: text) }
            text += String(decoding: data, as: UTF8.self)
        }
        let listening = text.split(separator: "\n").compactMap { $0.firstMatch(of: /listening on (tcp:.*)/)?.1 }
        guard let address = listening.first else { throw RelayDidNotStart(output: text) }
        unix = .unix(socket)
        tcp = try Address.parse(String(address))
    }

    deinit {
        // Waiting by a run loop, as Process does it, is not for the threads of tasks.
        process.terminate()
        if end.wait(timeout: .now() + 10) == .timedOut {
            Issue.record("the relay did not end within 10 s of SIGTERM")
            kill(process.processIdentifier, SIGKILL)
        }
    }

    struct RelayDidNotStart: Error {
        let output: String
    }
}

/// The programs that were built beside the tests.
enum Products {
    static func path(_ name: String) -> URL {
        let beside = Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent(name)
        if let beside, FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return package.appendingPathComponent(".build/debug/\(name)")
    }

    /// Runs a program to its end and gives what it printed and its exit status.
    static func run(_ name: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = path(name)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        let end = DispatchSemaphore(value: 0)
        process.terminationHandler = { _ in end.signal() }
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        end.wait()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
