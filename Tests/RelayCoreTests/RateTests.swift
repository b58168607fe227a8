import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Rates of commands")
struct RateTests {
    /// A relay with low rates, ana who is too quick and ben.
    struct Scene {
        var world: World
        let ana: Int
        let ben: Int

        init(_ change: (inout RelayConfiguration) -> Void = { _ in }) {
            var configuration = RelayConfiguration()
            configuration.commandRate = Rate(perSecond: 10, burst: 5)
            configuration.callCommandRate = .unlimited
            configuration.frameRate = .unlimited
            change(&configuration)
            world = World(configuration, hasRates: true)
            ana = world.join("ana")
            ben = world.join("ben")
        }
    }

    @Test("R-123: commands above the rate are refused with the time to wait, and acknowledged")
    func commands() {
        var scene = Scene()
        for op in 1...5 as ClosedRange<UInt64> {
            #expect(scene.world.set(scene.ana, op: op, Setting(.handRaised(op % 2 == 1)))?.code == .ok)
        }
        let seq = scene.world.state(scene.ben).position.seq
        let refused = scene.world.set(scene.ana, op: 6, Setting(.handRaised(false)))
        #expect(refused?.code == .rate)
        #expect(refused?.after == 100)
        #expect(refused?.text == "too many commands: 10 settings a second are taken, and 5 at once")
        #expect(scene.world.state(scene.ben).position.seq == seq)
        // The refusal has used up nothing: the same again is another try, as long as it is the last one.
        scene.world.advance(100)
        #expect(scene.world.set(scene.ana, op: 6, Setting(.handRaised(false)))?.code == .ok)
        #expect(scene.world.set(scene.ana, op: 7, Setting(.handRaised(true)))?.code == .rate)
        scene.world.advance(100)
        #expect(scene.world.set(scene.ana, op: 8, Setting(.handRaised(true)))?.code == .ok)
        #expect(scene.world.set(scene.ana, op: 7, Setting(.handRaised(true)))?.code == .tooOld)
        // It is one's own: others have theirs.
        #expect(scene.world.set(scene.ben, Setting(.handRaised(true)))?.code == .ok)
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test("R-123: each setting of a command counts; one with more than the burst waits for all of it")
    func settings() {
        var scene = Scene()
        let seven = (0..<7).map { Setting(.attribute(Attribute(key: ByteString("k\($0)"), value: [1]))) }
        func send(_ op: UInt64) -> Ack? {
            scene.world.send(scene.ana, .command(Command(op: op, settings: seven)))
            scene.world.turn()
            return scene.world.replica(scene.ana).acks.last
        }
        #expect(send(1)?.code == .ok)
        #expect(send(2)?.after == 700)
        scene.world.advance(700)
        #expect(send(3)?.code == .ok)
    }

    @Test("R-123: a call has a rate for all together, and who waits for it is spread")
    func callRate() {
        var scene = Scene { configuration in
            configuration.commandRate = .unlimited
            configuration.callCommandRate = Rate(perSecond: 10, burst: 4)
        }
        for _ in 0..<2 {
            #expect(scene.world.set(scene.ana, Setting(.handRaised(true)))?.code == .ok)
            #expect(scene.world.set(scene.ben, Setting(.handRaised(true)))?.code == .ok)
        }
        var waits: Set<UInt64> = []
        for _ in 0..<50 {
            let refused = scene.world.set(scene.ben, Setting(.handRaised(false)))
            #expect(refused?.code == .rate)
            #expect(refused?.text == "too many commands in this call: 10 settings a second are taken from all")
            waits.insert(refused?.after ?? 0)
        }
        #expect(waits.allSatisfy { (100...200).contains($0) })
        #expect(waits.count > 20)
        // Another call has its own.
        let other = scene.world.join("chloe", session: "other")
        #expect(scene.world.set(other, Setting(.handRaised(true)))?.code == .ok)
    }

    @Test("R-123: who has the admin right has no limit")
    func admin() {
        var scene = Scene { $0.callCommandRate = Rate(perSecond: 1, burst: 1) }
        let bot = scene.world.observe(trusted: true, uid: "bot")
        for round in 0..<100 {
            let setting = Setting(target: Target(uid: "ana"), .handRaised(round % 2 == 0))
            #expect(scene.world.set(bot, setting)?.code == .ok)
        }
        #expect(scene.world.set(scene.ben, Setting(.handRaised(true)))?.code == .ok)
    }

    @Test("R-123: a flood of commands changes neither writes nor bytes nor turns of the others")
    func flood() {
        /// What ben gets in 4 s in which somebody else changes something every 50 ms.
        func told(isFlooded: Bool) -> (writes: Int, bytes: Int, turns: Int) {
            var scene = Scene { $0.commandRate = Rate(perSecond: 40, burst: 5) }
            let chloe = scene.world.join("chloe")
            var turns = 0
            // What the rate lets through is a change like others': it is used up first, in both runs.
            for op in 1...5 as ClosedRange<UInt64> {
                scene.world.set(scene.ana, op: op, Setting(.handRaised(op % 2 == 1)))
            }
            let begin = (scene.world.links[scene.ben].writes, scene.world.links[scene.ben].pieces.reduce(0, +))
            var op: UInt64 = 5
            for round in 0..<80 {
                scene.world.set(chloe, Setting(.handRaised(round % 2 == 0)))
                turns += 1
                if isFlooded {
                    for _ in 0..<40 {
                        op += 1
                        // Nothing that it has now, so that each would be a change.
                        let setting = Setting(.title(ByteString("\(op)")))
                        scene.world.send(scene.ana, .command(Command(op: op, settings: [setting, setting, setting])))
                    }
                    scene.world.turn()
                    turns += 1
                }
                scene.world.advance(50)
            }
            let flooder = scene.world.replica(scene.ana)
            if isFlooded {
                #expect(flooder.acks.filter { $0.code == .rate }.count > 2_500)
                #expect(flooder.acks.count == Int(op))
            }
            scene.world.expectEqual([scene.ana, scene.ben, chloe])
            let link = scene.world.links[scene.ben]
            return (link.writes - begin.0, link.pieces.reduce(0, +) - begin.1, turns)
        }
        let calm = told(isFlooded: false)
        let flooded = told(isFlooded: true)
        // The commands that the rate lets through: 40 settings a second in 4 s, three in each.
        let admitted = 5 + 4 * 40 / 3
        #expect(flooded.writes - calm.writes <= admitted)
        #expect(flooded.bytes - calm.bytes <= admitted * 40)
    }
}
