import CallState
import Foundation
import Options
import Rollcall
import RollcallProtocol
import ToolSupport

/// A run of the probe: reads the command line, does the command, tells what went wrong.
enum Probe {
    static func run(_ arguments: [String], environment: [String: String]) async -> ExitCode {
        let errors = TextOutput(2)
        func fail(_ error: ToolError) -> ExitCode {
            // Where the error can't be told either, the exit code still tells.
            try? errors.line("\(ProbeOptions.name): \(error)")
            return error.code
        }
        do {
            switch try ProbeOptions.program.parse(arguments: arguments, environment: environment) {
            case .printText(let text): try TextOutput(1).line(text + extraHelp(arguments))
            case .run(let settings): try await perform(ProbeContext(settings, errors: errors))
            }
            return .ok
        } catch let error as OptionError {
            let help = "\(ProbeOptions.name) --help lists the commands and options."
            return fail(ToolError(.usage, safeText(error.description), advice: help))
        } catch let error as ToolError {
            return fail(error)
        } catch TextOutput.OutputEnd.closed {
            return .ok
        } catch TextOutput.OutputEnd.failed(let number) {
            return fail(ToolError(.ioError, "can't write: \(String(cString: strerror(number)))"))
        } catch {
            return fail(ToolError(.software, "unexpected: \(error)"))
        }
    }

    private static func perform(_ context: ProbeContext) async throws {
        switch context.settings.command {
        case "calls": try await listCalls(context)
        case "snapshot": try await showSnapshot(context)
        case "watch": try await watch(context)
        case "conns": try await listConnections(context)
        case "attendance": try await showAttendance(context)
        case "set": try await set(context)
        case "ping": try await ping(context)
        case "verify": try await verify(context)
        case "decode": try decode(context)
        case "fault": try await fault(context)
        case "completions": try await printCompletions(context)
        case "keys": try context.output.lines(Array(JSONKeys.help.dropFirst()))
        default: preconditionFailure("a command of the table is not done")
        }
    }

    /// What the help says beyond the options.
    private static func extraHelp(_ arguments: [String]) -> String {
        guard arguments.contains(where: isHelp) else { return "" }
        switch arguments.first(where: { !$0.hasPrefix("-") }) {
        case nil:
            return "\n\nExit status: 64 wrong usage, 65 wrong data, 66 no such session or file, 69 no relay,\n"
                + "74 input or output failed, 75 try later, 76 protocol broken, 77 not permitted."
        case "set": return "\n\nSettings:\n" + SettingWords.help.joined(separator: "\n")
        default: return ""
        }
    }

    private static func isHelp(_ word: String) -> Bool { word == "--help" || word == "-h" }
}

/// What every command works with.
struct ProbeContext {
    let settings: Settings
    let address: Address
    let isJSON: Bool
    let output: TextOutput
    let errors: TextOutput

    init(_ settings: Settings, errors: TextOutput) {
        self.settings = settings
        self.errors = errors
        address = settings[ProbeOptions.connect]
        isJSON = settings[ProbeOptions.json]
        output = TextOutput(1, colors: settings[ProbeOptions.color])
    }

    /// A client that says who it is and does not try again by itself, so that the command can tell.
    func client(onFrame: (@Sendable (FrameTrace) -> Void)? = nil) -> RollcallClient {
        var options = ClientOptions()
        options.clientName = "\(ProbeOptions.name) \(ProductVersion.text)"
        options.onFrame = onFrame
        options.reconnect.giveUpAfter = .seconds(60)
        return RollcallClient(address, options: options)
    }

    /// Does something with the relay; its failures become errors of the tool.
    func ask<Value>(_ body: () async throws(RollcallError) -> Value) async throws(ToolError) -> Value {
        do throws(RollcallError) {
            return try await body()
        } catch {
            throw ToolError(error, address: address)
        }
    }

    /// Why a session is not there, with near names.
    func unknown(_ session: String) async throws(ToolError) -> ToolError {
        let sessions = try await ask { () throws(RollcallError) in try await client().calls() }
        return unknownSession(session, among: sessions.map(\.session.string), address: address)
    }

    /// Prints a table, or a sentence when it has no rows.
    func print(_ table: Table, empty: String) throws {
        if table.rows.isEmpty { return try output.line(empty) }
        try output.lines(table.lines(width: output.terminal.width, colors: output.terminal.hasColors))
    }

    /// Says something beside the output, to a person who is looking.
    func remark(_ text: String) {
        if errors.terminal.isTerminal {
            try? errors.line(TextStyle.faint.apply(text, colors: errors.terminal.hasColors))
        }
    }
}
