import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Claims at a start")
struct ClaimTests {
    /// A relay that was killed while `calls` calls were occupied, and one that starts with a store that is slow.
    private func crashed(calls: Int) -> World {
        var world = World(.keeping(.async))
        for number in 0..<calls { _ = world.join("ana", session: "call \(number)", instance: "instance-\(number)") }
        world.advance(1_000)
        world.answersAtOnce = false
        world.crash()
        return world
    }

    @Test("R-118: all occupied calls are claimed, so many at once, and that is told")
    func background() {
        var world = crashed(calls: 200)
        #expect(world.store.requests.count == 64)
        var most = 0
        while !world.store.requests.isEmpty {
            world.answer(1)
            world.turn()
            most = max(most, world.store.requests.count { if case .claim = $0 { true } else { false } })
        }
        #expect(most == 64)
        #expect(world.core.calls.compactMap(\.self).count == 200)
        #expect(world.log.contains(.claiming(done: 0, of: 200)))
        #expect(world.log.contains(.claiming(done: 200, of: 200)))
        #expect(world.log.count { if case .restored = $0 { true } else { false } } == 200)
        // Nobody comes back: all of them end, and are forgotten.
        world.answersAtOnce = true
        world.advance(61_000)
        #expect(world.core.calls.compactMap(\.self).isEmpty)
        #expect(world.store.calls.isEmpty)
    }

    @Test(
        "R-118: whoever comes before its call is claimed waits for it, in order of arrival; a call with guests goes first"
    )
    func waiting() {
        var world = crashed(calls: 100)
        let chloe = world.join("chloe", session: "call 99")
        let peeker = world.greet()
        world.send(peeker, .peek(session: "call 99", request: 1))
        world.turn()
        #expect(world.store.requests.count == 65)
        #expect(world.replica(chloe).joined == nil)
        for _ in 0..<65 {
            world.answer(1)
            world.turn()
        }
        #expect(world.joined(chloe).outcome == .new)
        #expect(world.state(chloe).peopleCount == 2)
        #expect(world.state(peeker).peopleCount == 2)
        while !world.store.requests.isEmpty {
            world.answer(1)
            world.turn()
        }
        #expect(world.claims.count { $0 == "call 99" } == 2)
        world.expectHealthy()
    }

    @Test(
        "R-105 R-118: a relay that stops before it has claimed all leaves the others as they are, and those it has clean"
    )
    func stopped() {
        var world = World(.keeping(.async))
        for number in 0..<100 { _ = world.join("ana", session: "call \(number)", instance: "instance-\(number)") }
        world.advance(1_000)
        world.apply(.stopping(resumeAfter: 100))
        world.turn()
        world.advance(2_000)
        world.answersAtOnce = false
        world.crash()
        world.answer(10)
        world.apply(.stopping(resumeAfter: 100))
        world.turn()
        for _ in 0..<4 {
            world.answer()
            world.turn()
        }
        #expect(world.hasStopped)
        #expect(world.store.calls.values.filter(\.header.isClean).count == 100)
        world.expectHealthy()
    }

    @Test("R-118: a claim at the start that fails is tried again until it works")
    func failing() {
        var world = World(.keeping(.sync))
        _ = world.join("ana")
        world.advance(100)
        world.store.failure = "not yet"
        world.crash()
        world.advance(30_000)
        world.store.failure = nil
        world.advance(5_100)
        #expect(world.log.contains { if case .restored = $0 { true } else { false } })
    }
}
