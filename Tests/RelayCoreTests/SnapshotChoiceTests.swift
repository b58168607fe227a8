import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Which snapshot, among those that would do")
struct SnapshotChoiceTests {
    @Test("R-55: a kept snapshot below the position of who resumes is not for them, although it is for others")
    func notBelow() {
        var world = World()
        let ana = world.join("ana")
        // Another joiner makes a snapshot that is kept, and a change too small to make a new one follows.
        let ben = world.observe()
        world.set(ana, Setting(.title("later")))
        let head = world.state(ana).position
        let fresh = world.observe()
        let other = world.observe { $0.resume = Resume(secret: [], position: head, digest: 1) }
        #expect(world.joined(other).follows == .snapshot)
        #expect(world.replica(fresh).snapshots.map(\.position.seq) == [head.seq - 1])
        #expect(world.replica(other).snapshots.map(\.reason) == [.digest])
        #expect(world.replica(other).snapshots.map(\.position) == [head])
        world.expectEqual([ana, ben, fresh, other])
    }

    @Test("R-62: for whom differences are too large, the snapshot is of the head, or the next would be too large again")
    func headForWhoLags() {
        var configuration = RelayConfiguration()
        configuration.maximumDelta = 1_000
        configuration.maximumSlice = 100
        var world = World(configuration)
        let ana = world.join("ana")
        let ben = world.join("ben")
        func change(_ key: ByteString, bytes: Int) {
            world.set(ana, Setting(.attribute(Attribute(key: key, value: [UInt8](repeating: 7, count: bytes)))))
        }
        world.links[ben].capacity = 0
        change("a", bytes: 10)
        // A snapshot that is kept; what follows is short beside it, and too long for a difference.
        let chloe = world.observe()
        change("b", bytes: 600)
        change("c", bytes: 600)
        world.links[ben].capacity = nil
        world.drain(ben)
        world.turn()
        #expect(world.replica(ben).snapshots.map(\.reason) == [.join, .lagged])
        #expect(world.replica(ben).snapshots.last?.position == world.state(ana).position)
        world.expectEqual([ana, ben, chloe])
    }
}
