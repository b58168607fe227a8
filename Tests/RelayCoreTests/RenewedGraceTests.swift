import CallState
import RollcallProtocol
import Testing

@testable import RelayCore

@Suite("Grace when the store keeps again")
struct RenewedGraceTests {
    @Test("R-118 R-122: a store that keeps again gives nobody less time to come back than there was")
    func notShorter() {
        var scene = RestartScene(.async)
        // All have a minute now, which is more than the policy says.
        scene.world.crash()
        scene.ana = scene.comeBack(scene.ana, as: "ana")
        let until = scene.world.device("ben", as: scene.ana)?.reconnectingUntil
        scene.world.store.failure = "the disk is full"
        scene.world.set(scene.ana, Setting(.handRaised(true)))
        scene.world.advance(1_000)
        scene.world.store.failure = nil
        scene.world.advance(5_000)
        #expect(scene.world.log.contains { if case .storeRecovered = $0 { true } else { false } })
        // More than the policy's grace since then.
        scene.world.advance(25_000)
        #expect(scene.world.device("ben", as: scene.ana)?.link == .reconnecting)
        #expect(scene.world.device("ben", as: scene.ana)?.reconnectingUntil == until)
        scene.world.advance(30_000)
        #expect(scene.world.person("ben", as: scene.ana) == nil)
        scene.world.expectHealthy()
    }
}
