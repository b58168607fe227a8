import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Behind and caught up")
struct LaggingTests {
    /// Ana, who changes things, ben, who does not read, and chloe.
    struct Scene {
        var world: World
        let ana: Int
        let ben: Int
        let chloe: Int
        private var changes = 0

        init(_ change: (inout RelayConfiguration) -> Void = { _ in }) {
            var configuration = RelayConfiguration()
            change(&configuration)
            world = World(configuration)
            ana = world.join("ana")
            ben = world.join("ben")
            chloe = world.join("chloe")
        }

        /// So many turns, each with a change of so many bytes of its own.
        mutating func change(_ count: Int, bytes: Int = 10, keys: Int = 8) {
            for number in 0..<count {
                changes += 1
                var value = [UInt8](repeating: 0, count: bytes)
                for place in 0..<4 { value[place] = UInt8(truncatingIfNeeded: changes >> (8 * place)) }
                let attribute = Attribute(key: ByteString("k\(number % keys)"), value: value)
                world.set(ana, Setting(.attribute(attribute)))
            }
        }

        /// The kernel takes nothing more of ben's until ``release()``.
        mutating func hold() { world.links[ben].capacity = 0 }

        mutating func release() {
            world.links[ben].capacity = nil
            world.drain(ben)
            world.turn()
        }

        func notices(_ client: Int) -> [Code] {
            world.replica(client).frames.compactMap { if case .notice(let code, _) = $0 { code } else { nil } }
        }
    }

    @Test("R-126: who is behind by many bytes is told once, gets their sum, and is told when it has caught up")
    func manyBytes() {
        var scene = Scene()
        scene.hold()
        scene.change(100, bytes: 1_000)
        let deltas = scene.world.replica(scene.ben).deltas.count
        scene.release()
        #expect(scene.notices(scene.ben) == [.lagging])
        // The one on its way, and one for all the others; the notice is before that.
        #expect(scene.world.replica(scene.ben).deltas.count == deltas + 2)
        let frames = scene.world.replica(scene.ben).frames
        if case .notice? = frames.dropLast().last {} else { Issue.record("\(frames.suffix(2))") }
        scene.world.advance(1_999)
        #expect(scene.notices(scene.ben) == [.lagging])
        scene.world.advance(1)
        #expect(scene.notices(scene.ben) == [.lagging, .caughtUp])
        scene.world.advance(60_000)
        #expect(scene.notices(scene.ben) == [.lagging, .caughtUp])
        #expect(scene.notices(scene.ana) == [] && scene.notices(scene.chloe) == [])
        scene.world.expectEqual([scene.ana, scene.ben, scene.chloe])
    }

    @Test(
        "R-126: who lacks little is behind when that is of many turns, and is not when it is of few",
        arguments: [(16, 300, false), (17, 300, true), (60, 10, false), (16, 400, false)]
    )
    func manyTurns(turns: Int, bytes: Int, isBehind: Bool) {
        var scene = Scene()
        // Before anything is held its frames begin where everybody is.
        scene.change(1)
        scene.hold()
        // On its way, and not lacking.
        scene.change(1)
        scene.change(turns, bytes: bytes)
        scene.release()
        #expect(scene.notices(scene.ben) == (isBehind ? [.lagging] : []))
        scene.world.expectEqual([scene.ana, scene.ben, scene.chloe])
    }

    @Test("R-126: who lacks frames that are not held any more is behind, whatever their length")
    func ringTooShort() {
        var scene = Scene { $0.ringBytes = 100 }
        scene.hold()
        scene.change(20)
        scene.release()
        #expect(scene.notices(scene.ben) == [.lagging])
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test("R-126: a few missed turns are no lag, nor is one turn with a long frame, nor a slow join")
    func notLagging() {
        var scene = Scene { $0.maximumDelta = 20_000 }
        scene.hold()
        scene.change(5)
        scene.release()
        // A frame that is too long for the ring is a snapshot for everybody.
        let settings = (0..<30).map { key in
            let value = [UInt8](repeating: UInt8(key), count: 900)
            return Setting(.attribute(Attribute(key: ByteString("m\(key % 24)"), value: value)))
        }
        for client in [scene.ana, scene.ben, scene.chloe] {
            scene.world.send(client, .command(Command(op: 100, settings: settings)))
            scene.world.turn()
        }
        #expect(scene.world.replica(scene.chloe).snapshots.last?.reason == .lagged)
        // A joiner that takes its snapshot slowly; it is longer than what is handed over at once.
        let dan = scene.world.greet()
        scene.world.links[dan].capacity = 0
        scene.world.send(dan, .join(Join(session: "standup", uid: "dan", device: "d")))
        scene.world.turn()
        scene.change(100, bytes: 1_000)
        scene.world.links[dan].capacity = nil
        scene.world.drain(dan)
        scene.world.turn()
        for client in [scene.ana, scene.ben, scene.chloe, dan] { #expect(scene.notices(client) == []) }
        scene.world.expectEqual([scene.ana, scene.ben, scene.chloe, dan])
    }

    @Test("R-126: one that is slow all the time is told once, and gets the sum however few turns it misses")
    func noFlapping() {
        var scene = Scene()
        let id = scene.world.links[scene.ben].id
        scene.hold()
        scene.change(100, bytes: 1_000)
        scene.release()
        let merged = scene.world.replica(scene.ben).deltas.count { $0.digest != nil }
        for _ in 0..<50 {
            scene.hold()
            scene.change(5)
            scene.release()
            scene.world.advance(1_900)
        }
        #expect(scene.notices(scene.ben) == [.lagging])
        #expect(scene.world.replica(scene.ben).deltas.count { $0.digest != nil } == merged + 50)
        scene.world.advance(2_000)
        #expect(scene.notices(scene.ben) == [.lagging, .caughtUp])
        // What the system may keep for it was bounded further, for that time.
        #expect(scene.world.effects.count { $0 == .limitUnsent(id, isBehind: true) } == 1)
        #expect(scene.world.effects.count { $0 == .limitUnsent(id, isBehind: false) } == 2)
        scene.hold()
        scene.change(5)
        scene.release()
        #expect(scene.notices(scene.ben) == [.lagging, .caughtUp])
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test("R-126: one that stops again before it has caught up is not told that it has")
    func stalledAgain() {
        var scene = Scene { $0.stallTimeout = 60_000 }
        scene.hold()
        scene.change(100, bytes: 1_000)
        scene.release()
        scene.world.advance(1_000)
        scene.hold()
        scene.change(3)
        scene.world.advance(10_000)
        #expect(scene.notices(scene.ben) == [.lagging])
        scene.release()
        scene.world.advance(2_000)
        #expect(scene.notices(scene.ben) == [.lagging, .caughtUp])
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test("R-126: a lagging connection that ends, leaves or joins anew leaves nothing behind")
    func ends() {
        var scene = Scene()
        scene.hold()
        scene.change(100, bytes: 1_000)
        scene.release()
        scene.world.send(scene.ben, .leave(.left))
        scene.world.turn()
        scene.world.advance(10_000)
        #expect(scene.notices(scene.ben) == [.lagging])
        let again = scene.world.join("ben")
        #expect(scene.notices(again) == [])
        scene.world.expectEqual([scene.ana, again])
    }
}
