import TestSupport

/// Runs the probe to its end.
func runProbe(
    _ arguments: [String],
    environment: [String: String] = [:],
    input: [UInt8] = []
) async throws -> ChildProcess.Ending {
    try await ChildProcess(built: "rollcall-probe", arguments, environment: environment, input: input).ending()
}
