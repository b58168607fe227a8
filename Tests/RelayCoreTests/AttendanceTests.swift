import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Call logs")
struct AttendanceTests {
    private func ask(
        _ world: inout World,
        _ client: Int,
        request: UInt64 = 9,
        _ change: (inout AttendanceQuery) -> Void = { _ in }
    ) -> AttendanceReport? {
        var query = AttendanceQuery()
        change(&query)
        world.send(client, .attendance(request: request, query))
        world.turn()
        guard case .attendance(request, let report)? = world.replica(client).frames.last else { return nil }
        return report
    }

    private func error(_ world: World, _ client: Int) -> (code: Code, text: String, request: UInt64)? {
        guard case .error(let refusal, let request)? = world.replica(client).frames.last else { return nil }
        return (refusal.code, refusal.text, request)
    }

    @Test("R-111: everybody may ask, with a Join or without; running and ended meetings are told")
    func asking() throws {
        var world = World()
        let ana = world.join("ana") { $0.name = "Ana" }
        world.set(ana, Setting(.title("plans")), Setting(.recording(true)), Setting(.avatar("https://a")))
        let began = world.now.wall
        world.advance(60_000)
        world.set(ana, Setting(.videoPaused(true)), Setting(.recording(false)))
        world.advance(30_000)
        let stranger = world.greet()
        let report = try #require(ask(&world, stranger))
        #expect(report.at == world.now.wall && !report.hasMore)
        let meeting = try #require(report.meetings.first)
        #expect(meeting.session == "standup" && meeting.meeting == world.state(ana).call.meetingID)
        #expect(meeting.title == "plans" && meeting.startedAt == began && meeting.endedAt == nil)
        #expect(meeting.participants == 1 && meeting.devices == 1 && meeting.duration == 90_000)
        #expect(meeting.video == 60_000 && meeting.audio == 30_000)
        #expect(meeting.recordings.map(\.byName) == ["Ana"] && meeting.recordings.map(\.to) == [began + 60_000])
        let person = try #require(meeting.people.first)
        #expect(person.uid == "ana" && person.name == "Ana" && person.avatar == "https://a" && person.leftAt == nil)
        #expect(person.devices.map(\.device) == ["laptop"] && person.devices[0].isPresent)
        #expect(person.devices[0].intervals == [PresenceReport(from: began)])
        // Somebody who attends may ask as well.
        #expect(ask(&world, ana)?.meetings.first?.people.map(\.uid) == ["ana"])
        world.send(ana, .leave(.left))
        world.turn()
        let ended = try #require(ask(&world, stranger)?.meetings.first)
        #expect(ended.endedAt == world.now.wall && ended.people[0].leftAt == world.now.wall)
        #expect(world.releases == ["standup"])
        world.expectHealthy()
    }

    @Test("R-15 R-111: what can't be answered is refused, and the connection stays")
    func refused() {
        var world = World()
        let client = world.greet()
        #expect(ask(&world, client, request: 3) { $0.limit = 101 } == nil)
        #expect(error(world, client)?.code == .badRequest && error(world, client)?.request == 3)
        #expect(ask(&world, client, request: 4) { $0.cursor = [7] } == nil)
        #expect(error(world, client)?.code == .badRequest && error(world, client)?.text.contains("cursor") == true)
        #expect(ask(&world, client) { $0.firstPerson = 1 } == nil)
        #expect(ask(&world, client)?.meetings == [])
        var configuration = RelayConfiguration()
        configuration.attendance.meetings = 0
        var without = World(configuration)
        let ana = without.join("ana")
        #expect(ask(&without, ana, request: 5) == nil)
        #expect(error(without, ana)?.code == .unsupported && error(without, ana)?.request == 5)
        #expect(without.closed(ana) == nil && without.state(ana).peopleCount == 1)
    }

