import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("Joining")
struct JoinTests {
    @Test("R-21 R-80: Joins together give a person no more attributes than it may have")
    func attributesOfJoins() {
        func attributes(_ range: Range<Int>) -> [Attribute] {
            range.map { Attribute(key: ByteString("key \($0)"), value: [1]) }
        }
        var world = World()
        let laptop = world.join("ana", "laptop") { $0.attributes = attributes(0..<20) }
        // With those that it has already there are 32: as many as may be.
        let phone = world.join("ana", "phone") { $0.attributes = attributes(10..<32) }
        #expect(world.joined(phone).outcome == .new)
        let tablet = world.join("ana", "tablet") { $0.attributes = attributes(31..<33) }
        #expect(world.closed(tablet) == .limit)
        let takeover = world.join("ana", "phone", instance: "instance-b") { $0.attributes = attributes(40..<41) }
        #expect(world.closed(takeover) == .limit)
        #expect(world.closed(phone) == nil)
        #expect(world.state(laptop).people.first?.attributes.count == 32)
        world.expectEqual([laptop, phone])
    }

    @Test("R-18 R-19 R-91: the first Join begins the meeting in one commit and its copy is complete at J")
    func firstJoin() throws {
        var world = World()
        let ana = world.join("ana") { $0.name = "Ana" }
        let joined = world.joined(ana)
        #expect(joined.outcome == .new)
        #expect(joined.follows == .snapshot)
        #expect(joined.position == Position(epoch: 100, seq: 1))
        #expect(world.replica(ana).position == joined.position)
        #expect(world.replica(ana).snapshots.map(\.reason) == [.join])
        #expect(joined.secret.count == 16)
        let person = try #require(world.person("ana", as: ana))
        #expect(person.slot == joined.person)
        #expect(person.devices.map(\.slot) == [joined.device])
        #expect(person.name == "Ana")
        let call = world.state(ana).call
        #expect(call.meetingID?.count == 16)
        #expect(call.startedAt == world.now.wall)
        #expect(world.state(ana).policy.grace == 15_000)
        #expect(world.state(ana).policy.idle == 300_000)
        #expect(world.claims == ["standup"])
        world.expectHealthy()
    }

    @Test("R-91: grace and idle period come from the first participant, and from no later one")
    func policyOfTheFirst() {
        var world = World()
        let ana = world.join("ana") {
            $0.grace = 7_000
            $0.idle = 0
        }
        _ = world.join("ben") {
            $0.grace = 9_000
            $0.idle = 9_000
        }
        #expect(world.state(ana).policy.grace == 7_000)
        #expect(world.state(ana).policy.idle == 0)
    }

    @Test("R-19: who joins late has everything at once")
    func lateJoin() throws {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        world.set(ana, Setting(.presenting(true)))
        world.set(ben, Setting(.handRaised(true)), Setting(.audioMuted(true)))
        let chloe = world.join("chloe")
        #expect(world.person("ana", as: chloe)?.devices[0].isPresenting == true)
        #expect(world.person("ben", as: chloe)?.hand != nil)
        #expect(world.device("ben", as: chloe)?.isAudioMuted == true)
        #expect(world.joined(chloe).position == world.replica(chloe).position)
        world.expectEqual([ana, ben, chloe])
    }

    @Test("R-20: absent facts are muted, paused and not presenting")
    func absentFacts() {
        var world = World()
        let ana = world.join("ana") {
            $0.audioMuted = nil
            $0.videoPaused = nil
        }
        let device = world.device("ana", as: ana)
        #expect(device?.isAudioMuted == true)
        #expect(device?.isVideoPaused == true)
        #expect(device?.isPresenting == false)
        #expect(device?.clientName == "test")
    }

    @Test("R-20 R-83: what a standing policy or one-presenter forbids is corrected")
    func correctedFacts() {
        var world = World()
        let ana = world.join("ana") { $0.presenting = true }
        world.set(ana, Setting(.standingMute(true)), Setting(.standingCameraOff(true)), Setting(.presenters(.one)))
        let ben = world.join("ben") { $0.presenting = true }
        #expect(world.joined(ben).outcome == .new)
        let device = world.device("ben", as: ana)
        #expect(device?.isAudioMuted == true)
        #expect(device?.isVideoPaused == true)
        #expect(device?.isPresenting == false)
        #expect(world.device("ana", as: ana)?.isPresenting == true)
        world.expectEqual([ana, ben])
    }

    @Test("R-21 R-22: devices of a uid coexist, and a second one does not change what the person has")
    func secondDevice() {
        var world = World()
        let laptop = world.join("ana") {
            $0.name = "Ana"
            $0.attributes = [Attribute(key: "lang", value: [1])]
        }
        let phone = world.join("ana", "phone") {
            $0.name = "Other"
            $0.avatar = "https://a"
            $0.role = .moderator
            $0.attributes = [Attribute(key: "lang", value: [2]), Attribute(key: "pet", value: [3])]
        }
        let person = world.person("ana", as: laptop)
        #expect(person?.devices.map(\.id) == ["laptop", "phone"])
        #expect(person?.name == "Ana")
        #expect(person?.avatar == "https://a")
        #expect(person?.role == .moderator)
        #expect(person?.attributes.map(\.value) == [[1], [3]])
        #expect(world.state(phone).peopleCount == 1)
        world.expectEqual([laptop, phone])
    }

