import SimulationSupport
import Testing

/// How runs are written down.
@Suite("Kept runs of the simulation")
struct KeepingTests {
    @Test("Every kind of step can be written and read")
    func steps() throws {
        let world = Simulation(seed: 9)
        for number in 0..<500 {
            let step = world.step(number)
            #expect(Step(text: step.text) == step)
        }
        for kind in Step.Kind.allCases { #expect(Step(text: "\(kind).ff") != nil) }
        for text in ["", "cut", "cut.", "cut.x", "fall.1", "cut.1.2"] { #expect(Step(text: text) == nil) }
    }

    @Test("A file of kept runs is read line by line")
    func file() throws {
        let text = "# kept\n=== a-name\nseed 7 steps 20\n3:cut.1f 5:calm.2\n\n=== other\nseed 8 steps 10\n"
        let entries = try Regression.read(text)
        #expect(entries.map(\.name) == ["a-name", "other"])
        #expect(entries.map(\.seed) == [7, 8])
        #expect(entries[0].steps.map(\.number) == [3, 5])
        #expect(try Regression.read(entries[0].text)[0].text == entries[0].text)
        #expect(entries[1].run().violation == nil)
    }

    @Test(
        "What is wrong with a file is said with its line",
        arguments: [
            ("seed 7 steps 20\n", "line 1"), ("=== a\nseed x steps 20\n", "line 2"), ("=== a\n\n3:fall.1\n", "line 3"),
            ("=== a\n3.cut:1\n", "line 2"),
        ]
    )
    func badFile(text: String, place: String) {
        #expect { try Regression.read(text) } throws: { "\($0)".hasPrefix(place) }
    }

    @Test("A run without a fault has nothing to shrink")
    func nothingToShrink() {
        #expect(Shrinking(seed: 9, steps: 50) == nil)
    }
}
