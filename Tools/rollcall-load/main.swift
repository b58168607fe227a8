import Foundation
import Options
import Rollcall
import ToolSupport

ProcessSetup.ignoreBrokenPipes()
let output = TextOutput(1)

/// Ends with a message that says what happened and what to do.
func fail(_ message: String, _ code: ExitCode) -> Never {
    try? TextOutput(2).line("rollcall-load: \(message)")
    exit(code.rawValue)
}

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let request = try LoadOptions.program.parse(
        arguments: arguments,
        environment: ProcessInfo.processInfo.environment
    )
    switch request {
    case .printText(let text):
        try output.line(text)
    case .run(let settings):
        let isGood =
            switch settings.command {
            case "replay": try await ReplayCommand(settings).run(output)
            case "calls": try await CallsCommand(settings).run(output)
            case "late-join": try await LateJoinCommand(settings).run(output)
            default: try await HostileCommand(settings).run(output)
            }
        // 65: what the relay or its clients showed is not what it must be.
        exit(isGood ? ExitCode.ok.rawValue : ExitCode.dataError.rawValue)
    }
} catch let error as OptionError {
    fail("\(error)", ExitCode(rawValue: error.exitStatus))
} catch let error as ToolError {
    fail("\(error)", error.code)
} catch TextOutput.OutputEnd.closed {
    exit(0)
} catch let error as RollcallError {
    fail("\(error)", .unavailable)
} catch let failure as ReplayFailure {
    fail("\(failure)", .noPermission)
} catch {
    fail("\(error)", .unavailable)
}
