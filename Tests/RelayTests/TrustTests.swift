import Rollcall
import TestSupport
import Testing

extension RelayProcessTests {
    /// Who has the admin right: peers that the system vouches for, or everybody where the relay was told so.
    @Suite struct TrustTests {
        @Test func thePeersOfAUNIXSocketThatRunAsTheRelayMayInspect() async throws {
            let relay = try await RelayProcess()
            let connections = try await RollcallClient(relay.address).connections()
            #expect(connections.count == 1)
        }

        @Test func overTCPNobodyMayInspect() async throws {
            let relay = try await RelayProcess("--listen=tcp:127.0.0.1:0")
            let error = await #expect(throws: RollcallError.self) {
                try await RollcallClient(relay.address).connections()
            }
            #expect(error?.code == .forbidden)
            // What needs no right still works.
            #expect(try await RollcallClient(relay.address).calls().isEmpty)
        }

        @Test func withOpenAdminEverybodyMay() async throws {
            let relay = try await RelayProcess("--listen=tcp:127.0.0.1:0", "--open-admin")
            #expect(try await RollcallClient(relay.address).connections().count == 1)
        }
    }
}
