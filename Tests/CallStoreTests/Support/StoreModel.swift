import CallState

@testable import CallStore

/// What a store should have: the plain meaning of what was kept.
struct StoreModel: Equatable {
    /// A change of attendance and its call.
    struct Change: Hashable {
        var session: ByteString
        var change: TimedAttendanceChange
    }

    var calls: [ByteString: KeptCall] = [:]
    var attendance: [Change] = []
    /// Calls whose meeting runs.
    private var running: Set<ByteString> = []

    mutating func keep(_ batch: CallBatch) {
        calls[batch.session, default: KeptCall()].apply(batch)
        for change in batch.attendance {
            if case .began = change.change { running.insert(batch.session) }
            // What comes and goes within one commit has no meeting, as in call logs.
            guard running.contains(batch.session) else { continue }
            attendance.append(Change(session: batch.session, change: change))
            if case .ended = change.change { running.remove(batch.session) }
        }
    }

    mutating func release(_ session: ByteString) {
        if calls[session]?.header.isOccupied == false { calls[session] = nil }
    }

    /// What a database has.
    init(_ database: Database) throws {
        let tables = try CallTables(database)
        for (session, entry) in try tables.entries() { calls[session] = try tables.read(session, entry) }
        try AttendanceRows(database).replay { change, meeting in
            attendance.append(Change(session: meeting.session, change: change))
            if meeting.endedAt == nil { running.insert(meeting.session) }
        }
    }

    init() {}

    /// Where two differ, for people; nil when they do not.
    static func difference(_ one: StoreModel, _ other: StoreModel) -> String? {
        for session in Set(one.calls.keys).union(other.calls.keys).sorted()
        where one.calls[session] != other.calls[session] {
            let (left, right) = (one.calls[session], other.calls[session])
            guard let left, let right else { return "\(session): \(left == nil ? "missing" : "too much")" }
            if left.header != right.header { return "\(session): \(left.header) is not \(right.header)" }
            if left.records != right.records { return "\(session): records" }
            return "\(session): privates"
        }
        if one.attendance != other.attendance {
            return "attendance: \(one.attendance.count) and \(other.attendance.count) changes"
        }
        return nil
    }
}
