import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("Joining")
struct JoinTests {
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
}
