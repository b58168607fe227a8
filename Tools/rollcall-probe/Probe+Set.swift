import CallState
import Foundation
import Options
import Rollcall
import RollcallProtocol
import ToolSupport

extension Probe {
    static func set(_ context: ProbeContext) async throws {
        let settings = context.settings
        let session = settings[ProbeOptions.session]
        let words = settings[ProbeOptions.settings]
        let changes = try SettingWords.parse(words)
        if changes.isEmpty {
            throw ToolError(.usage, "SETTINGS is missing", advice: "rollcall-probe set --help lists the settings.")
        }
        if !settings[ProbeOptions.create] { try await requireCall(session, context) }

        let device = settings[ProbeOptions.device] ?? "probe-\(ProcessInfo.processInfo.processIdentifier)"
        let identity = Identity(uid: settings[ProbeOptions.uid], device: device)
        let options = JoinOptions(role: settings[ProbeOptions.moderator] ? .moderator : nil)
        let isBot = settings[ProbeOptions.bot]
        let call = try await context.ask { () throws(RollcallError) in
            if isBot { return try await context.client().observe(session, as: identity) }
            return try await context.client().join(session, as: identity, options: options)
        }
        do throws(RollcallError) {
            let position = try await call.perform(changes)
            report(session, position, words, context)
        } catch let error {
            // Whatever happened, the device must not stay behind.
            await call.leave()
            throw ToolError(error, address: context.address)
        }
        let stay = settings[ProbeOptions.stay]
        if stay > 0 {
            context.remark("staying for \(TimeText.duration(UInt64(stay))); Ctrl-C leaves")
            for await signal in Signals.all(until: .milliseconds(stay)) {
                _ = signal
                break
            }
        }
        await call.leave()
    }

    /// Ends the command when nobody is in the call: a mistyped name must not begin a meeting.
    private static func requireCall(_ session: String, _ context: ProbeContext) async throws {
        let calls = try await context.ask { () throws(RollcallError) in try await context.client().calls() }
        let isThere = calls.contains { $0.session == ByteString(session) && !$0.meeting.isEmpty }
        if isThere { return }
        var error = unknownSession(session, among: calls.map(\.session.string), address: context.address)
        error.advice += " With --create the call begins."
        throw error
    }

    private static func report(_ session: String, _ position: Position, _ words: [String], _ context: ProbeContext) {
        if context.isJSON {
            try? context.output.json(.members(["session": .string(session), "position": position.json]))
        } else {
            let words = safeText(words.joined(separator: " "))
            try? context.output.line("\(safeText(session)) at position \(position): \(words)")
        }
    }
}
