import CallState
import RelayCore
import RollcallProtocol
import Testing

@Suite("Bounding what the system keeps")
struct SystemBufferTests {
    private func limited(_ world: World) -> Int {
        world.effects.count { if case .limitUnsent = $0 { true } else { false } }
    }

    @Test("once for each attachment, after the join's last part, whatever follows")
    func onceForEachAttachment() {
        var world = World()
        let ana = world.join("ana")
        #expect(limited(world) == 1)
        _ = world.join("ben")
        #expect(limited(world) == 2)
        world.set(ana, .init(.handRaised(true)))
        world.set(ana, .init(.handRaised(false)))
        #expect(limited(world) == 2)
    }
}
