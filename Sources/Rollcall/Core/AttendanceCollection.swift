package import CallState

/// What several answers of a relay give together: a page of meetings, each with its people.
///
/// A relay is not trusted to come to an end: every answer must bring the page on, and all of it has a limit.
package struct AttendanceCollection {
    private var query: AttendanceQuery
    private let limit: Int
    /// Bytes that may still come.
    private var room: Int
    private var page = AttendancePage(
        meetings: [],
        older: AttendanceCursor(bytes: []),
        newer: AttendanceCursor(bytes: []),
        hasMore: true
    )
    /// The meetings of the last answer that are not taken in yet, in the direction of the query.
    private var waiting: [MeetingReport] = []
    private var at: UInt64 = 0

    /// What an answer leads to.
    package enum Step {
        /// Ask this next.
        case ask(AttendanceQuery)
        /// All is there.
        case done(AttendancePage)
        /// The relay breaks the protocol.
        case broken(String)
        /// More than there is room for.
        case tooLarge
    }

    /// A page of up to `limit` meetings, in at most `room` bytes.
    package init(_ query: AttendanceQuery, limit: Int, room: Int) {
        self.query = query
        self.query.limit = UInt32(clamping: limit)
        self.limit = limit
        self.room = room
    }

    /// What to ask first.
    package var first: AttendanceQuery { query }

    /// Takes the answer to what was asked last.
    package mutating func take(_ report: AttendanceReport) -> Step {
        room -= report.meetings.reduce(64) { $0 + $1.weight }
        guard room >= 0 else { return .tooLarge }
        if let open = waiting.first { return takePeople(of: open, report) }

        guard report.meetings.count <= limit - page.meetings.count else {
            return .broken("it answers with more meetings than were asked for")
        }
        let cursor = query.isNewer ? report.newer : report.older
        guard !report.hasMore || cursor != query.cursor else {
            return .broken("it promises more meetings and does not come to them")
        }
        if page.older.bytes.isEmpty || !query.isNewer { page.older = AttendanceCursor(bytes: report.older) }
        if page.newer.bytes.isEmpty || query.isNewer { page.newer = AttendanceCursor(bytes: report.newer) }
        page.hasMore = report.hasMore
        query.cursor = cursor
        at = report.at
        waiting = query.isNewer ? report.meetings.reversed() : report.meetings
        return goOn()
    }

    /// Takes more people of the meeting that was not whole; one that the relay has forgotten meanwhile is left out.
    private mutating func takePeople(of open: MeetingReport, _ report: AttendanceReport) -> Step {
        guard let more = report.meetings.first, more.meeting == open.meeting else {
            waiting.removeFirst()
            return goOn()
        }
        guard more.firstPerson == UInt64(open.people.count), !more.people.isEmpty || !more.hasMorePeople else {
            return .broken("it answers with other people of a meeting than were asked for")
        }
        var people = waiting[0].people
        waiting[0] = more
        people += more.people
        waiting[0].people = people
        waiting[0].firstPerson = 0
        at = report.at
        return goOn()
    }

    /// Moves whole meetings to the page, up to one that is not.
    private mutating func goOn() -> Step {
        while let meeting = waiting.first {
            if meeting.hasMorePeople {
                guard !meeting.people.isEmpty else { return .broken("it answers with a meeting without its people") }
                // By its id alone: it may have ended meanwhile, and is asked for all the same.
                var rest = AttendanceQuery()
                rest.meeting = meeting.meeting
                rest.limit = 1
                rest.people = query.people
                rest.uid = query.uid
                rest.firstPerson = UInt64(meeting.people.count)
                return .ask(rest)
            }
            waiting.removeFirst()
            let made = MeetingAttendance(meeting, at: at)
            if query.isNewer { page.meetings.insert(made, at: 0) } else { page.meetings.append(made) }
        }
        guard page.hasMore, page.meetings.count < limit else { return .done(page) }
        query.limit = UInt32(clamping: limit - page.meetings.count)
        return .ask(query)
    }
}
