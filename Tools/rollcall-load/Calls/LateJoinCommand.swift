import CallState
import Options
import Rollcall
import RollcallProtocol
import ToolSupport

/// `rollcall-load late-join`.
struct LateJoinCommand {
    private let address: Address
    private let people: Int
    private let isJSON: Bool

    init(_ settings: Settings) {
        address = settings[LoadOptions.connect]
        people = settings[LoadOptions.people]
        isJSON = settings[LoadOptions.json]
    }

    /// Fills a call, joins it, and judges the snapshot; whether all was as it must be.
    func run(_ output: TextOutput) async throws -> Bool {
        let session = ByteString("load-late-\(String(UInt64.random(in: .min ... .max), radix: 36))")
        let empty = try watch(ByteString(session.string + "-empty"), uid: "watcher")
        var failures = Self.failures(of: empty, people: 0, "the empty call")

        let filling = ContinuousClock.now
        let bot = try watch(session, uid: "bot")
        try fill(bot)
        let filled = ContinuousClock.now - filling

        let start = ContinuousClock.now
        let joiner = try BareAttendance(address, Join(session: session, uid: "late", device: "load"))
        let took = ContinuousClock.now - start
        failures += Self.failures(of: joiner, people: people + 1, "the call of \(people)")
        try bot.reach(joiner.copy.position)
        if bot.copy.position == joiner.copy.position, bot.copy.digest != joiner.copy.digest {
            failures.append("the joiner has another digest than the one who was there from the beginning")
        }

        // The library must show all of it to its app at once, too.
        let librarian = ContinuousClock.now
        let call = try await RollcallClient(address).join(session.string, as: Identity(uid: "later", device: "load"))
        let libraryTook = ContinuousClock.now - librarian
        let seen = call.state.peopleCount
        if seen != people + 2 { failures.append("the library's joiner sees \(seen) people, expected \(people + 2)") }
        await call.leave()

        try report(empty, joiner, took: took, libraryTook: libraryTook, filled: filled, failures, output)
        return failures.isEmpty
    }

    /// What is wrong with the snapshot that an attendance began with, a line each.
    static func failures(of attendance: BareAttendance, people: Int, _ what: String) -> [String] {
        var lines: [String] = []
        if attendance.snapshots.count != 1 { lines.append("\(attendance.snapshots.count) snapshots, expected one") }
        guard let snapshot = attendance.snapshots.first else { return lines.map { "\(what): \($0)" } }
        if snapshot.end == nil { lines.append("the last part carries no count and digest") }
        if snapshot.strangers > 0 { lines.append("\(snapshot.strangers) deltas came between the parts") }
        for (index, bytes) in snapshot.parts.enumerated() where bytes > WireLimits.snapshotPart {
            lines.append("part \(index + 1) has \(bytes) bytes, the limit is \(WireLimits.snapshotPart)")
        }
        if attendance.copy.peopleCount != people {
            lines.append("\(attendance.copy.peopleCount) people, expected \(people)")
        }
        if attendance.copy.position < attendance.joined.position { lines.append("it is not complete") }
        return lines.map { "\(what): \($0)" }
    }

    private func watch(_ session: ByteString, uid: ByteString) throws -> BareAttendance {
        var join = Join(session: session, uid: uid, device: "load")
        join.mode = .observer
        return try BareAttendance(address, join, within: .seconds(60))
    }

    /// Brings everybody in, 32 people a command, with what people have.
    private func fill(_ bot: BareAttendance) throws {
        if !bot.joined.rights.contains(.actForOthers) {
            throw ToolError(
                .noPermission,
                "filling a call needs the right to act for others",
                advice: "Connect over UNIX as the relay's user, or run the relay with --open-admin."
            )
        }
        for first in stride(from: 0, to: people, by: 32) {
            var settings: [Setting] = []
            for index in first..<min(first + 32, people) {
                let target = Target(uid: ByteString("person-\(index)"), device: "laptop")
                var facts = BringIn()
                facts.name = ByteString("Person Number \(index)")
                facts.audioMuted = index % 3 != 0
                facts.videoPaused = index % 2 == 0
                settings.append(Setting(target: target, .bringIn(facts)))
                if index % 10 == 0 { settings.append(Setting(target: Target(uid: target.uid), .handRaised(true))) }
            }
            let ack = try bot.command(settings)
            if ack.code != .ok { throw SocketError("bringing people in was refused: \(ack.code.rawValue) \(ack.text)") }
        }
        guard bot.copy.peopleCount == people else {
            throw SocketError("\(bot.copy.peopleCount) people are in after bringing in \(people)")
        }
    }

    private func report(
        _ empty: BareAttendance,
        _ joiner: BareAttendance,
        took: Duration,
        libraryTook: Duration,
        filled: Duration,
        _ failures: [String],
        _ output: TextOutput
    ) throws {
        let parts = joiner.snapshots.first?.parts ?? []
        let bytes = parts.reduce(0, +)
        if isJSON {
            return try output.json(
                .members([
                    "people": .number(UInt64(people)), "parts": .number(UInt64(parts.count)),
                    "bytes": .number(UInt64(bytes)), "longestPart": .number(UInt64(parts.max() ?? 0)),
                    "joinMs": .decimal(took / .milliseconds(1)),
                    "libraryJoinMs": .decimal(libraryTook / .milliseconds(1)),
                    "emptyParts": .number(UInt64(empty.snapshots.first?.parts.count ?? 0)),
                    "failures": .array(failures.map { .string($0) }),
                ])
            )
        }
        try output.line("filled with \(people) people in \(ReplayReport.seconds(filled))")
        try output.line(
            "one snapshot: \(parts.count) parts, \(bytes) bytes, longest \(parts.max() ?? 0) of \(WireLimits.snapshotPart)"
        )
        try output.line(
            "complete after \(ReplayReport.text(took)) (library: \(ReplayReport.text(libraryTook))), digest "
                + "\(hexText(joiner.copy.digest, digits: 16)) at \(joiner.copy.position), \(joiner.copy.peopleCount) people"
        )
        try output.line(
            "empty call: \(empty.snapshots.first?.parts.count ?? 0) part, \(empty.snapshots.first?.bytes ?? 0) bytes, digest "
                + hexText(empty.copy.digest, digits: 16)
        )
        try output.lines(failures.map { "FAILED \($0)" })
    }
}
