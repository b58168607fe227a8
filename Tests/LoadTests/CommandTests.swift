import CallState
import Options
import Randomness
import Rollcall
import RollcallProtocol
import TestSupport
import Testing
import ToolSupport
import TraceReplay
import Traces

@testable import rollcall_load

/// What the steps of a plan become on the wire, and what the command line refuses.
struct CommandTests {
    private let ana = TraceDevice(uid: "ana", device: "laptop")

    @Test func everyStepThatIsACommandHasItsSetting() throws {
        let expected: [(PlanAction, CommandSender, Setting)] = [
            (.setAudioMuted(ana, true), .device(ana), Setting(.audioMuted(true))),
            (.setVideoPaused(ana, false), .device(ana), Setting(.videoPaused(false))),
            (.setPresenting(ana, true), .device(ana), Setting(.presenting(true))),
            (.raiseHand(via: ana), .device(ana), Setting(.handRaised(true))),
            (.lowerHand(uid: "ana", via: ana), .device(ana), Setting(.handRaised(false))),
            (.lowerHand(uid: "ben", via: ana), .device(ana), Setting(target: Target(uid: "ben"), .handRaised(false))),
            (.setRecording(true, via: ana), .device(ana), Setting(.recording(true))),
            (.rename("Ana", via: ana), .device(ana), Setting(.name("Ana"))),
            (
                .setCallAttribute(key: "k", value: "v", via: ana), .device(ana),
                Setting(.callAttribute(Attribute(key: "k", value: [0x76])))
            ),
            (
                .setCallAttribute(key: "k", value: nil, via: nil), .bot,
                Setting(.callAttribute(Attribute(key: "k", value: nil)))
            ),
            (.stateDominantSpeaker(uid: "ana"), .bot, Setting(.dominantSpeaker("ana"))),
            (.stateDominantSpeaker(uid: nil), .bot, Setting(.dominantSpeaker(""))),
        ]
        for (action, sender, setting) in expected {
            let command = try #require(action.command, "\(action)")
            #expect(command.sender == sender, "\(action)")
            #expect(command.setting == setting, "\(action)")
        }
        let facts = InitialFacts(audioMuted: true, videoPaused: true)
        #expect(PlanAction.join(ana, facts).command == nil)
        #expect(PlanAction.leave(ana, reason: "left").command == nil)
        #expect(PlanAction.setSpeaking(ana, true).command == nil)
    }

    @Test func aPlanNeedsTheBotOnlyForWhatNobodyInTheCallDoes() {
        func plan(_ action: PlanAction) -> TracePlan { TracePlan(steps: [PlanStep(time: 0, line: 1, action: action)]) }
        #expect(plan(.stateDominantSpeaker(uid: "ana")).needsBot)
        #expect(plan(.setCallAttribute(key: "k", value: "v", via: nil)).needsBot)
        #expect(!plan(.setCallAttribute(key: "k", value: "v", via: ana)).needsBot)
        #expect(!plan(.raiseHand(via: ana)).needsBot)
    }

    @Test func lateJoinersComeFromTheSeedAndWithinThePlan() {
        func drawn(_ seed: UInt64, _ steps: Int) -> [LateJoiner] {
            var random = SplitMix64(seed: seed)
            return LateJoiner.drawn(5, steps: steps, random: &random)
        }
        let seed = loadSeed()
        let joiners = drawn(seed, 100)
        #expect(joiners == drawn(seed, 100))
        #expect(joiners.map(\.step) == joiners.map(\.step).sorted())
        #expect(joiners.allSatisfy { (1...100).contains($0.step) })
        #expect(joiners.map(\.isObserver) == [false, true, false, true, false])
        #expect(Set(joiners.map(\.device)).count == 5)
        #expect(drawn(seed, 0).allSatisfy { $0.step == 0 })
    }

    // MARK: The command line

    private func parse(_ arguments: [String]) throws -> Settings {
        guard case .run(let settings) = try LoadOptions.program.parse(arguments: arguments) else {
            throw OptionsAskedForText()
        }
        return settings
    }

    private struct OptionsAskedForText: Error {}

    @Test(arguments: [
        ["reply", "--connect", "unix:/s"], ["replay", "x.jsonl"], ["replay", "x.jsonl", "--connect", "http://x"],
        ["replay", "x.jsonl", "--connect", "unix:/s", "--speed", "-1"],
        ["replay", "x.jsonl", "--connect", "unix:/s", "--speed", "fast"],
        ["calls", "--connect", "unix:/s", "--calls", "0"], ["hostile", "--connect", "unix:/s", "--case", "rude"],
        ["late-join", "--connect", "unix:/s", "--people", "many"],
    ])
    func aWrongCommandLineIsRefusedWithStatus64(arguments: [String]) throws {
        let error = try #require(throws: OptionError.self) { try parse(arguments) }
        #expect(error.exitStatus == 64)
    }

    @Test func theNumbersOfTheCommandLineArrive() throws {
        let settings = try parse([
            "replay", "a", "b", "--connect", "tcp:127.0.0.1:7420", "--speed", "0", "--late-joiners", "3", "--seed", "9",
        ])
        #expect(settings[LoadOptions.files] == ["a", "b"])
        #expect(settings[LoadOptions.connect] == .tcp("127.0.0.1", 7420))
        #expect(settings[LoadOptions.speed] == 0)
        #expect(settings[LoadOptions.lateJoiners] == 3)
        #expect(settings[LoadOptions.seed] == 9)
    }

    @Test func aReplayWithoutTracesIsRefused() throws {
        let nothing = try #require(throws: ToolError.self) {
            _ = try ReplayCommand(try parse(["replay", "--connect", "unix:/s"]))
        }
        #expect(nothing.code == .usage)
        let missing = try #require(throws: ToolError.self) { try ReplayCommand.traces(in: ["/nowhere/at/all.jsonl"]) }
        #expect(missing.code == .noInput)
        #expect(missing.message.contains("/nowhere/at/all.jsonl"))
    }

    @Test func aFolderStandsForItsTraces() throws {
        let folder = try Scratch()
        for name in ["b.jsonl", "a.jsonl", "notes.txt"] { _ = try folder.write("", to: name) }
        #expect(try ReplayCommand.traces(in: [folder.path]) == ["a.jsonl", "b.jsonl"].map { folder.path + "/" + $0 })
        let empty = try Scratch()
        let error = try #require(throws: ToolError.self) { try ReplayCommand.traces(in: [empty.path]) }
        #expect(error.code == .noInput)
    }
}
