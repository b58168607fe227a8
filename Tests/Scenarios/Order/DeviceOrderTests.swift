import CallState
import Rollcall
import RollcallProtocol
import SimulationSupport
import Testing

@Suite("E. One person, several devices, in every order", .searches)
struct DeviceOrderTests {
    /// A device of ana with her hand up, which is in, the same device from another program, and eve who watches.
    private struct Takeover {
        var world = CallWorld(seed: 1)
        let eve: Int
        let old: Int
        let new: Int

        init(grace: UInt64 = 15_000, isSameProgram: Bool = false) {
            eve = world.addPresent("eve") { $0.grace = grace }
            old = world.addPresent("ana")
            world.command(old, [Setting(.handRaised(true))])
            world.settle()
            new = world.add(uid: "ana", instance: isSameProgram ? 3 : 5) { $0.audioMuted = false }
        }
    }

    @Test(
        "E5: the same device joins again: one takeover, and nobody hears of a left",
        arguments: zip([ScriptedWorld.Looks.atOnce, .anyTime], [true, false])
    )
    func takeover(looks: ScriptedWorld.Looks, isSameProgram: Bool) throws {
        let stage = Takeover(isSameProgram: isSameProgram)
        let orders = try ScriptedWorld(
            stage.world,
            looks: looks,
            [stage.new: [.join], stage.old: [.cut]]
        ).everyOrder { world in
            let told = world.told(stage.eve)
            #expect(told.joins("ana") == 1 && told.lefts("ana") == 0)
            let ana = world.shown(stage.eve).person(uid: "ana")
            #expect(ana?.devices.count == 1 && ana?.isReconnecting == false)
            #expect(ana?.hand == 1)
            #expect(ana?.audio == .on)
        }
        #expect(orders > 1)
    }

    @Test("E5: who is taken over in the middle of a command sees it done or refused, never half")
    func takeoverMeetsCommands() throws {
        let stage = Takeover()
        try ScriptedWorld(stage.world, [stage.new: [.join], stage.old: [.set(.handRaised(false))]])
            .everyOrder { world in
                let told = world.told(stage.eve)
                #expect(told.joins("ana") == 1 && told.lefts("ana") == 0)
                #expect(world.endCode(stage.old) == .replaced)
                #expect(world.clients[stage.new].closeReason == nil)
            }
    }

    @Test(
        "E7: the new connection counts, whether it comes before or after the end of the old one",
        arguments: zip([15_000, 15_000] as [UInt64], [false, true])
    )
    func newBeforeOld(grace: UInt64, isSameProgram: Bool) throws {
        let stage = Takeover(grace: grace, isSameProgram: isSameProgram)
        try ScriptedWorld(stage.world, [stage.new: [.join], stage.old: [.cut]]).everyOrder { world in
            #expect(world.clients[stage.new].closeReason == nil)
            #expect(world.shown(stage.new).me?.isReconnecting == false)
            #expect(world.shown(stage.eve).people.filter { $0.uid == "ana" }.count == 1)
            // Nor does any timer of the old one take the new one out.
            var later = world
            later.looksAtOnce = true
            later.pass(40_000)
            #expect(later.shown(stage.eve).person(uid: "ana")?.isReconnecting == false)
        }
    }

    @Test(
        "E7: a link that breaks and is made again leaves its device in, in every order",
        arguments: [0, 15_000] as [UInt64]
    )
    func flaps(grace: UInt64) throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve") { $0.grace = grace }
        let ana = world.addPresent("ana")
        try ScriptedWorld(world, [ana: [.cut]]).everyOrder { world in
            #expect(world.clients[ana].closeReason == nil)
            #expect(world.shown(eve).person(uid: "ana")?.isReconnecting == false)
            var later = world
            later.looksAtOnce = true
            later.pass(40_000)
            #expect(later.shown(eve).people.map(\.uid).sorted() == ["ana", "eve"])
            if grace > 0 { #expect(later.told(eve).lefts("ana") == 0) }
        }
    }

    @Test("E7: who leaves just as the same device joins elsewhere does not take that one along")
    func oldLeaves() throws {
        let stage = Takeover()
        try ScriptedWorld(stage.world, [stage.new: [.join], stage.old: [.leave]])
            .everyOrder { world in
                #expect(world.clients[stage.new].closeReason == nil)
                #expect(world.shown(stage.eve).people.map(\.uid) == ["eve", "ana"])
                let told = world.told(stage.eve)
                #expect(told.joins("ana") == told.lefts("ana") + 1)
            }
    }

