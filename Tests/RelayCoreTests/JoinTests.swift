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

    @Test("R-23: a locked call keeps out new uids, not further devices, resumes, takeovers and observers")
    func lockedCall() {
        var world = World()
        let ana = world.join("ana")
        world.set(ana, Setting(.callLocked(true)))
        let ben = world.join("ben")
        #expect(world.closed(ben) == .locked)
        #expect(world.replica(ben).closed?.advice == .never)
        let phone = world.join("ana", "phone")
        #expect(world.joined(phone).outcome == .new)
        let observer = world.observe()
        #expect(world.joined(observer).outcome == .observer)
        let again = world.join("ana")
        #expect(world.joined(again).outcome == .replaced)
        let resume = world.replica(again).resume()
        world.cut(again)
        let back = world.join("ana", instance: "instance-\(again)") {
            $0.attempt = 2
            $0.resume = resume
        }
        #expect(world.joined(back).outcome == .resumed)
    }

    @Test("R-24 R-85: a removed uid stays out until it is let in again or the meeting ends")
    func removedPerson() {
        var world = World()
        let ana = world.join("ana")
        let ben = world.join("ben")
        let phone = world.join("ben", "phone")
        let seq = world.state(ana).position.seq
        #expect(world.set(ana, Setting(target: Target(uid: "ben"), .removed(true)))?.code == .ok)
        #expect(world.state(ana).position.seq == seq + 1)
        #expect(world.closed(ben) == .removed)
        #expect(world.closed(phone) == .removed)
        #expect(world.person("ben", as: ana) == nil)
        #expect(world.log.contains(.left(session: "standup", uid: "ben", device: "phone", reason: .removed)))
        let guest1 = world.join("ben")
        #expect(world.closed(guest1) == .removed)
        // Removing who is removed, and letting in who is in, change nothing.
        #expect(world.set(ana, Setting(target: Target(uid: "ben"), .removed(true)))?.code == .ok)
        #expect(world.set(ana, Setting(target: Target(uid: "ben"), .removed(false)))?.code == .ok)
        let guest2 = world.join("ben", "tablet")
        #expect(world.joined(guest2).outcome == .new)
        // The end of the meeting forgets it.
        world.set(ana, Setting(target: Target(uid: "ben"), .removed(true)))
        world.send(ana, .leave(.left))
        world.turn()
        let guest3 = world.join("ben")
        #expect(world.joined(guest3).outcome == .new)
    }

    @Test("R-85: a meeting keeps out no more uids than it may have people")
    func removalsAreBounded() {
        var configuration = RelayConfiguration()
        configuration.limits.people = 2
        var world = World(configuration)
        let ana = world.join("ana")
        func remove(_ uid: String, _ removes: Bool = true) -> Code? {
            world.set(ana, Setting(target: Target(uid: ByteString(uid)), .removed(removes)))?.code
        }
        for uid in ["ben", "cem"] {
            let guest = world.join(uid)
            #expect(remove(uid) == .ok)
            #expect(world.closed(guest) == .removed)
        }
        let dan = world.join("dan")
        #expect(remove("dan") == .full)
        #expect(world.closed(dan) == nil)
        #expect(world.person("dan", as: ana) != nil)
        // Who is let in again makes room.
        #expect(remove("ben", false) == .ok)
        #expect(remove("dan") == .ok)
        #expect(world.closed(dan) == .removed)
    }

    @Test("R-16 R-109: wrong values in a Join are refused and name the field", arguments: wrongJoins)
    func wrongLengths(field: String, join: Join) {
        var world = World()
        let client = world.greet()
        world.send(client, .join(join))
        world.turn()
        #expect(world.closed(client) == .badRequest)
        #expect(world.replica(client).closed?.text.contains("Join.\(field)") == true)
        #expect(world.claims.isEmpty)
        #expect(world.links[client].isClosed)
    }

    static let wrongJoins: [(String, Join)] = {
        func join(_ change: (inout Join) -> Void) -> Join {
            var join = Join(session: "s", uid: "u", device: "d")
            change(&join)
            return join
        }
        func bytes(_ count: Int) -> ByteString { ByteString(Array(repeating: 97, count: count)) }
        return [
            ("session_id", join { $0.session = .empty }), ("session_id", join { $0.session = bytes(129) }),
            ("uid", join { $0.uid = .empty }), ("uid", join { $0.uid = bytes(129) }),
            ("device", join { $0.device = .empty }), ("device", join { $0.device = bytes(65) }),
            ("name", join { $0.name = bytes(257) }), ("avatar", join { $0.avatar = bytes(2_049) }),
            ("attributes", join { $0.attributes = (0..<33).map { Attribute(key: bytes($0 + 1), value: []) } }),
            ("attributes.key", join { $0.attributes = [Attribute(key: .empty, value: [])] }),
            (
                "attributes.value",
                join { $0.attributes = [Attribute(key: "k", value: Array(repeating: 0, count: 1_025))] }
            ),
            ("grace_ms", join { $0.grace = 120_001 }), ("idle_ms", join { $0.idle = 1 << 53 }),
            ("view", join { $0.view = 1 }),
        ]
    }()

    @Test("R-16 R-17: identities are bytes; an observer may leave them empty")
    func identities() {
        var world = World()
        let composed = world.join("\u{E9}")
        _ = world.join("e\u{301}")
        #expect(world.state(composed).peopleCount == 2)
        let guest4 = world.observe()
        #expect(world.joined(guest4).outcome == .observer)
        let open = world.join("zoe") { $0.token = "ignored" }
        #expect(world.person("zoe", as: open)?.uid == "zoe")
    }

    @Test("The people of a call, its observers and the relay's calls and connections are limited")
    func limits() {
        var configuration = RelayConfiguration()
        configuration.limits.people = 2
        configuration.maximumObservers = 1
        configuration.maximumCalls = 1
        configuration.maximumConnections = 7
        var world = World(configuration)
        _ = world.join("ana")
        _ = world.join("ben")
        let guest5 = world.join("chloe")
        #expect(world.closed(guest5) == .limit)
        _ = world.observe()
        let guest6 = world.observe()
        #expect(world.closed(guest6) == .limit)
        let guest7 = world.join("ana", session: "other")
        #expect(world.closed(guest7) == .limit)
        // The refused ones are closed, so three connections are left of seven.
        for _ in 0..<4 {
            let guest8 = world.greet()
            #expect(world.closed(guest8) == nil)
        }
        let excess = world.open()
        world.turn()
        #expect(world.closed(excess) == .overload)
        #expect(world.replica(excess).closed?.advice == .after)
        #expect(world.links[excess].isClosed)
        world.cut(0)
        let guest9 = world.greet()
        #expect(world.closed(guest9) == nil)
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
