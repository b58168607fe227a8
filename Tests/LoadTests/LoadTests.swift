import Foundation
import Rollcall
import TestSupport
import Testing

@testable import rollcall_load

extension AgainstARelay {
    /// The other commands against a real relay, in small.
    @Suite struct LoadTests {
        @Test func manyCallsEndWithTheRelaysDigest() async throws {
            let relay = try await RelayProcess.onBoth()
            let (status, output) = try await load([
                "calls", "--connect", "\(relay.unix)", "--calls", "8", "--people", "4", "--steps", "40", "--relay-pid",
                "\(relay.pid)", "--idle-clients", "100", "--quiet",
            ])
            #expect(status == 0, "\(output)")
            #expect(output.contains("0 of them lag"), "\(output)")
            #expect(output.contains("bytes per idle client"), "\(output)")
        }

        @Test func aLateJoinerGetsOneSnapshotInParts() async throws {
            let relay = try await RelayProcess.onBoth()
            let (status, output) = try await load([
                "late-join", "--connect", "\(relay.unix)", "--people", "1200", "--json",
            ])
            #expect(status == 0, "\(output)")
            struct Printed: Decodable {
                var people: Int
                var parts: Int
                var longestPart: Int
                var emptyParts: Int
                var failures: [String]
            }
            let printed = try JSONDecoder().decode(Printed.self, from: Data(output.utf8))
            #expect(printed.people == 1200)
            #expect(printed.parts > 1)
            #expect(printed.longestPart <= 65_536)
            #expect(printed.emptyParts == 1)
            #expect(printed.failures == [])
        }

        @Test(arguments: HostileCase.allCases.filter { $0 != .crowd })
        func aHostileClientGetsItsCodeAndHarmsNobody(hostile: HostileCase) async throws {
            let relay = try await RelayProcess.onBoth([
                "--hello-timeout", "300ms", "--stall-timeout", "500ms", "--dead-after", "600ms", "--ping-interval",
                "200ms", "--command-rate", "0",
            ])
            for address in [relay.unix, relay.tcp] {
                let (status, output) = try await load([
                    "hostile", "--connect", "\(address)", "--case", hostile.rawValue, "--hello-timeout", "300ms",
                    "--stall-timeout", "500ms",
                ])
                #expect(status == 0, "\(output)")
                #expect(output.contains("ok  \(hostile.rawValue)"), "\(output)")
            }
        }

        /// The relay is said to be quicker than it is: the case must then fail, or it could not find a relay that never
        /// ends.
        @Test func aRelayThatDoesNotEndAConnectionIsFound() async throws {
            let relay = try await RelayProcess.onBoth(["--hello-timeout", "1h"])
            let generator = HostileGenerator(
                hostile: .noPreface,
                address: relay.unix,
                session: "s",
                times: HostileTimes(hello: .milliseconds(1), stall: .seconds(1), margin: .milliseconds(200)),
                seed: 1
            )
            let outcome = try generator.run()
            #expect(outcome.ends == [HostileOutcome.alive: 1])
            #expect(!outcome.failures(of: .noPreface).isEmpty)
            withExtendedLifetime(relay) {}
        }
    }
}