    @Test("R-22: a person has a limited number of devices")
    func deviceLimit() {
        var configuration = RelayConfiguration()
        configuration.maximumDevicesPerPerson = 2
        var world = World(configuration)
        _ = world.join("ana", "one")
        _ = world.join("ana", "two")
        let third = world.join("ana", "three")
        #expect(world.closed(third) == .limit)
        #expect(world.replica(third).closed?.text == "ana is in this call with 2 devices, which is the limit")
    }

    @Test("R-25: an observer sees all, is in no record and may not change anything")
    func observer() {
        var world = World()
        let ana = world.join("ana")
        let seq = world.state(ana).position.seq
        let observer = world.observe()
        #expect(world.joined(observer).person == 0)
        #expect(world.joined(observer).device == 0)
        #expect(world.joined(observer).rights == [])
        #expect(world.joined(observer).secret.isEmpty)
        #expect(world.state(ana).position.seq == seq)
        #expect(world.state(observer).digest == world.state(ana).digest)
        let ack = world.set(observer, Setting(.title("x")))
        #expect(ack?.code == .denied)
        #expect(ack?.text == "an observer may not send commands: it observes without the right to act for others")
        let named = world.observe(uid: "eve")
        #expect(world.set(named, Setting(.title("x")))?.text.hasPrefix("eve may not send commands") == true)
        world.set(ana, Setting(.title("x")))
        world.expectEqual([ana, observer, named])
    }

    @Test("R-26: rights on an open relay, and the admin right of trusted peers and of an open admin")
    func rights() {
        var world = World()
        let guest10 = world.join("ana")
        #expect(world.joined(guest10).rights == [.participate, .moderate])
        let guest11 = world.join("ben", trusted: true)
        #expect(world.joined(guest11).rights == [.participate, .moderate, .admin])
        let guest12 = world.observe(trusted: true)
        #expect(world.joined(guest12).rights == [.moderate, .actForOthers, .admin])
        var configuration = RelayConfiguration()
        configuration.isAdminOpen = true
        var open = World(configuration)
        let guest13 = open.observe()
        #expect(open.joined(guest13).rights == [.moderate, .actForOthers, .admin])
    }

    @Test("R-10 R-12: Join and what is sent right after it wait for the store, in order of arrival")
    func waitsForTheStore() {
        var world = World()
        world.nextEpoch = nil
        let ana = world.join("ana")
        world.send(ana, .command(Command(op: 1, settings: [Setting(.handRaised(true))])))
        world.send(ana, .pong(Pong(position: .zero, time: 1)))
        let observer = world.observe()
        let ben = world.join("ben")
        let gone = world.join("gone")
        world.cut(gone)
        #expect(world.claims == ["standup"])
        #expect(world.replica(ana).joined == nil)
        world.apply(.store(.claimed(session: "standup", .init(epoch: 7))))
        world.turn()
        #expect(world.joined(ana).position == Position(epoch: 7, seq: 1))
        #expect(world.joined(ben).position.epoch == 7)
        #expect(world.person("ana", as: ben)?.hand != nil)
        #expect(world.person("gone", as: ben) == nil)
        world.expectEqual([ana, observer, ben])
        // A late answer of the store changes nothing.
        world.apply(.store(.claimed(session: "standup", .init(epoch: 9))))
        world.apply(.store(.claimed(session: "nobody", .init(epoch: 9))))
        world.turn()
        #expect(world.state(ben).position.epoch == 7)
    }

    @Test("R-12: commands sent right after Join are done after it")
    func pipelined() {
        var world = World()
        world.nextEpoch = nil
        let ana = world.join("ana")
        world.send(ana, .command(Command(op: 1, settings: [Setting(.handRaised(true))])))
        world.turn()
        #expect(world.replica(ana).acks.isEmpty)
        world.apply(.store(.claimed(session: "standup", .init(epoch: 7))))
        world.turn()
        #expect(world.replica(ana).acks.map(\.code) == [.ok])
        #expect(world.person("ana", as: ana)?.hand != nil)
        world.expectHealthy()
    }

    @Test("Frames that wait for the store are limited")
    func tooManyWaiting() {
        var world = World()
        world.nextEpoch = nil
        let ana = world.join("ana")
        for op in 1...64 { world.send(ana, .command(Command(op: UInt64(op), settings: [Setting(.handRaised(true))]))) }
        world.turn()
        #expect(world.closed(ana) == .limit)
        world.apply(.store(.claimed(session: "standup", .init(epoch: 7))))
        world.turn()
        #expect(world.releases == ["standup"])
    }

    @Test("R-38: an epoch that the call has had begins no meeting")
    func staleEpoch() {
        var world = World()
        let ana = world.join("ana")
        let observer = world.observe()
        world.send(ana, .leave(.left))
        world.turn()
        world.nextEpoch = 100
        let ben = world.join("ben")
        #expect(world.closed(ben) == .store)
        #expect(world.replica(ben).closed?.advice == .after)
        #expect(world.state(observer).peopleCount == 0)
        world.nextEpoch = 101
        let guest14 = world.join("ben")
        #expect(world.joined(guest14).position.epoch == 101)
    }
}
