import CallState
import Rollcall
import RollcallProtocol
import SimulationSupport
import Testing

@Suite("C. Reconnect, in every order", .searches)
struct ReconnectOrderTests {
    @Test(
        "C1: who leaves while another is away is gone for them when they are back",
        arguments: [ScriptedWorld.Looks.atOnce, .anyTime]
    )
    func leaveWhileAway(looks: ScriptedWorld.Looks) throws {
        try ScriptedWorld(CallWorld.calm("ana", "ben"), looks: looks, [0: [.cut], 1: [.leave]]).everyOrder { end in
            #expect(end.clients[0].core.snapshot.people.map(\.uid) == ["ana"])
            #expect(Told(end.clients[0].app.events).items.filter { $0 == .left("ben") }.count == 1)
        }
    }

    @Test("C1: who joins while another is away is there for them when they are back")
    func joinWhileAway() throws {
        var world = CallWorld.calm("ana", "ben")
        let chloe = world.add(uid: "chloe")
        try ScriptedWorld(world, [0: [.cut], chloe: [.join]]).everyOrder { end in
            #expect(Told(end.clients[0].app.events).items.filter { $0 == .joined("chloe") }.count == 1)
        }
    }

    @Test(
        "C4: a change while another is away is the same for both in the end",
        arguments: [
            Setting(.handRaised(true)), Setting(.audioMuted(false)), Setting(.videoPaused(false)),
            Setting(.presenting(true)), Setting(.recording(true)),
            Setting(target: Target(uid: "ana"), .audioLocked(true)),
            Setting(target: Target(uid: "ana"), .handRaised(false)),
        ]
    )
    func changeWhileAway(change: Setting) throws {
        try ScriptedWorld(CallWorld.calm("ana", "ben"), [0: [.cut], 1: [.set(change)]]).everyOrder()
    }

    @Test(
        "C5: what is asked for around a cut is in force in the end, once",
        arguments: [
            Setting(.handRaised(true)), Setting(.audioMuted(false)), Setting(.videoPaused(false)),
            Setting(.presenting(true)), Setting(.title("plans")),
        ]
    )
    func askedAroundCut(change: Setting) throws {
        for script: [ScriptedWorld.Act] in [[.set(change), .cut], [.cut, .set(change)]] {
            try ScriptedWorld(CallWorld.calm("ana", "ben"), [0: script]).everyOrder { end in
                let me = end.clients[1].core.snapshot.person(uid: "ana")
                switch change.change {
                case .handRaised: #expect(me?.hand == 1)
                case .audioMuted: #expect(me?.audio == .on)
                case .videoPaused: #expect(me?.video == .on)
                case .presenting: #expect(me?.isPresenting == true)
                default: #expect(end.clients[1].core.snapshot.title == "plans")
                }
                for result in end.clients[0].results.values { #expect(throws: Never.self) { try result.get() } }
            }
        }
    }

    @Test("C9: the retry of a join whose first connection is still on its way takes over, in every order")
    func retriedJoin() throws {
        var world = CallWorld.calm("ana", "ben")
        // The same device of the same program joins twice; the second is the later attempt.
        let first = world.add(uid: "chloe")
        let second = world.add(uid: "chloe")
        try ScriptedWorld(world, [first: [.join], second: [.join]]).everyOrder { end in
            #expect(end.clients[0].core.snapshot.people.map(\.uid) == ["ana", "ben", "chloe"])
            #expect(Told(end.clients[0].app.events).items.filter { $0 == .joined("chloe") }.count == 1)
            #expect(!Told(end.clients[0].app.events).items.contains(.left("chloe")))
            #expect(end.clients[first].closeReason != nil)
            #expect(end.clients[second].closeReason == nil)
        }
    }

    @Test(
        "C10: after flaps in any order everybody is there once",
        arguments: [[0: [.cut, .cut]], [0: [.cut], 1: [.cut]]] as [[Int: [ScriptedWorld.Act]]]
    )
    func flaps(scripts: [Int: [ScriptedWorld.Act]]) throws {
        try ScriptedWorld(CallWorld.calm("ana", "ben"), scripts).everyOrder { end in
            for client in [0, 1] {
                #expect(end.clients[client].core.snapshot.people.map(\.uid) == ["ana", "ben"])
                #expect(
                    !Told(end.clients[client].app.events).items.contains { if case .left = $0 { true } else { false } }
                )
            }
        }
    }

    @Test("C16: a difference that is lost is found by its number, and made good")
    func lostDifference() throws {
        let script: [Int: [ScriptedWorld.Act]] = [
            0: [.lose], 1: [.set(Setting(.handRaised(true))), .set(Setting(.audioMuted(false)))],
        ]
        var losses = 0
        try ScriptedWorld(CallWorld.calm("ana", "ben"), script).everyOrder { end in losses += end.clients[0].resyncs }
        #expect(losses > 0)
    }
}
