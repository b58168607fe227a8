import Rollcall
import TestSupport
import Testing

/// The tests that start processes, one after the other: together they would only wait for each other.
@Suite(.serialized) struct AgainstARelay {}

extension RelayProcess {
    /// A relay on a UNIX socket and on TCP.
    static func onBoth(_ options: [String] = []) async throws -> RelayProcess {
        let scratch = try Scratch()
        let listens = ["--listen", "unix:\(scratch.path)/relay.sock", "--listen", "tcp:127.0.0.1:0"]
        return try await RelayProcess(options: listens + options, scratch: scratch)
    }

    /// Where it listens on UNIX.
    var unix: Address { addresses[0] }
    /// Where it listens on TCP.
    var tcp: Address { addresses[1] }
}

/// Runs the load tool to its end, and gives its exit status and what it printed.
func load(_ arguments: [String]) async throws -> (status: Int32, output: String) {
    let ending = try await ChildProcess(built: "rollcall-load", arguments).ending()
    return (ending.status, ending.output + ending.errors)
}
