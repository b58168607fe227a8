import Foundation
package import Rollcall

/// A relay in a process of its own, for one test.
package final class RelayProcess: Sendable {
    /// Where its files are.
    package let scratch: Scratch
    /// The socket that it listens on, unless the test has named others.
    package let socket: String
    /// Where it said that it listens, in the order of the options.
    package let addresses: [Address]

    private let process: ChildProcess

    /// The process id.
    package var pid: Int32 { process.pid }
    /// The first address.
    package var address: Address { addresses[0] }
    /// What it has written to standard output.
    package var printed: [String] { process.output.all }
    /// The lines of its log.
    package var log: LineReader { process.errors }

    /// Starts a relay on a UNIX socket, or on what `options` name, and returns when it is ready.
    ///
    /// - Parameter scratch: Where its files are: another's, to start on the same socket again.
    package convenience init(_ options: String..., scratch: Scratch? = nil) async throws {
        try await self.init(options: options, scratch: scratch ?? Scratch())
    }

    /// Starts a relay on a UNIX socket, or on what `options` or `environment` name, and returns when it is ready.
    package init(options: [String], scratch: Scratch, environment: [String: String] = [:]) async throws {
        self.scratch = scratch
        socket = scratch.path + "/relay.sock"
        let listens = options.contains { $0.hasPrefix("--listen") || $0.hasPrefix("--config") }
        let own = listens || environment["ROLLCALL_LISTEN"] != nil ? [] : ["--listen", "unix:\(socket)"]
        process = try RelayProcess.launch(own + options, environment)
        guard await process.output.next(with: "rollcall-relay: ready") != nil else {
            throw Failure(await process.errors.rest())
        }
        addresses = try process.output.all.filter { $0.contains("listening on ") }.map { line in
            try Address.parse(String(line.drop { $0 != ":" }.dropFirst(": listening on ".count)))
        }
    }

    private static func launch(_ arguments: [String], _ environment: [String: String]) throws -> ChildProcess {
        // The worst that a parent can hand down: the relay must let its signals through by itself.
        try ChildProcess(
            built: "rollcall-relay",
            arguments,
            environment: environment.merging(patience) { given, _ in given },
            blocking: .all
        )
    }
    /// A relay that waits for hours, so that a test's verdict does not depend on how busy the machine is.
    private static let patience = [
        "ROLLCALL_HELLO_TIMEOUT": "1h", "ROLLCALL_PING_INTERVAL": "20m", "ROLLCALL_DEAD_AFTER": "1h",
        "ROLLCALL_STALL_TIMEOUT": "1h", "ROLLCALL_IDLE": "0",
    ]

    /// Sends it a signal.
    package func send(_ signal: Int32) {
        process.send(signal)
    }

    /// Waits for its end.
    ///
    /// - Returns: The exit status; negative is the signal that ended it.
    package func end() async -> Int32 {
        await process.end()
    }

    /// Asks for its counters and waits for them.
    package func counters() async throws -> [String: Int] {
        send(SIGUSR1)
        guard let line = await log.next(with: "info counters ") else { throw Failure("it has ended") }
        var counters: [String: Int] = [:]
        for fact in line.split(separator: " ") {
            let parts = fact.split(separator: "=")
            if parts.count == 2, let number = Int(parts[1]) { counters[String(parts[0])] = number }
        }
        return counters
    }

    /// Asks for its counters again and again until they are as wanted: events of its own make them so, and nothing
    /// tells.
    package func counters(until condition: ([String: Int]) -> Bool) async throws -> [String: Int] {
        while true {
            let counters = try await counters()
            if condition(counters) { return counters }
        }
    }

    /// Runs the program to its end.
    package static func run(
        _ arguments: String...,
        environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await run(arguments: arguments, environment: environment)
    }

    /// Runs the program to its end.
    package static func run(
        arguments: [String],
        environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String, errors: String) {
        let ending = try await launch(arguments, environment).ending()
        return (ending.status, ending.output.trimmingSuffix("\n"), ending.errors.trimmingSuffix("\n"))
    }
}

extension RelayProcess {
    /// A relay on a UNIX socket and on TCP.
    package static func onBoth(_ options: [String] = []) async throws -> RelayProcess {
        let scratch = try Scratch()
        let listens = ["--listen", "unix:\(scratch.path)/relay.sock", "--listen", "tcp:127.0.0.1:0"]
        return try await RelayProcess(options: listens + options, scratch: scratch)
    }

    /// Where one that is on both listens on UNIX.
    package var unix: Address { addresses[0] }
    /// Where one that is on both listens on TCP.
    package var tcp: Address { addresses[1] }
}

extension String {
    /// Without one `suffix` at its end.
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
