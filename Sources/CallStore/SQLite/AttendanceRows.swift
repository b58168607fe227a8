import CallState

/// Reads the rows of attendance back.
final class AttendanceRows {
    /// An event as its columns have it.
    struct Row {
        var at: UInt64
        var kind: ByteString
        var slot: Slot?
        var uid = ByteString.empty
        var device = ByteString.empty
        var isLinked: Bool?
        var isVideoPaused: Bool?
        var name = ByteString.empty
        var avatar = ByteString.empty
        var since: UInt64?
    }

    private let readTotals: Statement
    private let readMeetings: Statement
    private let readEvents: Statement

    /// Throws when the tables are not there.
    init(_ database: Database) throws(SQLiteError) {
        readTotals = try database.prepare(
            "SELECT count(*), coalesce(sum(stays), 0), coalesce(sum(events), 0) FROM meetings"
        )
        readMeetings = try database.prepare("SELECT \(AttendanceTables.meetingColumns) FROM meetings ORDER BY meeting")
        readEvents = try database.prepare(
            """
            SELECT meeting, at, kind, slot, uid, device, linked, video_paused, name, avatar, since, sum, event
            FROM attendance_events ORDER BY event
            """
        )
    }

    /// How much there is.
    func totals() throws(SQLiteError) -> AttendanceTables.Totals {
        try readTotals.query()
        guard try readTotals.step() else { return .init() }
        defer { readTotals.reset() }
        return .init(
            meetings: Int(readTotals.integer(0)),
            stays: Int(readTotals.integer(1)),
            events: Int(readTotals.integer(2))
        )
    }

    /// All meetings by their numbers.
    func meetings() throws(SQLiteError) -> [Int64: AttendanceTables.Meeting] {
        try readMeetings.query()
        var meetings: [Int64: AttendanceTables.Meeting] = [:]
        while try readMeetings.step() {
            let meeting = try Self.meeting(in: readMeetings)
            meetings[meeting.number] = meeting
        }
        return meetings
    }

    /// Gives every change to `body`, in the order in which they came.
    func replay(
        _ body: (_ change: TimedAttendanceChange, _ meeting: AttendanceTables.Meeting) -> Void
    ) throws(SQLiteError) {
        let meetings = try meetings()
        try readEvents.query()
        while try readEvents.step() {
            let event = readEvents.integer(12)
            guard let meeting = meetings[readEvents.integer(0)] else {
                throw .damaged("attendance event \(event) belongs to no meeting")
            }
            let row = try row(event)
            guard readEvents.integer(11) == row.sum(of: meeting.number) else {
                throw .damaged("the checksum of attendance event \(event) is wrong")
            }
            guard let change = row.change(of: meeting) else {
                throw .damaged("attendance event \(event) has no meaning")
            }
            body(TimedAttendanceChange(at: row.at, change), meeting)
        }
    }

    /// The row of events that the statement stands on.
    private func row(_ event: Int64) throws(SQLiteError) -> Row {
        var row = Row(at: readEvents.number(1), kind: readEvents.text(2))
        if !readEvents.isNull(3) {
            guard let slot = Slot(exactly: readEvents.integer(3)) else {
                throw .damaged("attendance event \(event): \(readEvents.integer(3)) is no slot")
            }
            row.slot = slot
        }
        row.uid = readEvents.text(4)
        row.device = readEvents.text(5)
        row.isLinked = readEvents.isNull(6) ? nil : readEvents.integer(6) != 0
        row.isVideoPaused = readEvents.isNull(7) ? nil : readEvents.integer(7) != 0
        row.name = readEvents.text(8)
        row.avatar = readEvents.text(9)
        row.since = readEvents.isNull(10) ? nil : readEvents.number(10)
        return row
    }

    /// The row of meetings that a statement stands on.
    static func meeting(in row: Statement) throws(SQLiteError) -> AttendanceTables.Meeting {
        let meeting = AttendanceTables.Meeting(
            number: row.integer(0),
            session: row.text(1),
            mid: row.text(2),
            title: row.text(3),
            startedAt: row.number(4),
            endedAt: row.isNull(5) ? nil : row.number(5),
            endedBy: row.isNull(6) ? nil : row.integer(6),
            stays: Int(clamping: row.integer(7)),
            events: Int(clamping: row.integer(8)),
            leftOut: Int(clamping: row.integer(9))
        )
        guard row.integer(10) == sum(meeting) else {
            throw .damaged("the checksum of meeting \(meeting.number) is wrong")
        }
        return meeting
    }

    /// The checksum of a row of meetings.
    static func sum(_ meeting: AttendanceTables.Meeting) -> Int64 {
        var sum = RowSum()
        sum.add(UInt64(bitPattern: meeting.number))
        sum.add(meeting.session)
        sum.add(meeting.mid)
        sum.add(meeting.title)
        sum.add(meeting.startedAt)
        sum.add(meeting.endedAt)
        sum.add(meeting.endedBy.map { UInt64(bitPattern: $0) })
        sum.add(UInt64(clamping: meeting.stays))
        sum.add(UInt64(clamping: meeting.events))
        sum.add(UInt64(clamping: meeting.leftOut))
        return sum.column
    }
}

extension AttendanceRows.Row {
    /// The columns of a change.
    init(_ change: TimedAttendanceChange) {
        self.init(at: change.at, kind: .empty)
        switch change.change {
        case .began(_, let startedAt):
            kind = "began"
            since = startedAt
        case .device(let facts):
            kind = "device"
            slot = facts.slot
            uid = facts.uid
            device = facts.device
            isLinked = facts.isLinked
            isVideoPaused = facts.isVideoPaused
        case .left(let slot):
            kind = "left"
            self.slot = slot
        case .profile(let uid, let name, let avatar):
            kind = "profile"
            self.uid = uid
            self.name = name
            self.avatar = avatar
        case .title(let title):
            kind = "title"
            name = title
        case .recording(let recording?):
            kind = "recording"
            uid = recording.byUID
            name = recording.byName
            since = recording.since
        case .recording(nil): kind = "stopped"
        case .ended: kind = "ended"
        }
    }

    /// The change; nil when a column is missing or the kind is not known.
    func change(of meeting: AttendanceTables.Meeting) -> AttendanceChange? {
        switch kind {
        case "began": return .began(meeting: meeting.mid, at: meeting.startedAt)
        case "device":
            guard let slot, let isLinked, let isVideoPaused else { return nil }
            return .device(
                .init(slot: slot, uid: uid, device: device, isLinked: isLinked, isVideoPaused: isVideoPaused)
            )
        case "left": return slot.map { .left($0) }
        case "profile": return .profile(uid: uid, name: name, avatar: avatar)
        case "title": return .title(name)
        case "recording":
            guard let since else { return nil }
            return .recording(Recording(byUID: uid, byName: name, since: since))
        case "stopped": return .recording(nil)
        case "ended": return .ended
        default: return nil
        }
    }

    /// The checksum of the row.
    func sum(of meeting: Int64) -> Int64 {
        var sum = RowSum()
        sum.add(UInt64(bitPattern: meeting))
        sum.add(at)
        sum.add(kind)
        sum.add(slot.map { UInt64($0) })
        sum.add(uid)
        sum.add(device)
        sum.add(isLinked.map { $0 ? 1 : 0 as UInt64 })
        sum.add(isVideoPaused.map { $0 ? 1 : 0 as UInt64 })
        sum.add(name)
        sum.add(avatar)
        sum.add(since)
        return sum.column
    }
}
