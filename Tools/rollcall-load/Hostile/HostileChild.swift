import Foundation
import ToolSupport

/// The generator of a hostile case: this program once more, in a process of its own.
final class HostileChild {
    private let process = Process()
    private let pipe = Pipe()

    /// Starts it.
    init(_ arguments: [String]) throws {
        guard let path = Bundle.main.executablePath else {
            throw ToolError(.software, "the path of this program is not known, so it can't start itself again")
        }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = pipe
        try process.run()
    }

    /// Whether it is still at it.
    var isRunning: Bool { process.isRunning }

    /// Waits for its end and reads what came of it.
    func outcome() throws -> HostileOutcome {
        // It prints one short line, which a pipe holds.
        process.waitUntilExit()
        let text = pipe.fileHandleForReading.readDataToEndOfFile()
        guard process.terminationStatus == 0 else {
            throw ToolError(.software, "the hostile process ended with status \(process.terminationStatus)")
        }
        do { return try JSONDecoder().decode(HostileOutcome.self, from: text) } catch {
            throw ToolError(.software, "the hostile process said '\(String(decoding: text, as: UTF8.self))'")
        }
    }
}
