import CallState
import Rollcall
import RollcallProtocol
import SimulationSupport
import Testing

/// Changes of a call that others may miss while they join.
private let changes: [Setting] = [
    Setting(.audioMuted(false)), Setting(.videoPaused(false)), Setting(.presenting(true)), Setting(.handRaised(true)),
    Setting(.name("Ana Maria")), Setting(.attribute(Attribute(key: "seat", value: [7]))),
]

/// Changes of the call itself.
private let callChanges: [Setting] = [
    Setting(.recording(true)), Setting(.title("plans")), Setting(.spotlight(["ana"])), Setting(.standingMute(true)),
    Setting(.callAttribute(Attribute(key: "agenda", value: [1]))), Setting(.handsEnabled(false)),
]

@Suite("B. Snapshot against live changes, in every order", .searches)
struct SnapshotOrderTests {
    @Test(
        "B1: two join at once, and each is told the same of both in every order",
        arguments: [ScriptedWorld.Looks.atOnce, .anyTime]
    )
    func twoJoinAtOnce(looks: ScriptedWorld.Looks) throws {
        var world = CallWorld(seed: 1)
        let ana = world.add(uid: "ana") { $0.audioMuted = false }
        let ben = world.add(uid: "ben") { $0.presenting = true }
        var told: Set<[String]> = []
        let orders = try ScriptedWorld(world, looks: looks, [ana: [.join], ben: [.join]]).everyOrder { end in
            for client in [ana, ben] { told.insert(Told(end.clients[client].app.events).sorted) }
        }
        #expect(orders > 1)
        #expect(told.count == 1)
    }

    @Test("B1: two join a call that somebody is in, and all three are told the same of both in every order")
    func twoJoinAtOnceBesideAnother() throws {
        var world = CallWorld.calm("ana")
        let ben = world.add(uid: "ben")
        let chloe = world.add(uid: "chloe") { $0.videoPaused = false }
        var told: Set<[String]> = []
        try ScriptedWorld(world, [ben: [.join], chloe: [.join]]).everyOrder { end in
            for client in [0, ben, chloe] { told.insert(Told(end.clients[client].app.events).sorted) }
        }
        #expect(told.count == 1)
    }

    @Test("B2: the whole state asked for anew while things change never brings an older one", arguments: changes)
    func wholeStateAnew(change: Setting) throws {
        try ScriptedWorld(CallWorld.calm("ana", "ben"), [0: [.set(change)], 1: [.resync]]).everyOrder()
    }

    @Test("B5: a change of the call during somebody's join reaches them", arguments: callChanges)
    func callChangeDuringJoin(change: Setting) throws {
        var world = CallWorld.calm("ana")
        let ben = world.add(uid: "ben")
        try ScriptedWorld(world, looks: .anyTime, [0: [.set(change)], ben: [.join]]).everyOrder()
    }

    @Test("B9: A then B gives the same callbacks as B then A")
    func eitherFirst() {
        func told(_ first: ByteString, _ second: ByteString) -> [ByteString: [String]] {
            var world = CallWorld(seed: 1)
            for uid in [first, second] {
                world.start(world.add(uid: uid))
                world.settle()
            }
            return Dictionary(
                uniqueKeysWithValues: zip([first, second], world.clients.map { Told($0.app.events).sorted })
            )
        }
        #expect(told("ana", "ben") == told("ben", "ana"))
        #expect(told("ana", "ben")["ana"] == told("ana", "ben")["ben"])
    }

    @Test("B10: a change between the taking of a snapshot and its arrival is not lost", arguments: changes)
    func changeDuringJoin(change: Setting) throws {
        var world = CallWorld.calm("ana")
        let ben = world.add(uid: "ben")
        try ScriptedWorld(world, looks: .anyTime, [0: [.set(change)], ben: [.join]]).everyOrder()
    }

    @Test("B10: who leaves between the taking of a snapshot and its arrival is gone")
    func leaveDuringJoin() throws {
        var world = CallWorld.calm("ana", "chloe")
        let ben = world.add(uid: "ben")
        try ScriptedWorld(world, looks: .anyTime, [1: [.leave], ben: [.join]]).everyOrder { end in
            #expect(end.clients[ben].core.snapshot.people.map(\.uid) == ["ana", "ben"])
        }
    }

    @Test("B12: two begin a call, and its beginning is the first that each is told")
    func beginning() throws {
        var world = CallWorld(seed: 1)
        let ana = world.add(uid: "ana")
        let ben = world.add(uid: "ben")
        try ScriptedWorld(world, looks: .anyTime, [ana: [.join], ben: [.join]]).everyOrder { end in
            for client in [ana, ben] {
                #expect(Told(end.clients[client].app.events).items.first == .meeting(true))
                #expect(end.clients[client].core.snapshot.meeting == end.clients[ana].core.snapshot.meeting)
            }
        }
    }

    @Test("B12: one leaves an otherwise empty call while another joins it")
    func endAndBeginning() throws {
        var world = CallWorld.calm("ana")
        let ben = world.add(uid: "ben")
        try ScriptedWorld(world, looks: .anyTime, [0: [.leave], ben: [.join]]).everyOrder { end in
            #expect(end.clients[ben].core.snapshot.people.map(\.uid) == ["ben"])
        }
    }

    @Test("H5: two raise their hands at once, and every app's queue is the relay's in every order")
    func twoHands() throws {
        let up = Setting(.handRaised(true))
        try ScriptedWorld(CallWorld.calm("ana", "ben"), [0: [.set(up)], 1: [.set(up)]]).everyOrder { end in
            let queues = end.clients.map { $0.core.snapshot.raisedHands.map(\.uid) }
            #expect(Set(queues).count == 1)
        }
    }
}
