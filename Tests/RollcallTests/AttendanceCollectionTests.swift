import CallState
import RollcallProtocol
import Testing

@testable import Rollcall

/// How a client puts a page together from the answers of a relay that may say anything.
struct AttendanceCollectionTests {
    private func report(_ names: [String], more: Bool = false, older: UInt8 = 1, newer: UInt8 = 2) -> AttendanceReport {
        var report = AttendanceReport()
        report.at = 500
        report.meetings = names.map { name in
            var meeting = MeetingReport()
            meeting.meeting = ByteString(name)
            return meeting
        }
        report.hasMore = more
        report.older = [older]
        report.newer = [newer]
        return report
    }

    private func people(_ meeting: String, _ range: Range<Int>, more: Bool) -> MeetingReport {
        var report = MeetingReport()
        report.meeting = ByteString(meeting)
        report.firstPerson = UInt64(range.lowerBound)
        report.people = range.map { number in
            var person = PersonReport()
            person.uid = ByteString("p\(number)")
            return person
        }
        report.hasMorePeople = more
        return report
    }

    private func collection(limit: Int = 3, newer: Bool = false, room: Int = 100_000) -> AttendanceCollection {
        var query = AttendanceQuery()
        query.isNewer = newer
        return AttendanceCollection(query, limit: limit, room: room)
    }

    private func asked(_ step: AttendanceCollection.Step) -> AttendanceQuery? {
        if case .ask(let query) = step { query } else { nil }
    }

    private func done(_ step: AttendanceCollection.Step) -> AttendancePage? {
        if case .done(let made) = step { made } else { nil }
    }

    @Test func `R-113 a page is filled by as many answers as it takes`() throws {
        var collection = collection()
        #expect(collection.first.limit == 3 && collection.first.cursor.isEmpty)
        let next = try #require(asked(collection.take(report(["c"], more: true, older: 7, newer: 9))))
        #expect(next.limit == 2 && next.cursor == [7] && !next.isNewer)
        let again = try #require(asked(collection.take(report([], more: true, older: 6, newer: 5))))
        #expect(again.limit == 2 && again.cursor == [6])
        let page = try #require(done(collection.take(report(["b"], more: false, older: 4, newer: 5))))
        #expect(page.meetings.map(\.meeting) == ["c", "b"] && !page.hasMore)
        #expect(page.older.bytes == [4] && page.newer.bytes == [9])
        #expect(page.meetings.allSatisfy { $0.countedUntil == 500 })
    }

    @Test func `R-113 towards newer meetings the newest is first all the same`() throws {
        var collection = collection(newer: true)
        let next = try #require(asked(collection.take(report(["b", "a"], more: true, older: 1, newer: 4))))
        #expect(next.limit == 1 && next.cursor == [4] && next.isNewer)
        let page = try #require(done(collection.take(report(["c"], more: true, older: 5, newer: 6))))
        #expect(page.meetings.map(\.meeting) == ["c", "b", "a"] && page.hasMore)
        #expect(page.older.bytes == [1] && page.newer.bytes == [6])
    }

    @Test func `R-114 the rest of a huge meeting is fetched before the page goes on`() throws {
        var collection = collection()
        var first = report(["c"], more: true, older: 7)
        first.meetings.append(people("huge", 0..<3, more: true))
        var rest = try #require(asked(collection.take(first)))
        #expect(rest.meeting == "huge" && rest.firstPerson == 3 && rest.limit == 1 && rest.cursor.isEmpty)
        var part = AttendanceReport()
        part.meetings = [people("huge", 3..<5, more: true)]
        rest = try #require(asked(collection.take(part)))
        #expect(rest.firstPerson == 5)
        part.meetings = [people("huge", 5..<6, more: false)]
        part.meetings[0].participants = 6
        part.at = 800
        let next = try #require(asked(collection.take(part)))
        #expect(next.cursor == [7] && next.limit == 1 && next.meeting.isEmpty)
        let page = try #require(done(collection.take(report(["a"]))))
        #expect(page.meetings.map(\.meeting) == ["c", "huge", "a"])
        #expect(page.meetings[1].participants.map(\.uid) == (0..<6).map { "p\($0)" })
        #expect(page.meetings[1].participantCount == 6 && page.meetings[1].countedUntil == 800)
    }

    @Test func `R-116 a meeting that is forgotten meanwhile is left out`() throws {
        var collection = collection()
        var first = report([])
        first.meetings = [people("huge", 0..<3, more: true)]
        _ = collection.take(first)
        let page = try #require(done(collection.take(report([]))))
        #expect(page.meetings.isEmpty)
    }

    @Test func `a relay that comes to no end is not believed`() {
        func isBroken(_ step: AttendanceCollection.Step) -> Bool { if case .broken = step { true } else { false } }
        var collection = collection()
        #expect(isBroken(collection.take(report(["a", "b", "c", "d"]))))
        collection = self.collection()
        _ = collection.take(report([], more: true, older: 7))
        #expect(isBroken(collection.take(report([], more: true, older: 7))))
        collection = self.collection()
        var empty = report([])
        empty.meetings = [people("huge", 0..<0, more: true)]
        #expect(isBroken(collection.take(empty)))
        for wrong in [people("huge", 2..<4, more: false), people("huge", 3..<3, more: true)] {
            collection = self.collection()
            empty.meetings = [people("huge", 0..<3, more: true)]
            _ = collection.take(empty)
            empty.meetings = [wrong]
            #expect(isBroken(collection.take(empty)))
        }
        collection = self.collection(room: 1_000)
        var isFull = false
        for older in 1...100 as ClosedRange<UInt8> {
            if case .tooLarge = collection.take(report([], more: true, older: older)) { isFull = true }
        }
        #expect(isFull)
    }

    @Test func `times too long for their type are cut, not trapped`() {
        var meeting = MeetingReport()
        meeting.audio = .max
        meeting.video = .max
        meeting.participants = .max
        meeting.people = [PersonReport()]
        meeting.people[0].devices = [DeviceReport()]
        let made = MeetingAttendance(meeting, at: .max)
        #expect(made.time.duration == .max && made.participantCount == .max && made.time.durationMinutes > 1e12)
        #expect(made.participants[0].leftAt == nil && !made.participants[0].devices[0].isJoined)
        #expect(AttendanceTime(audio: 90_000, video: 30_000).audioMinutes == 1.5)
        #expect(AttendanceTime(audio: 90_000, video: 30_000).videoMinutes == 0.5)
        #expect(AttendanceTime(audio: 90_000, video: 30_000).durationMinutes == 2)
    }
}
