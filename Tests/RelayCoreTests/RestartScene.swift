import CallState
import RollcallProtocol

@testable import RelayCore

/// A call with ana and ben that a store keeps.
struct RestartScene {
    var world: World
    var ana: Int
    var ben: Int
    private var attempts: UInt64 = 1

    init(_ durability: RelayConfiguration.Durability = .async) {
        world = World(.keeping(durability))
        ana = world.join("ana", instance: "instance-a")
        ben = world.join("ben", instance: "instance-b")
        world.advance(1_000)
    }

    /// The program of a client comes back with what it has.
    mutating func comeBack(_ client: Int, as uid: String, _ change: (inout Join) -> Void = { _ in }) -> Int {
        attempts += 1
        return world.comeBack(client, as: uid, attempt: attempts, instance: "instance-" + uid.prefix(1), change)
    }
}
