import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("Who is let in")
struct AdmissionTests {
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
}
