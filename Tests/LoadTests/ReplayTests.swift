import Foundation
import Rollcall
import TestSupport
import Testing
import Traces

@testable import rollcall_load

extension AgainstARelay {
    /// Replays of small meetings against a real relay: they must agree, and a planted difference must be found.
    @Suite struct ReplayTests {
        static func plan() throws -> TracePlan { TracePlan(try SampleMeeting.trace()) }

        private func replay(_ address: Address, speed: Double = 0) async throws -> ReplayReport {
            let seed = loadSeed()
            var options = ReplayOptions(address: address)
            options.lateJoiners = 5
            options.seed = seed
            options.speed = speed
            let run = ReplayRun(try Self.plan(), name: "meeting.jsonl", options: options)
            try await run.play()
            try await run.settle()
            await run.leave()
            return await run.result
        }

        @Test func aMeetingAgreesOverUNIX() async throws {
            let relay = try await RelayProcess.onBoth()
            let report = try await replay(relay.unix)
            #expect(report.differences == [])
            #expect(report.lateJoins == 5)
            #expect(report.checks == 1)
            #expect(report.comparisons > 50)
            #expect(report.digests > 20)
            #expect(report.snapshots.snapshots > 5)
            #expect(report.snapshots.bytes > 0)
            #expect(report.skipped["sessionStarted: a call starts with its first join"] == 1)
            withExtendedLifetime(relay) {}
        }

        @Test func aMeetingAgreesOverTCP() async throws {
            let relay = try await RelayProcess.onBoth(["--open-admin"])
            #expect(try await replay(relay.tcp).differences == [])
            withExtendedLifetime(relay) {}
        }

        @Test func aMeetingAgreesInRealTimeWithItsLinksCut() async throws {
            let relay = try await RelayProcess.onBoth()
            let report = try await replay(relay.unix, speed: 20)
            #expect(report.differences == [])
            #expect(report.duration > .milliseconds(600))
            withExtendedLifetime(relay) {}
        }

        @Test func factsThatNobodyMayStateAreRefusedWithTheRightThatIsMissing() async throws {
            let relay = try await RelayProcess.onBoth()
            let run = ReplayRun(try Self.plan(), name: "meeting.jsonl", options: ReplayOptions(address: relay.tcp))
            await #expect(throws: ReplayFailure.self) { try await run.play() }
            await run.leave()
            withExtendedLifetime(relay) {}
        }

        /// The negative control: somebody who is in no trace comes and changes the call behind the replay's back.
        @Test func aStrangerInTheCallIsADifference() async throws {
            let relay = try await RelayProcess.onBoth()
            var meeting = RandomMeeting(people: 3, steps: 40, seed: loadSeed())
            meeting.devicesPerPerson = 1
            let run = ReplayRun(meeting.plan(), name: "planted", options: ReplayOptions(address: relay.unix))
            try await run.play()
            #expect(await run.result.differences == [])
            let stranger = try await RollcallClient(relay.unix).join(run.session, as: Identity(uid: "stranger"))
            try await run.settle()
            await stranger.leave()
            await run.leave()
            let report = await run.result
            #expect(!report.isClean)
            #expect(report.differences.contains { $0.who == "the relay" })
            #expect(report.differences.contains { $0.who == "load-bot" })
            #expect(report.differences.allSatisfy { $0.description.contains("stranger: unexpected") })
            withExtendedLifetime(relay) {}
        }

        @Test func theProgramSaysZeroDifferencesOrEndsWith65() async throws {
            let relay = try await RelayProcess.onBoth()
            let scratch = try Scratch()
            _ = try scratch.write(SampleMeeting.text, to: "meeting.jsonl")
            // The second trace says of its server what is not so.
            _ = try scratch.write(
                SampleMeeting.text.replacing(#""queue":["ben","cem"]"#, with: #""queue":["cem","ben"]"#),
                to: "wrong.jsonl"
            )
            func run(_ name: String) async throws -> (status: Int32, output: String) {
                try await load([
                    "replay", scratch.path + "/" + name, "--connect", "\(relay.unix)", "--speed", "0", "--quiet",
                ])
            }
            let good = try await run("meeting.jsonl")
            #expect(good.status == 0, "\(good.output)")
            #expect(good.output.contains("zero differences in 1 traces"))
            let wrong = try await run("wrong.jsonl")
            #expect(wrong.status == 65, "\(wrong.output)")
            // The line of the trace is named: the check is on line 14.
            #expect(wrong.output.contains("wrong.jsonl:14:"))
            withExtendedLifetime(relay) {}
        }
    }
}
