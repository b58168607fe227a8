import CallState

/// The rows of attendance: the tables `meetings` and `attendance_events`.
///
/// What a batch tells is kept as it is told, so that replaying it gives the attendance that the relay had. The meeting
/// that ended first is forgotten first when there is too much; what running meetings need beyond that is not kept.
final class AttendanceTables {
    /// How much is kept; lengths of stays are exact however it is set.
    struct Totals: Hashable {
        var meetings = 0
        /// Stays of devices: each time that one came.
        var stays = 0
        var events = 0
    }

    /// The row of a meeting.
    struct Meeting {
        var number: Int64
        var session: ByteString
        var mid: ByteString
        var title = ByteString.empty
        var startedAt: UInt64
        var endedAt: UInt64?
        /// The event that it ended with, for the order of the ends.
        var endedBy: Int64?
        var stays = 0
        var events = 0
        var leftOut = 0
    }

    let limits: AttendanceLog.Limits
    /// Put back by the owner when a transaction fails.
    var totals = Totals()

    private let findRunning: Statement
    private let addMeeting: Statement
    private let changeMeeting: Statement
    private let firstEnded: Statement
    private let deleteMeeting: Statement
    private let deleteEvents: Statement
    private let addEvent: Statement
    private let findSlot: Statement
    let rows: AttendanceRows

    static let meetingColumns = """
        meeting, session, mid, title, started_at, ended_at, ended_by, stays, events, left_out, sum
        """

    /// Stays for each row of a device that the limits allow: devices come and go.
    static let staysPerRow = 4
    /// Events for each row of a device that the limits allow.
    static let eventsPerRow = 16

    /// Throws when the tables are not there or can't be read.
    init(_ database: Database, limits: AttendanceLog.Limits) throws(SQLiteError) {
        self.limits = limits
        let columns = Self.meetingColumns
        findRunning = try database.prepare(
            "SELECT \(columns) FROM meetings WHERE session = ?1 AND ended_at IS NULL ORDER BY meeting DESC LIMIT 1"
        )
        addMeeting = try database.prepare(
            """
            INSERT INTO meetings (session, mid, started_at, stays, events, left_out, sum)
            VALUES (?1, ?2, ?3, 0, 0, 0, 0) RETURNING meeting
            """
        )
        changeMeeting = try database.prepare(
            """
            UPDATE meetings SET
                title = ?2, ended_at = ?3, ended_by = ?4, stays = ?5, events = ?6, left_out = ?7, sum = ?8
            WHERE meeting = ?1
            """
        )
        firstEnded = try database.prepare(
            "SELECT \(columns) FROM meetings WHERE ended_at IS NOT NULL ORDER BY ended_by LIMIT 1"
        )
        deleteMeeting = try database.prepare("DELETE FROM meetings WHERE meeting = ?1")
        deleteEvents = try database.prepare("DELETE FROM attendance_events WHERE meeting = ?1")
        addEvent = try database.prepare(
            """
            INSERT INTO attendance_events
                (meeting, at, kind, slot, uid, device, linked, video_paused, name, avatar, since, sum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) RETURNING event
            """
        )
        findSlot = try database.prepare(
            "SELECT 1 FROM attendance_events WHERE meeting = ?1 AND slot = ?2 LIMIT 1"
        )
        rows = try AttendanceRows(database)
        totals = try rows.totals()
    }

    /// Takes in what a batch tells about a call, in order.
    func record(_ changes: ArraySlice<TimedAttendanceChange>, of session: ByteString) throws(SQLiteError) {
        guard limits.meetings > 0, !changes.isEmpty else { return }
        var running = try self.running(session)
        for change in changes { try record(change, of: session, &running) }
        if let running { try write(running) }
        while isOverfull, try forgetOne() {}
    }

    /// Whether there is more than may be.
    private var isOverfull: Bool { totals.meetings > limits.meetings || isFullOfRows }

    private var isFullOfRows: Bool {
        totals.stays > limits.rows * Self.staysPerRow || totals.events > limits.rows * Self.eventsPerRow
    }

