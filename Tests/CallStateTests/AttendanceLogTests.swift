import CallState
import Randomness
import Testing

/// Many meetings: which are told, page by page, and which are forgotten.
@Suite struct AttendanceLogTests {
    /// Meetings of one person each: `m-0` begins at 1,000, `m-1` at 2,000 ..., each ends 500 ms later.
    private func log(_ count: Int, limits: AttendanceLog.Limits = .init()) -> AttendanceLog {
        var log = AttendanceLog(limits: limits)
        for number in 0..<count {
            begin("m-\(number)", at: UInt64(number + 1) * 1_000, in: &log)
            end("m-\(number)", at: UInt64(number + 1) * 1_000 + 500, in: &log)
        }
        return log
    }

    private func begin(
        _ meeting: String,
        at: UInt64,
        session: ByteString? = nil,
        uids: [ByteString] = ["ana"],
        in log: inout AttendanceLog
    ) {
        var changes: [AttendanceChange] = [.began(meeting: ByteString(meeting), at: at)]
        for (slot, uid) in uids.enumerated() {
            changes.append(.device(facts(Slot(slot), uid)))
            changes.append(.profile(uid: uid, name: "name", avatar: ""))
        }
        log.record(changes, of: session ?? ByteString("session of \(meeting)"), at: at)
    }

    private func facts(_ slot: Slot, _ uid: ByteString, _ device: ByteString = "d") -> AttendanceChange.DeviceFacts {
        AttendanceChange.DeviceFacts(slot: slot, uid: uid, device: device, isLinked: true, isVideoPaused: true)
    }

    private func end(_ meeting: String, at: UInt64, session: ByteString? = nil, in log: inout AttendanceLog) {
        log.record([.ended], of: session ?? ByteString("session of \(meeting)"), at: at)
    }

    private func names(
        _ log: AttendanceLog,
        _ change: (inout AttendanceQuery) -> Void = { _ in }
    ) throws -> [String] {
        var query = AttendanceQuery()
        change(&query)
        return try log.report(query, at: 1_000_000, budget: 60_000).meetings.map(\.meeting.string)
    }

    @Test("R-116: the same session id used again: a new meeting, and the earlier report stays")
    func sessionUsedAgain() throws {
        var log = AttendanceLog()
        begin("m-1", at: 1_000, session: "standup", uids: ["ana", "ben"], in: &log)
        end("m-1", at: 2_000, session: "standup", in: &log)
        begin("m-2", at: 5_000, session: "standup", in: &log)
        let report = try log.report(AttendanceQuery(), at: 9_000, budget: 60_000)
        #expect(report.meetings.map(\.meeting) == ["m-2", "m-1"] && report.at == 9_000)
        #expect(report.meetings.map(\.session) == ["standup", "standup"])
        #expect(report.meetings.map(\.endedAt) == [nil, 2_000])
        #expect(report.meetings.map(\.duration) == [4_000, 2_000])
        #expect(report.meetings[1].people.map(\.uid) == ["ana", "ben"])
        // A meeting that nobody ended is over when the next begins.
        begin("m-3", at: 10_000, session: "standup", in: &log)
        #expect(try names(log) { $0.progress = .running } == ["m-3"])
        #expect(try log.report(AttendanceQuery(), at: 11_000, budget: 60_000).meetings[1].endedAt == 10_000)
    }

