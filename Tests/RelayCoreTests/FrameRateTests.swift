import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Rates of frames")
struct FrameRateTests {
    @Test(
        "R-124: who sends too many frames of any kind is read more slowly, and not lost",
        arguments: [
            ClientFrame.speaking(Speaking(on: true)), .pong(Pong(position: .zero, time: 0)),
            .command(Command(op: 1, settings: [Setting(.handRaised(true))])),
        ]
    )
    func frames(frame: ClientFrame) {
        var scene = RateTests.Scene { $0.frameRate = Rate(perSecond: 100, burst: 40) }
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
        var scene = RateTests.Scene { $0.frameRate = Rate(perSecond: 1, burst: 40) }
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
        var scene = RateTests.Scene { $0.frameRate = Rate(perSecond: 100, burst: 64) }
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
        var scene = RateTests.Scene { $0.frameRate = Rate(perSecond: 100, burst: 40) }
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
}
