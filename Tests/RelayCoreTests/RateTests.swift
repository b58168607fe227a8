import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Rates of commands, frames and joins")
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

    // MARK: Commands

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

    // MARK: Frames

    @Test(
        "R-124: who sends too many frames of any kind is read more slowly, and not lost",
        arguments: [
            ClientFrame.speaking(Speaking(on: true)), .pong(Pong(position: .zero, time: 0)),
            .command(Command(op: 1, settings: [Setting(.handRaised(true))])),
        ]
    )
    func frames(frame: ClientFrame) {
        var scene = Scene { $0.frameRate = Rate(perSecond: 100, burst: 40) }
        scene.world.advance(1_000)
        scene.world.effects = []
        for _ in 0..<40 { scene.world.send(scene.ana, frame) }
        #expect(scene.world.links[scene.ana].isRead)
        for _ in 0..<60 { scene.world.send(scene.ana, frame) }
        scene.world.turn()
        #expect(scene.world.links[scene.ana].isRead == false)
        #expect(scene.world.links[scene.ben].isRead)
        // 60 are owed, and a part of the burst is wanted.
        scene.world.advance(649)
        #expect(scene.world.links[scene.ana].isRead == false)
        scene.world.advance(1)
        #expect(scene.world.links[scene.ana].isRead)
        #expect(scene.world.effects.filter { $0 == .pauseReading(scene.world.links[scene.ana].id) }.count == 1)
        // Silence is not held against it while it is not read.
        #expect(scene.world.closed(scene.ana) == nil)
        #expect(scene.world.device("ana", as: scene.ben)?.link == .active)
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test("R-124: a connection that is not read for longer than a silent one lives is not given up")
    func longPause() {
        var scene = Scene { $0.frameRate = Rate(perSecond: 1, burst: 40) }
        for _ in 0..<140 { scene.world.send(scene.ana, .speaking(Speaking(on: true))) }
        scene.world.links[scene.ana].answersPings = false
        scene.world.advance(90_000)
        #expect(scene.world.links[scene.ana].isRead == false)
        #expect(scene.world.device("ana", as: scene.ben)?.link == .active)
        scene.world.advance(20_000)
        #expect(scene.world.links[scene.ana].isRead)
        // From then on its silence counts.
        scene.world.advance(25_000)
        #expect(scene.world.closed(scene.ana) == .silent)
    }

    @Test("R-124 R-71: reading goes on when neither answers wait nor too many frames came")
    func bothReasons() {
        var scene = Scene { $0.frameRate = Rate(perSecond: 100, burst: 64) }
        scene.world.advance(1_000)
        scene.world.links[scene.ana].capacity = 0
        for op in 1...100 as ClosedRange<UInt64> {
            scene.world.send(scene.ana, .command(Command(op: op, settings: [Setting(.handRaised(true))])))
        }
        scene.world.turn()
        for op in 101...200 as ClosedRange<UInt64> {
            scene.world.send(scene.ana, .command(Command(op: op, settings: [Setting(.handRaised(true))])))
        }
        scene.world.turn()
        scene.world.advance(5_000)
        #expect(scene.world.links[scene.ana].isRead == false)
        scene.world.links[scene.ana].capacity = nil
        scene.world.drain(scene.ana)
        scene.world.turn()
        #expect(scene.world.links[scene.ana].isRead)
        #expect(scene.world.replica(scene.ana).acks.count == 200)
    }

    @Test("R-124: a question weighs ten frames")
    func questions() {
        var scene = Scene { $0.frameRate = Rate(perSecond: 100, burst: 40) }
        let asker = scene.world.greet()
        for request in 1...5 as ClosedRange<UInt64> {
            scene.world.send(asker, .list(request: request, after: ""))
            scene.world.turn()
        }
        #expect(scene.world.links[asker].isRead == false)
        let admin = scene.world.greet(trusted: true)
        for request in 1...500 as ClosedRange<UInt64> {
            scene.world.send(admin, .list(request: request, after: ""))
            scene.world.turn()
        }
        #expect(scene.world.links[admin].isRead)
    }

    // MARK: Joins

    @Test("R-125: joins above the rate are told when to come back, spread, and all get in at the rate")
    func joins() {
        var configuration = RelayConfiguration()
        configuration.joinRate = Rate(perSecond: 100, burst: 200)
        var world = World(configuration, hasRates: true)
        var waits: [UInt64] = []
        for number in 0..<1_000 {
            let client = world.join("u\(number)")
            if let refusal = world.replica(client).closed {
                #expect(refusal.code == .overload && refusal.advice == .after)
                #expect(refusal.text == "too many join at once: the relay lets 100 in a second")
                waits.append(refusal.after)
            }
        }
        #expect(waits.count == 900)
        for (number, wait) in waits.enumerated() {
            let turn = 510 + 10 * UInt64(number)
            #expect((turn...turn + turn / 2).contains(wait))
        }
        // In no second do many more come back than get in.
        let times = waits.sorted()
        for second in 0..<14 as Range<UInt64> {
            let many = times.count { (second * 1_000..<second * 1_000 + 1_000).contains($0) }
            #expect(many <= 150, "second \(second)")
        }
        #expect(times.last ?? 0 > 9_000)
    }

    @Test("R-125: who resumes comes before newcomers, and a trusted peer has no limit")
    func resumesFirst() {
        var configuration = RelayConfiguration()
        configuration.joinRate = Rate(perSecond: 10, burst: 20)
        var world = World(configuration, hasRates: true)
        let ana = world.join("ana", instance: "instance-a")
        let resume = world.replica(ana).resume()
        world.cut(ana)
        for number in 0..<30 { _ = world.join("u\(number)") }
        #expect(world.replica(world.links.count - 1).closed?.code == .overload)
        let back = world.join("ana", instance: "instance-a") {
            $0.attempt = 2
            $0.resume = resume
        }
        #expect(world.joined(back).outcome == .resumed)
        for number in 0..<100 {
            let trusted = world.join("t\(number)", trusted: true)
            #expect(world.joined(trusted).outcome == .new)
        }
    }

    @Test("R-125: a Join that waited for the store counts once")
    func countedOnce() {
        var configuration = RelayConfiguration()
        configuration.joinRate = Rate(perSecond: 1, burst: 2)
        var world = World(configuration, hasRates: true)
        world.nextEpoch = nil
        let ana = world.join("ana")
        world.apply(.store(.claimed(session: "standup", .init(epoch: 7))))
        world.turn()
        #expect(world.joined(ana).outcome == .new)
        let ben = world.join("ben")
        #expect(world.closed(ben) == .overload)
    }

    @Test("R-125 R-105: who finds no place for a connection, or a relay that stops, is told times that are spread")
    func spread() {
        var configuration = RelayConfiguration()
        configuration.maximumConnections = 1
        var world = World(configuration, hasRates: true)
        _ = world.greet()
        let refused = (0..<200).map { _ in world.open() }
        world.turn()
        let waits = refused.map { world.replica($0).closed?.after ?? 0 }
        #expect(waits.allSatisfy { (5_000...7_500).contains($0) })
        // Ten even parts of the time: each has its share.
        for part in 0..<10 as Range<UInt64> {
            let range = 5_000 + part * 250..<5_000 + part * 250 + 250
            #expect((5...40).contains(waits.count { range.contains($0) }), "\(range)")
        }
        var stopping = World()
        let clients = (0..<200).map { stopping.join("u\($0)") }
        stopping.apply(.stopping(resumeAfter: 1_000))
        stopping.turn()
        let returns = clients.map { stopping.replica($0).closed?.after ?? 0 }
        #expect(returns.allSatisfy { (1_000...1_500).contains($0) })
        for part in 0..<5 as Range<UInt64> {
            let range = 1_000 + part * 100..<1_000 + part * 100 + 100
            #expect((20...60).contains(returns.count { range.contains($0) }), "\(range)")
        }
    }
}
