import CallState
import Foundation
import Options
import Rollcall
import RollcallProtocol
import ToolSupport

extension Probe {
    static func watch(_ context: ProbeContext) async throws {
        let session = context.settings[ProbeOptions.session]
        let fields = try fieldFilter(context.settings)
        let time = context.settings[ProbeOptions.watchFor].map { Duration.milliseconds($0) }
        let follower = try await CallFollower(session, context, until: time)
        if follower.call.state.meeting == nil, !context.settings[ProbeOptions.wait] {
            await follower.end()
            throw try await context.unknown(session)
        }
        context.remark("watching \(safeText(session)) from \(follower.start); Ctrl-C ends")

        var view = WatchView(start: follower.start)
        do {
            for await event in follower.events {
                switch event {
                case .frame(let trace):
                    if case .notice(_, let text) = trace.frame {
                        try? context.errors.line("\(ProbeOptions.name): \(safeText(text))")
                    }
                    try view.show(trace, fields, context)
                case .connection(let state):
                    try tell(state, context)
                case .signal:
                    await follower.end()
                    return
                }
            }
        } catch {
            await follower.end()
            throw error
        }
    }

    /// The fields of `--field`; empty is all.
    private static func fieldFilter(_ settings: Settings) throws -> Set<Change.Field> {
        var fields: Set<Change.Field> = []
        for text in settings[ProbeOptions.fields] {
            guard let field = Change.Field(rawValue: text) else {
                let names = Change.Field.allCases.map(\.rawValue)
                let near = nearNames(to: text, in: names)
                throw settings.refusal(
                    of: ProbeOptions.fields,
                    because: near.isEmpty
                        ? "there is no such field" : "did you mean \(near.joined(separator: " or "))?",
                    accepted: names.joined(separator: ", ")
                )
            }
            fields.insert(field)
        }
        return fields
    }

    /// Tells beside the output how the connection goes; its end is the end of the command.
    static func tell(_ state: ConnectionState, _ context: ProbeContext) throws {
        switch state {
        case .joining, .live: break
        case .reconnecting(let attempt, let cause):
            if attempt == 1 {
                try? context.errors.line("\(ProbeOptions.name): \(safeText(cause.message)); connecting again")
            }
        case .closed(.left): break
        case .closed(.ended(let error)): throw ToolError(error, address: context.address)
        }
    }
}

/// What `watch` has shown so far.
private struct WatchView {
    private let start: Position
    /// nil until the copy has reached the start.
    private var shown: CallState?
    private var columns = ChangeLine.Columns()

    init(start: Position) { self.start = start }

    /// Prints what a frame changed since what was shown.
    mutating func show(_ trace: FrameTrace, _ fields: Set<Change.Field>, _ context: ProbeContext) throws {
        guard var cause = ChangeCause.of(trace.frame, before: trace.before, after: trace.after) else { return }
        guard let shown else {
            // The frames of the join: a snapshot, and what leads from it to the start.
            if trace.after.position >= start, trace.isWhole { self.shown = trace.after }
            return
        }
        if trace.after.position == shown.position, cause != .snapshot { return }
        // Frames were dropped, since the output was too slow for them: the sum is shown.
        if trace.before.position != shown.position { cause = cause == .snapshot ? .snapshot : .merged }
        let time = TimeText.now
        let terminal = context.output.terminal
        let lines = changes(from: shown, to: trace.after)
            .filter { fields.isEmpty || fields.contains($0.field) }
            .map { ChangeLine(time: time, position: trace.after.position, change: $0, cause: cause) }
        self.shown = trace.after
        for line in lines {
            if context.isJSON {
                try context.output.json(line.json)
            } else {
                let text = line.text(width: terminal.width, colors: terminal.hasColors, columns: &columns)
                try context.output.line(text)
            }
        }
    }
}

extension FrameTrace {
    /// Whether the copy after the frame is whole: not in the middle of a snapshot.
    fileprivate var isWhole: Bool {
        if case .part(let part) = frame { part.end != nil } else { true }
    }
}
