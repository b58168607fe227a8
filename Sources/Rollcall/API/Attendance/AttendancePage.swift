/// Some meetings, the newest first, and where to go on.
public struct AttendancePage: Hashable, Sendable {
    /// The meetings, the newest first, each with all the people that were asked for.
    public var meetings: [MeetingAttendance]
    /// Where to go on towards older meetings.
    public var older: AttendanceCursor
    /// Where to go on towards newer ones, such as those that begin later.
    public var newer: AttendanceCursor
    /// Whether there are more in the direction that was asked for.
    public var hasMore: Bool
}

/// The pages of call logs, one after the other.
///
/// ```swift
/// var pages = client.attendancePages(AttendanceFilter(session: "standup"))
/// while let page = try await pages.next() { show(page.meetings) }
/// ```
public struct AttendancePages: Sendable {
    /// Which meetings.
    public let filter: AttendanceFilter
    /// Meetings of a page.
    public let limit: Int
    /// Whose rows come with a meeting.
    public let people: AttendancePeople
    private let client: RollcallClient
    private var current: AttendancePage?

    init(_ client: RollcallClient, _ filter: AttendanceFilter, limit: Int, people: AttendancePeople) {
        self.client = client
        self.filter = filter
        self.limit = limit
        self.people = people
    }

    /// The first page, and then the page of older meetings after the last one; nil when there is none.
    public mutating func next() async throws(RollcallError) -> AttendancePage? {
        try await move(to: current.map { .older(than: $0.older) } ?? .newest)
    }

    /// The page of newer meetings before the last one, or of those that have begun since; nil when there is none.
    public mutating func previous() async throws(RollcallError) -> AttendancePage? {
        try await move(to: current.map { .newer(than: $0.newer) } ?? .newest)
    }

    private mutating func move(to place: AttendancePlace) async throws(RollcallError) -> AttendancePage? {
        let page = try await client.attendance(filter, limit: limit, at: place, people: people)
        if page.meetings.isEmpty { return nil }
        current = page
        return page
    }
}

extension RollcallClient {
    /// Call logs: which meetings there were, who was in them, and when; one page of them.
    ///
    /// - Parameters:
    ///   - filter: Which meetings; all unless given.
    ///   - limit: Meetings of the page, 1..100.
    ///   - place: Where the page begins.
    ///   - people: Whose rows come with a meeting. A huge meeting takes several answers of the relay; what is still
    ///     running may go on between them.
    /// - Throws: ``RollcallError/Code/invalidArgument`` for values that can't be asked for,
    ///   ``RollcallError/Code/unsupported`` by a relay that keeps no attendance, and
    ///   ``RollcallError/Code/limit`` for more rows than ``ClientOptions/maximumSnapshot`` has room for.
    public func attendance(
        _ filter: AttendanceFilter = AttendanceFilter(),
        limit: Int = 30,
        at place: AttendancePlace = .newest,
        people: AttendancePeople = .everybody
    ) async throws(RollcallError) -> AttendancePage {
        try await RelayQuery(self, "read call logs").attendance(filter, limit: limit, at: place, people: people)
    }

    /// The pages of call logs, from the newest meeting on.
    ///
    /// Nothing is asked for until the first page is.
    public func attendancePages(
        _ filter: AttendanceFilter = AttendanceFilter(),
        limit: Int = 30,
        people: AttendancePeople = .everybody
    ) -> AttendancePages {
        AttendancePages(self, filter, limit: limit, people: people)
    }
}