    @Test("R-111: answers that wait are counted")
    func overload() {
        var configuration = RelayConfiguration()
        configuration.maximumUnsentAnswers = 4
        var world = World(configuration)
        let client = world.greet()
        world.turn()
        world.links[client].capacity = 0
        for request in 1...4 as ClosedRange<UInt64> {
            world.send(client, .attendance(request: request, AttendanceQuery()))
        }
        #expect(!world.links[client].isRead || world.effects.contains(.pauseReading(world.links[client].id)))
    }

    @Test("R-111: an answer that had to look at many meetings counts for several")
    func costlyQuestions() throws {
        var configuration = RelayConfiguration()
        configuration.attendance.meetings = 5_000
        var world = World(configuration)
        let client = world.greet()
        for number in 0..<4_096 {
            world.core.attendanceLog.record(
                [.began(meeting: ByteString("m-\(number)"), at: 1), .ended],
                of: ByteString("s-\(number)"),
                at: UInt64(number)
            )
        }
        // Nothing matches, and each answer is short; 16 for the looks and 1 for itself.
        var query = AttendanceQuery()
        query.uid = "nobody"
        for request in 1...6 as ClosedRange<UInt64> { world.send(client, .attendance(request: request, query)) }
        world.turn()
        let answers = world.replica(client).frames.compactMap { frame -> Code? in
            switch frame {
            case .attendance: .ok
            case .error(let refusal, _): refusal.code
            default: nil
            }
        }
        #expect(answers == [.ok, .ok, .ok, .ok, .overload, .overload])
        #expect(world.closed(client) == nil)
        // Once they are read, the next is answered.
        #expect(ask(&world, client) { $0.uid = "nobody" }?.meetings == [])
    }

    @Test("H1 R-29 R-115: a quick reconnect is one row of one person, and no time counts twice")
    func quickReconnect() throws {
        var scene = ResumeScene()
        let began = scene.world.now.wall
        scene.world.advance(10_000)
        scene.world.cut(scene.ana)
        scene.world.advance(2_000)
        let lost = try #require(ask(&scene.world, scene.ben)?.meetings.first?.people.first)
        #expect(lost.uid == "ana" && lost.duration == 10_000 && lost.leftAt == nil && lost.devices[0].isPresent)
        #expect(lost.devices[0].intervals == [PresenceReport(from: began, to: began + 10_000)])
        let back = scene.comeBack()
        scene.world.advance(8_000)
        let meeting = try #require(ask(&scene.world, scene.ben)?.meetings.first)
        #expect(meeting.people.map(\.uid) == ["ana", "ben"] && meeting.participants == 2 && meeting.devices == 2)
        #expect(meeting.people[0].duration == 20_000 && meeting.people[0].video == 20_000)
        #expect(meeting.people[0].devices.map(\.intervals) == [[PresenceReport(from: began)]])
        #expect(meeting.duration == 40_000)

        // Lost for good: the interval ends where the link was lost, not with the grace.
        scene.world.cut(back)
        let end = scene.world.now.wall
        scene.world.advance(60_000)
        let gone = try #require(ask(&scene.world, scene.ben)?.meetings.first?.people.first)
        #expect(gone.leftAt == end && gone.duration == 20_000 && !gone.devices[0].isPresent)
    }

