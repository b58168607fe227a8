import Options
import Rollcall
import ToolSupport

extension Probe {
    /// Shows call logs, page after page, the newest meeting first.
    static func showAttendance(_ context: ProbeContext) async throws {
        let settings = context.settings
        let isCSV = settings[ProbeOptions.csv]
        if isCSV, context.isJSON {
            throw ToolError(.usage, "--json and --csv are two forms of the same output: give one of them")
        }
        let filter = try filter(of: context)
        var pages = context.client().attendancePages(
            filter,
            limit: min(settings[ProbeOptions.meetings], 100),
            people: filter.uid == nil ? .everybody : .matching
        )
        var left = settings[ProbeOptions.meetings]
        var isFirst = true
        while left > 0, let page = try await next(&pages, context) {
            let output = AttendanceOutput(
                Array(page.meetings.prefix(left)),
                showsDevices: settings[ProbeOptions.devices]
            )
            left -= output.meetings.count
            try show(output, isCSV: isCSV, isFirst: isFirst, context)
            isFirst = false
            if !page.hasMore { break }
        }
        guard isFirst else { return }
        if let session = filter.session { try await checkSession(session, context) }
        if isCSV { return try show(AttendanceOutput([], showsDevices: false), isCSV: true, isFirst: true, context) }
        if !context.isJSON { try context.output.line("no meetings") }
    }

    private static func next(_ pages: inout AttendancePages, _ context: ProbeContext) async throws -> AttendancePage? {
        do {
            return try await pages.next()
        } catch {
            throw ToolError(error, address: context.address)
        }
    }

    private static func show(
        _ output: AttendanceOutput,
        isCSV: Bool,
        isFirst: Bool,
        _ context: ProbeContext
    ) throws {
        if context.isJSON { return try context.output.lines(output.meetings.map(\.json.text)) }
        if isCSV {
            let lines = (isFirst ? [output.csvHeading] : []) + output.csvLines
            return try context.output.write(lines.map { $0 + csvLineEnd }.joined())
        }
        let terminal = context.output.terminal
        let lines = output.lines(now: TimeText.now, width: terminal.width, colors: terminal.hasColors)
        try context.output.lines((isFirst ? [] : [""]) + lines)
    }

    private static func filter(of context: ProbeContext) throws -> AttendanceFilter {
        let settings = context.settings
        let now = TimeText.now
        var filter = AttendanceFilter(
            session: settings[ProbeOptions.loggedSession],
            meeting: settings[ProbeOptions.meeting],
            uid: settings[ProbeOptions.person],
            isRunning: settings[ProbeOptions.progress].map { $0 == .running },
            hasRecording: settings[ProbeOptions.recording].map { $0 == .with }
        )
        filter.from = try settings[ProbeOptions.since].map { try moment(of: $0, "--since", now: now) }
        filter.to = try settings[ProbeOptions.until].map { try moment(of: $0, "--until", now: now) }
        if let from = filter.from, let to = filter.to, from >= to {
            throw ToolError(.usage, "--since is not before --until: no meeting can be between them")
        }
        return filter
    }

    private static func moment(of text: String, _ option: String, now: UInt64) throws -> UInt64 {
        if let time = parseMoment(text, now: now) { return time }
        throw ToolError(
            .usage,
            "\(option): \"\(safeText(text))\" is no moment",
            advice: "Accepted are 2026-11-30, 2026-11-30T14:02, 2026-11-30T14:02:30Z, or so long ago: 90s, 15m, 2h, 7d."
        )
    }

    /// Says so when the relay has no meeting of a session at all, with near names.
    private static func checkSession(_ session: String, _ context: ProbeContext) async throws {
        let client = context.client()
        let known = try await context.ask { () throws(RollcallError) in
            try await client.attendance(AttendanceFilter(session: session), limit: 1, people: .nobody)
        }
        if !known.meetings.isEmpty { return }
        let others = try await context.ask { () throws(RollcallError) in
            try await client.attendance(limit: 100, people: .nobody)
        }
        let names = Set(others.meetings.map(\.session)).sorted()
        throw unloggedSession(session, among: names, address: context.address)
    }
}
