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

    /// A relay that has stopped by plan while `calls` calls were occupied, and one that starts with a store that is
    /// slow.
    private func restarted(calls: Int) -> World {
        var world = World(.keeping(.async))
        for number in 0..<calls { _ = world.join("ana", session: "call \(number)", instance: "instance-\(number)") }
        world.advance(1_000)
        world.apply(.stopping(resumeAfter: 100))
        world.turn()
        world.advance(2_000)
        world.answersAtOnce = false
        world.crash()
        return world
    }

    @Test(
        "R-105 R-118: a relay that stops before it has claimed all leaves the others as they are, and those it has clean"
    )
    func stopped() {
        var world = restarted(calls: 100)
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

    @Test("R-105: a call that was asked for and not given when a stop ends counts as one that is not kept")
    func stoppedMeanwhile() {
        var world = restarted(calls: 100)
        world.answer(10)
        world.apply(.stopping(resumeAfter: 100))
        world.turn()
        world.advance(world.configuration.closeTimeout - 1)
        #expect(!world.hasStopped)
        world.advance(1)
        // Ten were given and have told the store nothing new yet; 64 are asked for at once.
        #expect(world.effects.contains(.stopped(unkept: 74)))
        #expect(world.log.contains { if case .notKept(calls: 74, _, _, _) = $0 { true } else { false } })
        // What the store does then all the same.
        world.answer()
        #expect(world.store.calls.values.count { !$0.header.isClean } <= 74)
        world.expectHealthy()
    }

    @Test("R-105: with calls that the store has noted as in use and not given a stop waits for it, and takes that back")
    func doubtful() {
        var world = restarted(calls: 3)
        world.store.doubtsClaims = true
        world.answer()
        world.apply(.stopping(resumeAfter: 100))
        world.turn()
        #expect(!world.hasStopped)
        #expect(world.store.calls.values.count(where: \.header.isClean) == 0)
        world.store.doubtsClaims = false
        world.answersAtOnce = true
        world.advance(world.configuration.closeTimeout - 1)
        #expect(world.hasStopped)
        #expect(world.effects.last == .stopped(unkept: 0))
        #expect(world.store.calls.values.count(where: \.header.isClean) == 3)
        world.expectHealthy()
    }

    @Test("R-105: and says so when the store does not give them in time; what it only fails to give stays as it is")
    func doubtfulToTheEnd() {
        for isDoubtful in [true, false] {
            var world = restarted(calls: 3)
            world.store.doubtsClaims = isDoubtful
            world.store.failure = isDoubtful ? nil : "full"
            let asked = world.claims.count
            world.answersAtOnce = true
            world.answer()
            world.apply(.stopping(resumeAfter: 100))
            world.turn()
            #expect(world.hasStopped == !isDoubtful)
            world.advance(world.configuration.closeTimeout)
            #expect(world.effects.contains(.stopped(unkept: isDoubtful ? 3 : 0)))
            let notKept = LogEvent.notKept(calls: 3, session: "call 0", kept: 0, head: .zero)
            #expect(world.log.contains(notKept) == isDoubtful)
            #expect(world.store.calls.values.count(where: \.header.isClean) == (isDoubtful ? 0 : 3))
            // What is clean stays so: it is not asked for once more.
            #expect((world.claims.count == asked) == !isDoubtful)
            world.expectHealthy()
        }
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
