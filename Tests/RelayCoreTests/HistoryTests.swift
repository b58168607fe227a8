import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Earlier epochs of a meeting")
struct HistoryTests {
    @Test("R-38: only the last 16 epochs of a meeting are remembered")
    func history() {
        var scene = RestartScene()
        let old = scene.ben
        for _ in 0..<20 {
            scene.world.crash()
            scene.ana = scene.comeBack(scene.ana, as: "ana")
            #expect(scene.world.joined(scene.ana).follows == .delta)
            scene.world.advance(100)
        }
        #expect(scene.world.store.calls["standup"]?.header.history.count == 16)
        scene.ben = scene.comeBack(old, as: "ben")
        #expect(scene.world.replica(scene.ben).snapshots.map(\.reason) == [.epoch])
        scene.world.expectEqual([scene.ana, scene.ben])
    }

    @Test(
        "R-30: a position below the begin of a known epoch was never given, also of the first one that is remembered",
        arguments: [1, 16, 17, 20]
    )
    func belowFirstEpoch(crashes: Int) {
        var world = World(.keeping(.async))
        // An earlier meeting: the next one begins above 0, and no relay ever gives a position of its epoch below that.
        _ = world.observe(trusted: true, uid: "chair")
        let early = world.join("early")
        world.set(early, op: 1, Setting(.title("t")))
        world.send(early, .leave(.left))
        world.advance(100)
        let ana = world.join("ana", instance: "instance-a")
        world.advance(100)
        let begin = world.state(ana).position.seq - 1
        guard begin > 1 else {
            Issue.record("the meeting begins at \(begin)")
            return
        }
        for _ in 0..<crashes {
            world.crash()
            world.advance(100)
            // Something changes in each epoch, so that the next one begins higher.
            let attempt = world.now.wall
            let guest = world.join("guest", instance: "instance-g") { $0.attempt = attempt }
            world.set(guest, Setting(.handRaised(true)))
            world.set(guest, Setting(.handRaised(false)))
            world.advance(100)
        }
        let history = world.store.calls["standup"]?.header.history ?? []
        #expect(history.count == min(crashes, RelayCore.maximumHistory))
        // In each epoch the links are lost, and the guest comes, or comes back, and raises and lowers its hand.
        let first = crashes <= RelayCore.maximumHistory ? begin : history[0].seq - 4
        var reasons: [SnapshotReason?] = []
        for seq in [first - 1, first + 1] {
            let looker = world.observe {
                $0.resume = Resume(secret: [], position: Position(epoch: history[0].epoch, seq: seq), digest: 0)
            }
            reasons.append(world.replica(looker).snapshots.first?.reason)
        }
        #expect(reasons == [.unknownPosition, nil])
    }

    @Test("R-30 R-120: nor below the begin of the epoch that is shown while the next one is not kept")
    func belowShownEpoch() {
        var scene = RestartScene(.sync)
        // Each crash begins an epoch above what the one before had.
        for _ in 0..<2 {
            scene.world.crash()
            scene.ana = scene.comeBack(scene.ana, as: "ana")
            scene.world.set(scene.ana, Setting(.handRaised(true)))
            scene.world.set(scene.ana, Setting(.handRaised(false)))
        }
        let shown = scene.world.state(scene.ana).position
        scene.world.answersAtOnce = false
        scene.world.crash()
        let first = scene.world.observe()
        scene.world.answer(1)
        scene.world.turn()
        #expect(scene.world.joined(first).position == shown)
        var outcomes: [Follows] = []
        for seq in [1, shown.seq - 1] {
            let looker = scene.world.observe {
                $0.resume = Resume(secret: [], position: Position(epoch: shown.epoch, seq: seq), digest: 0)
            }
            scene.world.turn()
            #expect(scene.world.joined(looker).position == shown)
            outcomes.append(scene.world.joined(looker).follows)
            let reasons = scene.world.replica(looker).snapshots.map(\.reason)
            #expect(reasons == (seq == 1 ? [.unknownPosition] : []))
        }
        #expect(outcomes == [.snapshot, .delta])
    }
}
