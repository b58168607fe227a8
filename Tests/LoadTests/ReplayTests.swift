import Foundation
import Rollcall
import TestSupport
import Testing
import Traces

@testable import rollcall_load

extension AgainstARelay {
    /// Replays of small meetings against a real relay: they must agree, and a planted difference must be found.
    @Suite struct ReplayTests {
        /// A meeting with everything that a trace can hold, written for this test.
        static let meeting: [String] = [
            line(0, "ana", "dev-1", "join"), line(0.5, "ana", "dev-1", "audioJoined", #""muted":false"#),
            line(1, "ben", "dev-2", "join"), line(1.2, "ben", "aud-2", "audioJoined", #""muted":true"#),
            line(2, "ana", "dev-1", "presenterAssigned"), line(2.5, "ana", "dev-1", "screenShareStarted"),
            line(3, "ben", "dev-2", "handRaised"), line(3.1, "ben", "dev-2", "handRaised", #""noop":true"#),
            line(4, "", "", "transcriptionStarted"), line(4.5, "cem", "sip-3", "join"),
            line(5, "cem", "sip-3", "handRaised"),
            line(5.5, "ben", "", "dominantSpeaker"),
            line(6, "", "", "check", #""what":"queue","queue":["ben","cem"],"agrees":true,"agreesInOrder":true"#),
            line(6.5, "ben", "dev-2", "handLowered", #""by":"ana""#), line(7, "ana", "dev-1", "recordingStarted"),
            line(7.5, "ben", "dev-2", "videoResumed"), line(8, "cem", "sip-3", "drop", #""reason":"ping timeout""#),
            line(8.2, "cem", "sip-3", "join"), line(9, "ben", "aud-2", "audioUnmuted"),
            line(9.5, "ben", "dev-2", "nickChanged", #""newDevice":"irc-4","newUid":"ben""#),
            line(10, "ana", "dev-1", "screenShareStopped"), line(11, "", "", "sessionEnded"),
            line(12, "", "", "sessionStarted"), line(12, "dia", "dev-5", "join"),
            line(13, "dia", "dev-5", "audioMuted"),
        ]

        static func line(_ t: Double, _ uid: String, _ device: String, _ event: String, _ extra: String = "") -> String
        {
            let more = extra.isEmpty ? "" : "," + extra
            return #"{"t":\#(t),"session":"s","uid":"\#(uid)","device":"\#(device)","event":"\#(event)"\#(more)}"#
        }

        static let text: String = {
            let meta = #"{"t":0.0,"session":"s","uid":"","device":"","event":"meta","present_at_start":[]}"#
            return ([meta] + meeting).joined(separator: "\n") + "\n"
        }()

        static func plan() throws -> TracePlan { TracePlan(try Trace.parse(Array(text.utf8), file: "meeting.jsonl")) }

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
            _ = try scratch.write(Self.text, to: "meeting.jsonl")
            // The second trace says of its server what is not so.
            _ = try scratch.write(
                Self.text.replacing(#""queue":["ben","cem"]"#, with: #""queue":["cem","ben"]"#),
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