    @Test("H1 R-22 R-115: two devices at once are two rows and count once")
    func twoDevices() throws {
        var world = World()
        let laptop = world.join("ana", "laptop")
        world.advance(10_000)
        let phone = world.join("ana", "phone") { $0.videoPaused = true }
        world.advance(10_000)
        world.send(laptop, .leave(.left))
        world.advance(10_000)
        let ana = try #require(ask(&world, phone)?.meetings.first?.people.first)
        #expect(ana.devices.map(\.device) == ["laptop", "phone"])
        #expect(ana.duration == 30_000 && ana.video == 20_000 && ana.audio == 10_000)
        #expect(
            ana.devices.map { $0.audio + $0.video } == [20_000, 20_000]
                && ana.devices.map(\.isPresent) == [false, true]
        )
    }

    @Test("R-32 R-115: a takeover goes on with the row")
    func takeover() throws {
        var world = World()
        let first = world.join("ana", instance: "instance-1")
        let ben = world.join("ben")
        world.advance(5_000)
        let second = world.join("ana", instance: "instance-2")
        #expect(world.joined(second).outcome == .replaced && world.closed(first) == .replaced)
        world.advance(5_000)
        let ana = try #require(ask(&world, ben)?.meetings.first?.people.first)
        #expect(ana.devices.count == 1 && ana.devices[0].intervals.count == 1 && ana.duration == 10_000)
    }

    @Test("H3 R-91 R-116: the same session id used again has a new meeting, and the earlier report stays")
    func usedAgain() throws {
        var world = World()
        let ana = world.join("ana")
        let first = world.state(ana).call.meetingID
        world.advance(1_000)
        world.send(ana, .leave(.left))
        world.advance(100_000)
        let ben = world.join("ben")
        world.advance(2_000)
        let meetings = try #require(ask(&world, ben) { $0.session = "standup" }).meetings
        #expect(meetings.map(\.meeting) == [world.state(ben).call.meetingID, first] && meetings[0].meeting != first)
        #expect(meetings.map { $0.people.map(\.uid) } == [["ben"], ["ana"]])
        #expect(meetings.map(\.duration) == [2_000, 1_000])
    }

    @Test("R-90 R-94 R-115: devices of a bot, and a meeting that idles out")
    func botsAndIdle() throws {
        var scene = ActingTests.Scene()
        scene.world.advance(3_000)
        scene.world.cut(scene.bot)
        scene.world.advance(1_000)
        _ = scene.botResumes()
        scene.world.advance(6_000)
        let stranger = scene.world.greet()
        let people = try #require(ask(&scene.world, stranger)?.meetings.first).people
        #expect(people.map(\.uid) == ["ana", "uwe", "vera"] && people.map(\.name) == ["", "Uwe", ""])
        #expect(people.map(\.duration) == [10_000, 10_000, 10_000])

        var world = World()
        _ = world.join("ana") { $0.idle = 30_000 }
        world.advance(40_000)
        let client = world.greet()
        let meeting = try #require(ask(&world, client)?.meetings.first)
        #expect(meeting.endedAt == meeting.startedAt + 30_000 && meeting.duration == 30_000)
    }

    @Test("R-114: a meeting of thousands leaves the relay in frames of at most 64 KiB")
    func huge() throws {
        var world = World()
        let bot = world.observe(trusted: true, uid: "bridge")
        for group in 0..<48 {
            let settings = (0..<64).map { index -> Setting in
                var facts = BringIn()
                facts.name = ByteString(String(repeating: "n", count: 200))
                facts.avatar = ByteString(String(repeating: "a", count: 500))
                return Setting(target: Target(uid: ByteString("p-\(group * 64 + index)"), device: "d"), .bringIn(facts))
            }
            world.send(bot, .command(Command(op: UInt64(group + 1), settings: settings)))
            world.turn()
        }
        let client = world.greet()
        world.turn()
        world.links[client].pieces = []
        var found: [ByteString] = []
        var meeting = ByteString.empty
        repeat {
            let report = ask(&world, client) { query in
                query.meeting = meeting
                query.firstPerson = UInt64(found.count)
            }
            let log = try #require(report?.meetings.first)
            meeting = log.meeting
            #expect(log.participants == 3_072 && log.firstPerson == UInt64(found.count))
            found += log.people.map(\.uid)
            if !log.hasMorePeople { break }
        } while true
        #expect(found == (0..<3_072).map { ByteString("p-\($0)") })
        #expect(world.links[client].pieces.allSatisfy { $0 <= 64 * 1024 } && world.links[client].pieces.count > 40)
    }
}