    private func record(
        _ change: TimedAttendanceChange,
        of session: ByteString,
        _ running: inout Meeting?
    ) throws(SQLiteError) {
        if case .began(let mid, let startedAt) = change.change {
            // Told twice: it is running already.
            if running?.mid == mid { return }
            let before = running
            var meeting = try begin(mid, of: session, at: startedAt)
            let event = try add(change, to: &meeting)
            if var before {
                // Nobody has ended it, and it is over.
                before.endedAt = startedAt
                before.endedBy = event
                try write(before)
            }
            running = meeting
            return
        }
        guard var meeting = running else { return }
        running = nil
        guard try keeps(change.change, &meeting) else {
            running = meeting
            return
        }
        let event = try add(change, to: &meeting)
        switch change.change {
        case .title(let title): meeting.title = title
        case .ended:
            meeting.endedAt = change.at
            meeting.endedBy = event
            try write(meeting)
            return
        default: break
        }
        running = meeting
    }

    /// Whether there is room for a change; counts a stay.
    private func keeps(_ change: AttendanceChange, _ meeting: inout Meeting) throws(SQLiteError) -> Bool {
        switch change {
        case .device(let facts):
            let isNew = try !has(facts.slot, in: meeting)
            while isFullOfRows {
                guard try forgetOne() else {
                    meeting.leftOut += 1
                    return false
                }
            }
            if isNew {
                meeting.stays += 1
                totals.stays += 1
            }
            return true
        case .left(let slot):
            // Of somebody whose coming was left out.
            if meeting.leftOut == 0 { return true }
            return try has(slot, in: meeting)
        case .profile, .title, .recording:
            guard isFullOfRows else { return true }
            meeting.leftOut += 1
            return false
        case .began, .ended: return true
        }
    }

    private func has(_ slot: Slot, in meeting: Meeting) throws(SQLiteError) -> Bool {
        try findSlot.query(.integer(meeting.number), .number(slot))
        defer { findSlot.reset() }
        return try findSlot.step()
    }

    // MARK: Meetings

    private func running(_ session: ByteString) throws(SQLiteError) -> Meeting? {
        try findRunning.query(.text(session))
        guard try findRunning.step() else { return nil }
        defer { findRunning.reset() }
        return try AttendanceRows.meeting(in: findRunning)
    }

    private func begin(_ mid: ByteString, of session: ByteString, at: UInt64) throws(SQLiteError) -> Meeting {
        try addMeeting.query(.text(session), .text(mid), .number(at))
        guard try addMeeting.step() else { throw .damaged("a meeting has no number") }
        let number = addMeeting.integer(0)
        while try addMeeting.step() {}
        totals.meetings += 1
        return Meeting(number: number, session: session, mid: mid, startedAt: at)
    }

    private func write(_ meeting: Meeting) throws(SQLiteError) {
        try changeMeeting.run(
            .integer(meeting.number),
            .word(meeting.title),
            .number(meeting.endedAt),
            meeting.endedBy.map { .integer($0) } ?? .null,
            .number(meeting.stays),
            .number(meeting.events),
            .number(meeting.leftOut),
            .integer(AttendanceRows.sum(meeting))
        )
    }

    /// Forgets the meeting that ended first; false when none has ended.
    private func forgetOne() throws(SQLiteError) -> Bool {
        try firstEnded.query()
        guard try firstEnded.step() else { return false }
        let meeting = try AttendanceRows.meeting(in: firstEnded)
        firstEnded.reset()
        try deleteEvents.run(.integer(meeting.number))
        try deleteMeeting.run(.integer(meeting.number))
        totals.meetings -= 1
        totals.stays -= meeting.stays
        totals.events -= meeting.events
        return true
    }

    // MARK: Events

    /// Writes an event and gives its number.
    private func add(_ change: TimedAttendanceChange, to meeting: inout Meeting) throws(SQLiteError) -> Int64 {
        let row = AttendanceRows.Row(change)
        try addEvent.query(
            .integer(meeting.number),
            .number(row.at),
            .text(row.kind),
            .number(row.slot.map { UInt64($0) }),
            .word(row.uid),
            .word(row.device),
            row.isLinked.map { .flag($0) } ?? .null,
            row.isVideoPaused.map { .flag($0) } ?? .null,
            .word(row.name),
            .word(row.avatar),
            .number(row.since),
            .integer(row.sum(of: meeting.number))
        )
        guard try addEvent.step() else { throw .damaged("an event has no number") }
        let event = addEvent.integer(0)
        while try addEvent.step() {}
        meeting.events += 1
        totals.events += 1
        return event
    }
}
