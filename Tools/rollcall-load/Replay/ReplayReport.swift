import ToolSupport

/// Something that was otherwise than it must be.
struct ReplayDifference: Hashable, Sendable, CustomStringConvertible {
    /// The file.
    var file: String
    /// The line of the trace whose step came last.
    var line: Int
    /// The client that showed it, or the relay.
    var who: String
    /// When it was compared: `a join`, `a check`, `the end`.
    var moment: String
    /// What differs, a line each.
    var lines: [String]

    /// `file:line: who, at the end:` and the lines.
    var description: String {
        (["\(file):\(line): \(who), at \(moment):"] + lines.map { "    " + $0 }).joined(separator: "\n")
    }
}

/// What a replay did and what it found.
struct ReplayReport: Sendable {
    /// The file, or a name for a plan without one.
    var name: String
    /// The session id.
    var session: String
    /// Events that went out.
    var events = 0
    /// Joins of the trace's devices.
    var joins = 0
    /// Clients that joined late.
    var lateJoins = 0
    /// States that were compared with the reference model.
    var comparisons = 0
    /// Digests that were compared with the relay's.
    var digests = 0
    /// Statements of the source's own server that were held against every client.
    var checks = 0
    /// What the clients' snapshots weigh.
    var snapshots = SnapshotCounter.Sums()
    /// The longest time from sending a change until the last client showed it.
    var worstLag = Duration.zero
    /// The most by which an event went out late, in real time.
    var worstDelay = Duration.zero
    /// How long it took.
    var duration = Duration.zero
    /// What has no place in the replay, counted by the reason.
    var skipped: [String: Int] = [:]
    /// What was otherwise than it must be.
    var differences: [ReplayDifference] = []

    /// Whether all was as it must be.
    var isClean: Bool { differences.isEmpty }

    /// One line for people.
    var line: String {
        let skips = skipped.values.reduce(0, +)
        return [
            isClean ? "ok" : "DIFFERS", name, "\(events) events", "\(joins)+\(lateJoins) joins",
            "\(comparisons) states and \(digests) digests compared", "\(checks) checks",
            "snapshots \(snapshots.bytes) bytes", "worst lag \(Self.text(worstLag))", "skipped \(skips)",
            Self.seconds(duration),
        ].joined(separator: "  ")
    }

    /// What was skipped, a line for each reason.
    var skippedLines: [String] {
        skipped.sorted { $0.key < $1.key }.map { "    skipped \($0.value): \($0.key)" }
    }

    /// For programs; the keys are stable.
    var json: JSONValue {
        let reasons = skipped.sorted { $0.key < $1.key }
        let skips: [JSONValue.Member] = reasons.map { .init(key: $0.key, value: .number(UInt64($0.value))) }
        func count(_ number: Int) -> JSONValue { .number(UInt64(number)) }
        return .members([
            "trace": .string(name), "session": .string(session), "clean": .bool(isClean), "events": count(events),
            "joins": count(joins), "lateJoins": count(lateJoins), "comparisons": count(comparisons),
            "digests": count(digests), "checks": count(checks), "snapshots": count(snapshots.snapshots),
            "snapshotBytes": count(snapshots.bytes), "longestPart": count(snapshots.longest),
            "worstLagMs": .decimal(worstLag / .milliseconds(1)),
            "worstDelayMs": .decimal(worstDelay / .milliseconds(1)), "seconds": .decimal(duration.inSeconds),
            "skipped": .object(skips), "differences": .array(differences.map { .string($0.description) }),
        ])
    }

    /// Adds another report to a sum.
    mutating func add(_ other: ReplayReport) {
        events += other.events
        joins += other.joins
        lateJoins += other.lateJoins
        comparisons += other.comparisons
        digests += other.digests
        checks += other.checks
        snapshots.snapshots += other.snapshots.snapshots
        snapshots.parts += other.snapshots.parts
        snapshots.bytes += other.snapshots.bytes
        snapshots.longest = max(snapshots.longest, other.snapshots.longest)
        worstLag = max(worstLag, other.worstLag)
        worstDelay = max(worstDelay, other.worstDelay)
        skipped.merge(other.skipped, uniquingKeysWith: +)
        differences += other.differences
    }

    /// Milliseconds with one decimal.
    static func text(_ duration: Duration) -> String { "\((duration / .milliseconds(1) * 10).rounded() / 10) ms" }
    /// Seconds with one decimal.
    static func seconds(_ duration: Duration) -> String { "\((duration.inSeconds * 10).rounded() / 10) s" }
}
