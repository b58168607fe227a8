import Foundation
import ToolSupport

ProcessSetup.ignoreBrokenPipes()
ProcessSetup.unblockSignals()
let code = await Probe.run(
    Array(CommandLine.arguments.dropFirst()),
    environment: ProcessInfo.processInfo.environment
)
exit(code.rawValue)
