import CallState
import Rollcall
import RollcallProtocol
import SimulationSupport
import Testing

@Suite("G. Moderation, and H. order, in every order", .searches)
struct CommandOrderTests {
    @Test(
        "G5: the last value asked for is in force in every order, also when the link breaks in between",
        arguments: [Toggle.microphone, .hand],
        [nil, 0, 1]
    )
    func lastValue(toggle: Toggle, cutAt: Int?) throws {
        var world = CallWorld(seed: 1)
        let ana = world.addPresent("ana")
        let values = cutAt == nil ? [true, false, true] : [true]
        var script = values.map { ScriptedWorld.Act.set(toggle.change(isOn: $0)) }
        if let cutAt { script.insert(.cut, at: cutAt) }
        // That the relay has the same is held at the end of every order.
        try ScriptedWorld(world, [ana: script]).everyOrder { world in
            #expect(toggle.isOn(world.shown(ana).me))
            for token in values.indices {
                #expect(isDone(world.clients[ana].results[CommandToken(UInt64(token + 1))]))
            }
        }
    }

    @Test(
        "G5: of commands over a limit each is refused visibly, and what shows is the last that was not",
        arguments: [Toggle.microphone, .hand]
    )
    func overLimit(toggle: Toggle) throws {
        let values = [true, false, true]
        for refused in 1..<8 as Range<UInt64> {
            var world = CallWorld(seed: 1)
            let ana = world.addPresent("ana")
            world.overLimit[ana] = Set((1...3).filter { refused >> ($0 - 1) & 1 == 1 })
            let script = values.map { ScriptedWorld.Act.set(toggle.change(isOn: $0)) }
            try ScriptedWorld(world, [ana: script]).everyOrder { world in
                let results = (1...3).map { world.clients[ana].results[CommandToken($0)] }
                let last = results.lastIndex { isDone($0) }.map { values[$0] } ?? false
                #expect(toggle.isOn(world.shown(ana).me) == last)
                for result in results where !isDone(result) { #expect(code(result) == .rate) }
            }
        }
    }

    @Test("G5: a refusal for another reason takes back what showed, in every order")
    func heldDown() throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve")
        let ana = world.addPresent("ana") { $0.audioMuted = false }
        let script = [ScriptedWorld.Act.set(.audioMuted(false))]
        try ScriptedWorld(world, [ana: script, eve: [.set(.standingMute(true))]])
            .everyOrder { world in
                #expect(world.shown(ana).me?.audio == .muted)
                #expect(world.shown(eve).person(uid: "ana")?.audio == .muted)
                let last = world.clients[ana].results[CommandToken(1)]
                #expect(isDone(last) || code(last) == .heldDown)
            }
    }

    @Test("G1: a moderator's mute works whatever the other has just reported", arguments: Toggle.allCases)
    func moderatorWins(toggle: Toggle) throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve")
        let ana = world.addPresent("ana")
        world.command(ana, [Setting(toggle.change(isOn: true))])
        world.settle()
        let off = toggle.change(isOn: false)
        // She says that it is off, and the moderator does too: it is off, and both are answered.
        try ScriptedWorld(world, [ana: [.set(off)], eve: [.set(off, of: Target(uid: "ana"))]]).everyOrder { world in
            #expect(isDone(world.clients[eve].results[CommandToken(1)]))
            #expect(!toggle.isOn(world.shown(eve).person(uid: "ana")))
            #expect(!toggle.isOn(world.shown(ana).me))
        }
    }

    @Test("G4: nobody turns on anything of another, in any order", arguments: Toggle.allCases)
    func remoteOn(toggle: Toggle) throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve") { $0.role = .moderator }
        let ana = world.addPresent("ana")
        let on = toggle.change(isOn: true)
        world.command(ana, [Setting(on)])
        world.settle()
        let off = ScriptedWorld.Act.set(toggle.change(isOn: false))
        try ScriptedWorld(world, [ana: [off], eve: [.set(on, of: Target(uid: "ana"))]]).everyOrder { world in
            #expect(code(world.clients[eve].results[CommandToken(1)]) == .denied)
            #expect(!toggle.isOn(world.shown(eve).person(uid: "ana")))
        }
    }

    @Test("G4: a lock that meets an unmute leaves the microphone muted in every order")
    func lock() throws {
        var world = CallWorld(seed: 1)
        let eve = world.addPresent("eve")
        let ana = world.addPresent("ana")
        let locks = [ScriptedWorld.Act.set(.audioLocked(true), of: Target(uid: "ana"))]
        try ScriptedWorld(world, [ana: [.set(.audioMuted(false))], eve: locks]).everyOrder { world in
            let result = world.clients[ana].results[CommandToken(1)]
            #expect(isDone(result) || code(result) == .heldDown)
            #expect(world.shown(eve).person(uid: "ana")?.audio == .muted)
        }
    }

    @Test("H5: all have the hands in the same order, who comes late too")
    func hands() throws {
        var world = CallWorld(seed: 1)
        let ana = world.addPresent("ana")
        let ben = world.addPresent("ben")
        var queues: Set<[String]> = []
        let orders = try ScriptedWorld(
            world,
            [ana: [.set(.handRaised(true))], ben: [.set(.handRaised(true))]]
        ).everyOrder { world in
            var world = world
            world.looksAtOnce = true
            let cho = world.addPresent("cho")
            let queue = world.shown(cho).raisedHands.map(\.uid)
            queues.insert(queue)
            for client in [ana, ben, cho] {
                #expect(world.shown(client).raisedHands.map(\.uid) == queue)
                #expect(world.told(client).queue == queue, "what client \(client) was told")
            }
        }
        #expect(orders > 1)
        #expect(queues == [["ana", "ben"], ["ben", "ana"]])
    }

    @Test("H5: a hand that goes down and up again is last for all, one that stays keeps its place", arguments: [1, 2])
    func handsAgain(isBenToo: Int) throws {
        var world = CallWorld(seed: 1)
        let ana = world.addPresent("ana")
        let ben = world.addPresent("ben")
        for client in [ana, ben] { world.command(client, [Setting(.handRaised(true))]) }
        world.settle()
        var scripts: [Int: [ScriptedWorld.Act]] = [ana: [.set(.handRaised(false)), .set(.handRaised(true))]]
        // To raise a hand that is up keeps its place.
        scripts[ben] = isBenToo == 2 ? [.set(.handRaised(true))] : []
        try ScriptedWorld(world, looks: isBenToo == 1 ? .anyTime : .atOnce, scripts).everyOrder { world in
            for client in [ana, ben] {
                #expect(world.shown(client).raisedHands.map(\.uid) == ["ben", "ana"])
                #expect(world.told(client).queue == ["ben", "ana"], "what client \(client) was told")
            }
        }
    }

    @Test("H5: a lost link keeps the place of a hand, in every order")
    func handThroughCut() throws {
        var world = CallWorld(seed: 1)
        let ana = world.addPresent("ana")
        let ben = world.addPresent("ben")
        world.command(ana, [Setting(.handRaised(true))])
        world.settle()
        try ScriptedWorld(world, [ana: [.cut], ben: [.set(.handRaised(true))]]).everyOrder { world in
            for client in [ana, ben] {
                #expect(world.shown(client).raisedHands.map(\.uid) == ["ana", "ben"])
                #expect(world.told(client).queue == ["ana", "ben"], "what client \(client) was told")
            }
        }
    }

    private func isDone(_ result: Result<Position, RollcallError>?) -> Bool {
        if case .success = result { true } else { false }
    }

    private func code(_ result: Result<Position, RollcallError>?) -> RollcallError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }
}
