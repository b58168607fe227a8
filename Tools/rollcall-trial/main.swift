import Foundation
import Options
import ToolSupport
import Trials

ProcessSetup.ignoreBrokenPipes()
let output = TextOutput(1)

/// Ends with a message.
func fail(_ message: String, _ code: ExitCode) -> Never {
    try? TextOutput(2).line("rollcall-trial: \(message)")
    exit(code.rawValue)
}

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch try TrialOptions.program.parse(arguments: arguments, environment: ProcessInfo.processInfo.environment) {
    case .printText(let text): try output.line(text)
    case .run(let settings):
        let report = TrialReport { try? TextOutput(1).line($0) }
        switch settings.command {
        case "kill": try await TrialOptions.kill(settings).run(report)
        case "slow-link": try await TrialOptions.slowLink(settings).run(report)
        case "flood": try await TrialOptions.flood(settings).run(report)
        case "restart": try await TrialOptions.restart(settings).run(report)
        default: try await TrialOptions.resume(settings).run(report)
        }
        exit(report.failures == 0 ? ExitCode.ok.rawValue : ExitCode.dataError.rawValue)
    }
} catch let error as OptionError {
    fail("\(error)", ExitCode(rawValue: error.exitStatus))
} catch TextOutput.OutputEnd.closed {
    exit(0)
} catch {
    fail("\(error)", .unavailable)
}
