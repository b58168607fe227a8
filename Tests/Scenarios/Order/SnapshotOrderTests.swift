import CallState
import RollcallProtocol
import SimulationSupport
import Testing

@Suite("B. Snapshot against live changes, in every order")
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
}
