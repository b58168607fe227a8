import CallState
import Rollcall
import RollcallProtocol
import SimulationSupport
import Testing

@Suite("D. Ghosts, in every order", .searches)
struct GhostOrderTests {
    @Test(
        "D8: left comes once for each joined, whatever ends it and whenever an app looks",
        arguments: zip([ScriptedWorld.Looks.atOnce, .anyTime, .atOnce], [ScriptedWorld.Act.leave, .leave, .cut])
    )
    func leftOnce(looks: ScriptedWorld.Looks, end: ScriptedWorld.Act) throws {
        var world = CallWorld(seed: 1)
        // Without a grace each lost link is a left, and each way back another joined.
        let eve = world.addPresent("eve") { $0.grace = 0 }
        let ana = world.add(uid: "ana") { $0.presenting = true }
        try ScriptedWorld(world, looks: looks, [ana: [.join, end]]).everyOrder { world in
            let told = world.told(eve)
            let isIn = world.shown(eve).person(uid: "ana") != nil
            #expect(told.joins("ana") - told.lefts("ana") == (isIn ? 1 : 0))
            #expect(isIn == (end == .cut))
            // How many there are, as an app counts that adds and subtracts.
            let counter = told.items.reduce(0) { count, item in
                switch item {
                case .joined: count + 1
                case .left: count - 1
                default: count
                }
            }
            #expect(counter == world.shown(eve).peopleCount)
        }
    }

    @Test("D8: a hand and a screen that come and go with their owner leave nothing behind in any order")
    func leftWithThings() throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve")
        let ana = world.add(uid: "ana") { $0.presenting = true }
        let script: [ScriptedWorld.Act] = [.join, .set(.handRaised(true)), .leave]
        try ScriptedWorld(world, [ana: script]).everyOrder { world in
            #expect(world.told(eve).joins("ana") == world.told(eve).lefts("ana"))
            #expect(world.shown(eve).raisedHands.isEmpty && world.shown(eve).presenters.isEmpty)
        }
    }

    @Test("D1: who never comes back is out after the grace, whenever the link went", arguments: [0, 1_000, 15_000])
    func dead(grace: UInt64) throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve") { $0.grace = grace }
        let ana = world.addMortal("ana")
        let script: [ScriptedWorld.Act] = [.join, .set(.handRaised(true)), .cut]
        try ScriptedWorld(world, [ana: script]).everyOrder { world in
            var world = world
            world.looksAtOnce = true
            world.pass(grace + 1)
            #expect(world.shown(eve).people.map(\.uid) == ["eve"])
            #expect(world.shown(eve).raisedHands.isEmpty)
            let told = world.told(eve)
            #expect(told.joins("ana") == told.lefts("ana"))
            #expect(told.faults.isEmpty)
        }
    }

    @Test("D1: a grace that is made shorter or longer while somebody is away leaves nobody in for ever")
    func changedGrace() throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve") { $0.grace = 15_000 }
        let ana = world.addMortal("ana")
        world.start(ana)
        world.settle()
        try ScriptedWorld(
            world,
            [ana: [.cut], eve: [.set(.grace(100)), .set(.grace(20_000))]]
        ).everyOrder { world in
            var world = world
            world.pass(20_001)
            #expect(world.shown(eve).people.map(\.uid) == ["eve"])
        }
    }

    @Test("D3: a program that died and starts again is one participant in every order", arguments: [true, false])
    func diedAndCameBack(isSameDevice: Bool) throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve")
        let ana = world.addMortal("ana")
        world.start(ana)
        world.settle()
        let again = world.add(uid: "ana", device: isSameDevice ? "d" : "new", instance: 5)
        try ScriptedWorld(world, looks: .anyTime, [ana: [.cut], again: [.join]]).everyOrder { world in
            #expect(world.shown(eve).people.map(\.uid) == ["eve", "ana"])
            #expect(world.told(eve).joins("ana") == 1 && world.told(eve).lefts("ana") == 0)
            var later = world
            later.looksAtOnce = true
            later.pass(15_001)
            #expect(later.shown(eve).person(uid: "ana")?.devices.map(\.deviceID) == [isSameDevice ? "d" : "new"])
            #expect(later.told(eve).lefts("ana") == 0)
        }
    }
}
