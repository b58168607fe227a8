import TestSupport
import Testing

/// The tests that start processes, one after the other: together they would only wait for each other.
@Suite(.serialized) struct AgainstARelay {}

/// Runs the load tool to its end, and gives its exit status and what it printed.
func load(_ arguments: [String]) async throws -> (status: Int32, output: String) {
    let ending = try await ChildProcess(built: "rollcall-load", arguments).ending()
    return (ending.status, ending.output + ending.errors)
}
