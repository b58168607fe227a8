import CallState
import Foundation
import Options
import Rollcall
import RollcallProtocol
import ToolSupport

extension Probe {
    static func listCalls(_ context: ProbeContext) async throws {
        let calls = try await context.ask { () throws(RollcallError) in try await context.client().calls() }
        if context.isJSON { return try context.output.lines(calls.map(\.json.text)) }
        try context.print(callTable(calls, now: TimeText.now), empty: "no calls")
    }

    static func listConnections(_ context: ProbeContext) async throws {
        let connections = try await context.ask { () throws(RollcallError) in
            try await context.client().connections()
        }
        if context.isJSON { return try context.output.lines(connections.map(\.json.text)) }
        try context.print(connectionTable(connections, now: TimeText.now), empty: "no connections")
    }

    static func showSnapshot(_ context: ProbeContext) async throws {
        let session = context.settings[ProbeOptions.session]
        let snapshot: CallSnapshot
        do throws(RollcallError) {
            snapshot = try await context.client().peek(session)
        } catch {
            if error.code == .noSuchCall { throw try await context.unknown(session) }
            throw ToolError(error, address: context.address)
        }
        if snapshot.meeting == nil { throw try await context.unknown(session) }
        let roster = Roster(session: ByteString(session), state: snapshot.confirmed)
        if context.isJSON { return try context.output.json(roster.json) }
        let terminal = context.output.terminal
        try context.output.lines(
            roster.lines(now: TimeText.now, width: terminal.width, colors: terminal.hasColors)
        )
    }

    static func ping(_ context: ProbeContext) async throws {
        let count = context.settings[ProbeOptions.count]
        let client = context.client()
        var times: [Double] = []
        for number in 1...count {
            if number > 1 { try? await Task.sleep(for: .milliseconds(context.settings[ProbeOptions.interval])) }
            let time = try await context.ask { () throws(RollcallError) in try await client.ping() }
            let (seconds, attoseconds) = time.components
            let milliseconds = Double(seconds) * 1000 + Double(attoseconds) / 1e15
            times.append(milliseconds)
            if context.isJSON {
                try context.output.json(
                    .members(["ping": .number(UInt64(number)), "roundTripMs": .decimal(milliseconds)])
                )
            } else {
                try context.output.line("answer from \(context.address) in \(decimalText(milliseconds)) ms")
            }
        }
        guard !context.isJSON, count > 1, let least = times.min(), let most = times.max() else { return }
        let mean = decimalText(times.reduce(0, +) / Double(count))
        try context.output.line(
            "\(count) answers: least \(decimalText(least)) ms, mean \(mean) ms, most \(decimalText(most)) ms"
        )
    }

    static func printCompletions(_ context: ProbeContext) async throws {
        if let shell = context.settings[ProbeOptions.shell].shell {
            let script = Completions.script(
                for: ProbeOptions.program,
                shell: shell,
                words: ["set": SettingWords.all.map { $0.name + "=" }, "completions": ["bash", "zsh", "fish"]],
                sessions: ["snapshot", "watch", "set", "verify", "attendance"]
            )
            return try context.output.line(script)
        }
        let calls = try await context.ask { () throws(RollcallError) in try await context.client().calls() }
        try context.output.lines(calls.map(\.session.string).filter(Completions.isHarmless))
    }
}
