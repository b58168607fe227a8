import Foundation
import SimulationSupport
import TestSupport
import Testing

/// Runs of the simulation under the checks of a debug build; the many runs are Tools/simulate's.
@Suite("Simulation")
struct RunTests {
    @Test("Nothing is broken in some runs", arguments: 1...4)
    func someSeeds(seed: UInt64) {
        var world = Simulation(seed: seed)
        world.run(steps: 600)
        #expect(world.violation == nil, "seed \(seed): Tools/simulate --seed \(seed) --steps 600")
    }

    @Test("Runs that have found something once find nothing")
    func regressions() throws {
        let text = try String(contentsOfFile: Places.file("Tests/Simulation/regressions"), encoding: .utf8)
        let kept = try Regression.read(text)
        #expect(!kept.isEmpty)
        for regression in kept {
            #expect(regression.run().violation == nil, "\(regression.name)")
        }
    }

    @Test("One seed is one run: in two processes with other seeds of hashing everything is the same")
    func deterministic() async throws {
        let arguments = ["--seeds", "8", "--steps", "500", "--from", "77", "--hashes"]
        let first = try await ChildProcess(
            built: "rollcall-simulate",
            arguments,
            environment: ["SWIFT_DETERMINISTIC_HASHING": "1"]
        ).ending()
        let second = try await ChildProcess(built: "rollcall-simulate", arguments).ending()
        let third = try await ChildProcess(built: "rollcall-simulate", arguments + ["--jobs", "3"]).ending()
        #expect(first.status == 0)
        #expect(first.output.split(separator: "\n").count == 8)
        #expect(first.output == second.output)
        #expect(first.output == third.output)
    }

    @Test("A recorded run is the same run")
    func recording() {
        var one = Simulation(seed: 5)
        var two = Simulation(seed: 5, isRecorded: true)
        one.run(steps: 300)
        two.run(steps: 300)
        #expect(one.traceHash == two.traceHash)
        #expect(one.tail.isEmpty && !two.tail.isEmpty)
    }
}
