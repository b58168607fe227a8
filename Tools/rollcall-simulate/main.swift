import Foundation
import Options
import ToolSupport

/// Ends with a message that says what happened and what to do.
func fail(_ message: String, _ code: ExitCode) -> Never {
    try? TextOutput(2).line("rollcall-simulate: \(message)")
    exit(code.rawValue)
}

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch try SimulateOptions.program.parse(arguments: arguments, environment: [:]) {
    case .printText(let text):
        try TextOutput(1).line(text)
    case .run(let settings):
        let isGood = try await SimulateCommand(settings: settings, output: TextOutput(1)).run()
        exit(isGood ? ExitCode.ok.rawValue : 1)
    }
} catch let error as OptionError {
    fail("\(error)", ExitCode(rawValue: error.exitStatus))
} catch let error as ToolError {
    fail("\(error)", error.code)
} catch TextOutput.OutputEnd.closed {
    exit(0)
} catch {
    fail("\(error)", .software)
}