    @Test("E9: two programs with one device id: one stays, the other is told why, and stays away")
    func noWar() throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve")
        let one = world.add(uid: "ana", instance: 4)
        let other = world.add(uid: "ana", instance: 5)
        let orders = try ScriptedWorld(world, looks: .atOnce, [one: [.join], other: [.join]]).everyOrder { world in
            let ended = [one, other].filter { world.clients[$0].closeReason != nil }
            #expect(ended.count == 1)
            for client in ended { #expect(world.endCode(client) == .replaced) }
            // Each has made one connection: nobody fights.
            #expect([one, other].allSatisfy { world.clients[$0].links.count == 1 })
            #expect(world.shown(eve).people.map(\.uid) == ["eve", "ana"])
            #expect(world.told(eve).joins("ana") == 1 && world.told(eve).lefts("ana") == 0)
        }
        #expect(orders > 1)
    }

    @Test("E9: two sessions of one program and one of another, all at once: the last one that was wanted stays")
    func noWarOfThree() throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve")
        let first = world.add(uid: "ana", instance: 4)
        let second = world.add(uid: "ana", instance: 4)
        let other = world.add(uid: "ana", instance: 5)
        let all = [first, second, other]
        let script: [Int: [ScriptedWorld.Act]] = [first: [.join], second: [.join], other: [.join]]
        var comebacks = 0
        try ScriptedWorld(world, script).everyOrder { world, order in
            let joins = order.compactMap { action -> Int? in
                guard case .toRelay(let link) = action, link.number == 0, all.contains(link.client) else { return nil }
                return link.client
            }
            let stayed = all.filter { world.clients[$0].closeReason == nil }
            #expect(stayed.count == 1)
            // What a session does by itself never puts out another program.
            let wanted = joins.reduce(into: [Int]()) { if !$0.contains($1) { $0.append($1) } }
            #expect((stayed == [other]) == (wanted.last == other))
            for client in all where client != stayed.first {
                #expect([.replaced, .staleAttempt].contains(world.endCode(client)))
            }
            if all.contains(where: { world.clients[$0].links.count > 1 }) { comebacks += 1 }
            #expect(world.shown(eve).people.map(\.uid) == ["eve", "ana"])
            #expect(world.told(eve).joins("ana") == 1 && world.told(eve).lefts("ana") == 0)
        }
        #expect(comebacks > 0)
    }

    @Test("E9: nor do they fight when the link of the one that stays breaks")
    func noWarAfterCut() throws {
        let stage = Takeover()
        try ScriptedWorld(stage.world, [stage.new: [.join, .cut]]).everyOrder { world in
            #expect(world.endCode(stage.old) == .replaced && world.clients[stage.new].closeReason == nil)
            #expect(world.clients[stage.old].links.count == 1 && world.clients[stage.new].links.count == 2)
        }
    }

    @Test("E10: an observer sees the same people and devices as everybody, in every order", arguments: [true, false])
    func observer(isTakeover: Bool) throws {
        var world = CallWorld(seed: 1)
        let ana = world.addPresent("ana")
        let observer = world.addPresent("", device: "") { $0.mode = .observer }
        let other = world.add(uid: "ana", device: isTakeover ? "d" : "e", instance: 5)
        try ScriptedWorld(world, looks: .anyTime, [ana: [.cut], other: [.join]])
            .everyOrder { world in
                #expect(world.shown(observer).people == world.shown(other).people)
                #expect(world.shown(observer).people.map(\.uid) == ["ana"])
                #expect(world.shown(observer).people.first?.devices.count == (isTakeover ? 1 : 2))
                #expect(world.told(observer).joins("ana") == 1)
            }
    }

    @Test(
        "E13: one device goes in whatever way, and the other one is as it was",
        arguments: zip(
            [ScriptedWorld.Act.leave, .cut, .cut, .set(.unmuteRequest(0))],
            [15_000, 0, 15_000, 0] as [UInt64]
        )
    )
    func otherDeviceStays(end: ScriptedWorld.Act, grace: UInt64) throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve") { $0.grace = grace }
        let phone = world.addPresent("ana", device: "phone")
        let laptop = world.addPresent("ana", device: "laptop")
        try ScriptedWorld(
            world,
            [phone: [end], laptop: [.set(.handRaised(true))]]
        ).everyOrder { world in
            let told = world.told(eve)
            #expect(told.joins("ana") == 1 && told.lefts("ana") == 0)
            #expect(world.clients[laptop].closeReason == nil)
            let ana = world.shown(eve).person(uid: "ana")
            #expect(ana?.hand == 1)
            #expect(ana?.devices.contains { $0.deviceID == "laptop" && !$0.isReconnecting } == true)
        }
    }
}
