import CallState
import Rollcall
import RollcallProtocol
import SimulationSupport
import Testing

@Suite("F. Derived state that outlives its owner, in every order", .searches)
struct DerivedOrderTests {
    @Test(
        "F1, F3: hand and screen are down before their owner is gone, whenever an app looks",
        arguments: zip([ScriptedWorld.Looks.atOnce, .anyTime, .atOnce], [ScriptedWorld.Act.leave, .leave, .cut])
    )
    func handAndScreen(looks: ScriptedWorld.Looks, end: ScriptedWorld.Act) throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve") { $0.grace = 0 }
        let ana = world.addPresent("ana")
        world.command(ana, [Setting(.handRaised(true)), Setting(.presenting(true))])
        world.settle()
        // That she leaves with hand or screen is a fault which is looked for in every order.
        try ScriptedWorld(world, looks: looks, [ana: [end], eve: [.set(.handRaised(true))]]).everyOrder { world in
            guard end == .leave else { return }
            #expect(world.shown(eve).raisedHands.map(\.uid) == ["eve"])
            #expect(world.shown(eve).presenters.isEmpty && world.told(eve).lefts("ana") == 1)
        }
    }

    @Test("F8: a spotlight that meets a leave points at nobody who is gone, in every order")
    func spotlight() throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve")
        let ana = world.addPresent("ana")
        let orders = try ScriptedWorld(
            world,
            looks: .anyTime,
            [ana: [.leave], eve: [.set(.spotlight(["ana", "eve"]))]]
        ).everyOrder { world in
            #expect(world.shown(eve).confirmed.call.spotlight.count == world.shown(eve).spotlight.count)
            #expect(!world.shown(eve).spotlight.contains { $0.uid == "ana" })
        }
        #expect(orders > 1)
    }

    @Test("F6: where one may present, one does at the end of every order, and the last start is the one")
    func onePresenter() throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve")
        world.command(eve, [Setting(.presenters(.one))])
        world.settle()
        let ana = world.addPresent("ana")
        let ben = world.addPresent("ben")
        var last: Set<String> = []
        try ScriptedWorld(
            world,
            [ana: [.set(.presenting(true))], ben: [.set(.presenting(true))]]
        ).everyOrder { world, order in
            let presenter = expectOnePresenter(world)
            // The relay commits what reaches it as it comes, and each of the two sends one frame.
            let commits = order.compactMap { if case .toRelay(let link) = $0 { link.client } else { nil } }
            #expect(commits.sorted() == [ana, ben])
            #expect(presenter == (commits.last == ana ? "ana" : "ben"))
            if let presenter { last.insert(presenter) }
        }
        #expect(last == ["ana", "ben"])
    }

    @Test("F6: who comes with a share stops nobody's, and a policy that comes late leaves one")
    func latePolicy() throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve")
        let ana = world.addPresent("ana")
        world.command(ana, [Setting(.presenting(true))])
        world.settle()
        let ben = world.add(uid: "ben") { $0.presenting = true }
        try ScriptedWorld(
            world,
            [ben: [.join], eve: [.set(.presenters(.one))]]
        ).everyOrder { world in expectOnePresenter(world) }
    }

    /// Holds that one person presents, the same for everybody who is in; the uid.
    @discardableResult
    private func expectOnePresenter(_ world: CallWorld) -> String? {
        let presenters = world.clients.indices.map { world.shown($0).presenters.map(\.uid) }
        #expect(presenters.allSatisfy { $0.count == 1 && $0 == presenters[0] }, "\(presenters)")
        return presenters.first?.first
    }

    @Test("F10: a recording outlives its starter in every order, for who was there and for who comes")
    func recording() throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve")
        let ana = world.addPresent("ana")
        try ScriptedWorld(world, looks: .anyTime, [ana: [.set(.recording(true)), .leave]])
            .everyOrder { world in
                #expect(world.shown(eve).recording?.uid == "ana")
                var world = world
                let ben = world.addPresent("ben")
                #expect(world.shown(ben).recording == world.shown(eve).recording)
            }
    }
}
