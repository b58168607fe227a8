import CallState
import RollcallProtocol

@testable import RelayCore

/// A call with ana, whose link is about to be lost, and ben.
struct ResumeScene {
    var world = World()
    let ana: Int
    let ben: Int

    init(_ configuration: RelayConfiguration = RelayConfiguration()) {
        world = World(configuration)
        ana = world.join("ana", instance: "instance-a")
        ben = world.join("ben")
    }

    /// Ana's program comes back with what it has.
    mutating func comeBack(
        attempt: UInt64 = 2,
        instance: String = "instance-a",
        _ change: (inout Resume) -> Void = { _ in }
    ) -> Int {
        world.comeBack(ana, as: "ana", attempt: attempt, instance: instance) { join in
            if var resume = join.resume {
                change(&resume)
                join.resume = resume
            }
        }
    }
}
