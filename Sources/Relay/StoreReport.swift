import CallState
import CallStore
import Text

/// What `--check` prints.
enum StoreReport {
    /// What is in the file, what is wrong with it, and the verdict, a line each.
    static func text(of check: StoreCheck) -> String {
        if check.isNew { return "\(check.path): empty: a relay begins a new store in it\n" }
        var lines = [
            "\(check.path): Rollcall store, version \(check.version)",
            "  last epoch \(check.lastEpoch), calls \(check.calls.count), meetings \(check.meetings), "
                + "attendance events \(check.events)",
        ]
        for call in check.calls {
            lines.append(
                "  call \(jsonQuoted(call.session.string)): position \(call.position), people \(call.people), "
                    + "devices \(call.devices), records \(call.records), tombstones \(call.tombstones), "
                    + "privates \(call.privates), bytes \(call.bytes), \(call.isClean ? "clean" : "not clean")"
            )
        }
        // Damaged text may hold anything.
        lines += check.faults.map { "  fault: \(jsonQuoted($0))" }
        let count = check.faults.count
        lines.append(check.isSound ? "sound" : "damaged: \(count) \(count == 1 ? "fault" : "faults")")
        return lines.joined(separator: "\n") + "\n"
    }
}