    @Test("R-112: the conditions of the filter")
    func filters() throws {
        var log = log(4)
        begin("m-4", at: 5_000, session: "standup", uids: ["ben", "ana"], in: &log)
        let recording = Recording(byUID: "ben", byName: "Ben", since: 5_100)
        log.record([.recording(recording), .title("plans")], of: "standup", at: 5_100)
        #expect(try names(log) == ["m-4", "m-3", "m-2", "m-1", "m-0"])
        #expect(try names(log) { $0.session = "standup" } == ["m-4"])
        #expect(try names(log) { $0.session = "stand" } == [])
        #expect(try names(log) { $0.meeting = "m-2" } == ["m-2"])
        #expect(
            try names(log) {
                $0.meeting = "m-2"; $0.session = "standup"
            } == []
        )
        #expect(try names(log) { $0.meeting = "m-9" } == [])
        #expect(try names(log) { $0.uid = "ben" } == ["m-4"])
        #expect(try names(log) { $0.uid = "nobody" } == [])
        #expect(try names(log) { $0.progress = .running } == ["m-4"])
        #expect(try names(log) { $0.progress = .ended } == ["m-3", "m-2", "m-1", "m-0"])
        #expect(try names(log) { $0.recording = .with } == ["m-4"])
        #expect(try names(log) { $0.recording = .without } == ["m-3", "m-2", "m-1", "m-0"])
        // m-1 is from 2,000 to 2,500: over at 2,500, begun at 2,000.
        #expect(
            try names(log) {
                $0.from = 2_499; $0.to = 2_001
            } == ["m-1"]
        )
        #expect(
            try names(log) {
                $0.from = 2_500; $0.to = 3_001
            } == ["m-2"]
        )
        #expect(try names(log) { $0.to = 2_000 } == ["m-0"])
        #expect(try names(log) { $0.from = 900_000 } == ["m-4"])
        let meeting = try log.report(AttendanceQuery(), at: 6_000, budget: 60_000).meetings[0]
        #expect(meeting.title == "plans" && meeting.recordings.map(\.byName) == ["Ben"])
        #expect(meeting.recordings.map(\.from) == [5_100] && meeting.recordings[0].to == nil)
    }

    @Test("R-111: values that are not allowed are refused with a sentence")
    func refused() throws {
        let log = log(1)
        let changes: [(String, (inout AttendanceQuery) -> Void)] = [
            ("101", { $0.limit = 101 }), ("choice", { $0.progress.rawValue = 3 }),
            ("choice", { $0.recording.rawValue = 9 }), ("choice", { $0.people.rawValue = 3 }),
            ("meeting_id", { $0.firstPerson = 1 }), ("uid", { $0.people = .matching }),
            ("cursor", { $0.cursor = [1, 2] }), ("cursor", { $0.cursor = [2, 0, 0, 0, 0, 0, 0, 0, 0] }),
        ]
        for (word, change) in changes {
            #expect { try names(log, change) } throws: { error in
                if case .invalid(let text)? = error as? AttendanceQueryError { text.contains(word) } else { false }
            }
        }
        #expect(throws: AttendanceQueryError.notKept) { try names(self.log(1, limits: .init(meetings: 0))) }
        #expect(try names(log) { $0.limit = 100 } == ["m-0"])
    }

    @Test("R-113: pages lead to every meeting once, and back")
    func pages() throws {
        let log = log(95)
        #expect(try names(log).count == 30)
        var query = AttendanceQuery()
        query.limit = 20
        var found: [String] = []
        var pages: [[String]] = []
        while true {
            let report = try log.report(query, at: 0, budget: 60_000)
            pages.append(report.meetings.map(\.meeting.string))
            found += pages[pages.count - 1]
            query.cursor = report.older
            if !report.hasMore { break }
        }
        #expect(found == (0..<95).reversed().map { "m-\($0)" } && pages.map(\.count) == [20, 20, 20, 20, 15])
        let last = try log.report(query, at: 0, budget: 60_000)
        #expect(last.meetings.isEmpty && !last.hasMore)

        // Back from the last page, each page as it was.
        query.cursor = try log.report(of: "m-14").newer
        query.isNewer = true
        var back: [[String]] = []
        repeat {
            let report = try log.report(query, at: 0, budget: 60_000)
            back.append(report.meetings.map(\.meeting.string))
            query.cursor = report.newer
        } while try log.report(query, at: 0, budget: 60_000).meetings.isEmpty == false
        #expect(back == Array(pages.dropLast().reversed()))
        #expect(
            try names(log) {
                $0.isNewer = true; $0.limit = 2
            } == ["m-1", "m-0"]
        )
    }

    @Test(
        "R-113: a cursor stays right while meetings begin, end and are forgotten",
        arguments: 1...12 as ClosedRange<UInt64>
    )
    func pagesThatMove(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var log = log(60, limits: .init(meetings: 80))
        let atStart = try names(log) { $0.limit = 100 }
        var next = 60
        var running: [String] = []
        var found: [String] = []
        var query = AttendanceQuery()
        query.limit = 7
        var newest: [UInt8] = []
        while true {
            let report = try log.report(query, at: 0, budget: 60_000)
            found += report.meetings.map(\.meeting.string)
            if newest.isEmpty { newest = report.newer }
            // Pages of one direction lead back to where they came from.
            var back = query
            back.isNewer = true
            back.limit = 1
            back.cursor = report.newer
            if found.count > report.meetings.count, !report.meetings.isEmpty {
                let before = try log.report(back, at: 0, budget: 60_000).meetings.map(\.meeting.string)
                #expect(before == [found[found.count - report.meetings.count - 1]], "seed \(seed)")
            }
            query.cursor = report.older
            if !report.hasMore { break }
            for _ in 0..<random.below(4) {
                if random.oneIn(2) {
                    begin("m-\(next)", at: UInt64(next + 1) * 1_000, in: &log)
                    running.append("m-\(next)")
                    next += 1
                } else if let meeting = running.popLast() {
                    end(meeting, at: UInt64(next + 1) * 1_000, in: &log)
                }
            }
        }
        let kept = Set(try names(log) { $0.limit = 100 })
        #expect(found == found.filter(Set(atStart).contains), "seed \(seed)")
        #expect(Set(found).isSuperset(of: atStart.filter(kept.contains)) && Set(found).count == found.count)
        // What began since is newer than the first page.
        query.cursor = newest
        query.isNewer = true
        query.limit = 100
        let since = try log.report(query, at: 0, budget: 60_000).meetings.map(\.meeting.string)
        #expect(since == (60..<next).reversed().map { "m-\($0)" }.filter(kept.contains), "seed \(seed)")
    }

    @Test("R-113: an empty log, and a cursor of an earlier run of the relay")
    func strangeCursors() throws {
        var log = AttendanceLog()
        let empty = try log.report(AttendanceQuery(), at: 5, budget: 60_000)
        #expect(empty.meetings.isEmpty && !empty.hasMore)
        begin("m-0", at: 1_000, in: &log)
        #expect(
            try names(log) {
                $0.cursor = empty.newer; $0.isNewer = true
            } == ["m-0"]
        )
        let cursor = try log.report(AttendanceQuery(), at: 0, budget: 60_000).newer
        var later = AttendanceLog()
        begin("m-1", at: 9_000, in: &later)
        #expect(
            try names(later) {
                $0.cursor = cursor; $0.isNewer = true
            } == ["m-1"]
        )
        #expect(try names(later) { $0.cursor = cursor } == [])
        let highest = [1] + [UInt8](repeating: 255, count: 8)
        #expect(try names(later) { $0.cursor = highest } == ["m-1"])
        #expect(
            try names(later) {
                $0.cursor = highest; $0.isNewer = true
            } == []
        )
    }

    @Test("R-113: one answer looks at so many meetings and no more, and leads on")
    func scan() throws {
        var log = AttendanceLog(limits: .init(meetings: 10_000))
        begin("first", at: 1, uids: ["rare"], in: &log)
        for number in 0..<9_000 { begin("m-\(number)", at: UInt64(number + 10), in: &log) }
        var query = AttendanceQuery()
        query.uid = "rare"
        var answers = 0
        while true {
            let report = try log.report(query, at: 0, budget: 60_000)
            answers += 1
            if !report.meetings.isEmpty || !report.hasMore { break }
            query.cursor = report.older
        }
        #expect(answers == 3)
    }

    @Test("R-114: a meeting of thousands comes in parts, and each person once")
    func parts() throws {
        var log = log(1)
        let uids = (0..<5_000).map { ByteString("somebody-\($0)") }
        begin("huge", at: 9_000, uids: uids, in: &log)
        begin("small", at: 10_000, in: &log)
        let list = try log.report(AttendanceQuery(), at: 19_000, budget: 20_000)
        #expect(list.meetings.map(\.meeting) == ["small", "huge"] && list.hasMore)
        let huge = list.meetings[1]
        #expect(huge.hasMorePeople && huge.participants == 5_000 && huge.duration == 50_000_000)
        #expect(list.meetings.reduce(0) { $0 + $1.weight } <= 20_000)
        var query = AttendanceQuery()
        query.cursor = list.older
        #expect(try log.report(query, at: 0, budget: 20_000).meetings.map(\.meeting) == ["m-0"])
        // Nobody's place moves: what came first goes on.
        var found = huge.people.map(\.uid)
        query = AttendanceQuery()
        query.meeting = "huge"
        while true {
            query.firstPerson = UInt64(found.count)
            let meeting = try #require(try log.report(query, at: 19_000, budget: 20_000).meetings.first)
            #expect(meeting.weight <= 20_000 && meeting.firstPerson == UInt64(found.count) && !meeting.people.isEmpty)
            found += meeting.people.map(\.uid)
            if !meeting.hasMorePeople { break }
        }
        #expect(found == uids)
        query.firstPerson = 9_999_999
        #expect(try log.report(query, at: 0, budget: 20_000).meetings[0].people.isEmpty)
        // The rows of one, or of nobody.
        #expect(try log.meeting("huge") { $0.people = .none }.people.isEmpty)
        let one = try log.meeting("huge") {
            $0.people = .matching; $0.uid = "somebody-77"
        }
        #expect(one.people.map(\.uid) == ["somebody-77"] && !one.hasMorePeople && one.participants == 5_000)
        // However little room there is, a meeting and a person come.
        let least = try log.report(AttendanceQuery(), at: 0, budget: 1)
        #expect(least.meetings.map(\.people.count) == [1])
    }

    @Test("R-116: the meeting that ended first is forgotten first, a running one never")
    func forgetting() throws {
        var log = AttendanceLog(limits: .init(meetings: 3))
        begin("old", at: 1, in: &log)
        begin("a", at: 2, in: &log)
        begin("b", at: 3, in: &log)
        end("b", at: 4, in: &log)
        end("a", at: 5, in: &log)
        begin("c", at: 6, in: &log)
        #expect(try names(log) == ["c", "a", "old"])
        begin("d", at: 7, in: &log)
        begin("e", at: 8, in: &log)
        #expect(try names(log) == ["e", "d", "c", "old"] && log.meetingCount == 4)
        end("old", at: 9, in: &log)
        #expect(try names(log) == ["e", "d", "c"])
        #expect(try names(log) { $0.meeting = "old" } == [] && log.rowCount == 3)
        for number in 0..<500 {
            begin("x-\(number)", at: 10, in: &log)
            end("x-\(number)", at: 11, in: &log)
        }
        #expect(log.meetingCount == 3 && log.rowCount == 3)
    }

    @Test("R-116: rows are bounded: ended meetings give theirs up, then devices are only counted")
    func rows() throws {
        var log = AttendanceLog(limits: .init(meetings: 10, rows: 4))
        begin("a", at: 1, uids: ["u1", "u2", "u3"], in: &log)
        end("a", at: 2, in: &log)
        begin("b", at: 3, uids: ["u1", "u2"], in: &log)
        #expect(try names(log) == ["b"] && log.rowCount == 2)
        let more = (2..<7).map { AttendanceChange.device(facts(Slot($0), ByteString("v\($0)"))) }
        log.record(more, of: "session of b", at: 4)
        let meeting = try log.meeting("b")
        #expect(meeting.people.map(\.uid) == ["u1", "u2", "v2", "v3"] && meeting.devicesNotKept == 3)
        #expect(log.rowCount == 4)
        // Who has a row goes on; who has none does no harm.
        log.record([.left(0), .left(6), .device(facts(0, "u1"))], of: "session of b", at: 5)
        #expect(try log.meeting("b").people[0].devices[0].intervals.count == 2)
        end("b", at: 6, in: &log)
        begin("c", at: 7, in: &log)
        #expect(try names(log) == ["c"] && log.rowCount == 1)
    }
}

extension AttendanceLog {
    /// The answer with one meeting.
    fileprivate func report(of meeting: ByteString) throws -> AttendanceReport {
        var query = AttendanceQuery()
        query.meeting = meeting
        return try report(query, at: 0, budget: 60_000)
    }

    /// The one meeting.
    fileprivate func meeting(
        _ meeting: ByteString,
        _ change: (inout AttendanceQuery) -> Void = { _ in }
    ) throws -> MeetingReport {
        var query = AttendanceQuery()
        query.meeting = meeting
        change(&query)
        return try #require(try report(query, at: 0, budget: 60_000).meetings.first)
    }
}
