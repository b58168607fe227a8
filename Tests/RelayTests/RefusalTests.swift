import Foundation
import Rollcall
import TestSupport
import Testing

extension RelayProcessTests {
    /// What the program refuses: each with its exit status (sysexits) and a sentence that says what and what to do.
    @Suite struct RefusalTests {
        @Test(arguments: [
            (["--lisen=unix:/a"], ["there is no option --lisen", "--listen"]),
            (["--grace"], ["--grace needs a value"]),
            (["--grace=fast"], ["--grace cannot be \"fast\""]),
            (["--grace=10m"], ["--grace cannot be \"10m\""]),
            (["--max-frame=1GiB"], ["--max-frame cannot be \"1GiB\""]),
            (["--log-format=xml"], ["--log-format cannot be \"xml\"", "text", "json"]),
            (["--socket-mode=999"], ["--socket-mode cannot be \"999\"", "0660"]),
            (["--listen=/run/rollcall.sock"], ["--listen cannot be \"/run/rollcall.sock\"", "unix:/path"]),
            (["--listen=tcp:127.0.0.1"], ["the port is missing"]),
            (["--listen=tcp:127.0.0.1:99999"], ["the port must be a number from 0 to 65535"]),
            (["--ping-interval=10s", "--dead-after=15s"], ["--dead-after", "at least twice --ping-interval"]),
            (["surplus"], ["there is an argument too many: \"surplus\""]),
        ])
        func aWrongCommandLineIs64(arguments: [String], words: [String]) async throws {
            let result = try await RelayProcess.run(arguments: arguments)
            #expect(result.status == 64, "\(result)")
            #expect(result.output.isEmpty)
            #expect(result.errors.hasPrefix("rollcall-relay: "))
            for word in words { #expect(result.errors.contains(word), "\(result.errors)") }
        }

        @Test func aWrongVariableIs78() async throws {
            let result = try await RelayProcess.run(environment: ["ROLLCALL_GRACE": "fast"])
            #expect(result.status == 78)
            #expect(result.errors.contains("ROLLCALL_GRACE") && result.errors.contains("fast"))
        }

        @Test(arguments: [
            ("grace = fast\n", ["relay.conf:1", "--grace", "fast"]),
            ("grace 20s\n", ["relay.conf:1", "name = value"]),
            ("\ngrase = 20s\n", ["relay.conf:2", "grase", "grace"]),
            ("grace = 1s\ngrace = 2s\n", ["relay.conf:2", "more than once"]),
        ])
        func aWrongConfigFileIs78(text: String, words: [String]) async throws {
            let scratch = try Scratch()
            let config = try scratch.write(text, to: "relay.conf")
            let result = try await RelayProcess.run("--config=\(config)")
            #expect(result.status == 78, "\(result)")
            for word in words { #expect(result.errors.contains(word), "\(result.errors)") }
        }

        @Test func aMissingConfigFileIs78() async throws {
            let scratch = try Scratch()
            let result = try await RelayProcess.run("--config=\(scratch.path)/none.conf")
            #expect(result.status == 78)
            #expect(result.errors.contains("none.conf") && result.errors.contains("No such file"))
        }

        @Test(arguments: ["tcp:0.0.0.0:0", "tcp:[::]:0"])
        func anOpenRelayDoesNotListenToTheNetworkUnlessToldSo(address: String) async throws {
            let refused = try await RelayProcess.run("--listen=\(address)")
            #expect(refused.status == 78)
            #expect(refused.errors.hasPrefix("rollcall-relay: refusing to listen on \(address) without tokens"))
            #expect(refused.errors.contains("--open-to-network"))
        }

        @Test func anOpenRelayListensToTheNetworkWhenToldSo() async throws {
            let relay = try await RelayProcess("--listen=tcp:0.0.0.0:0", "--open-to-network")
            let port = relay.addresses.map { if case .tcp(_, let port) = $0 { port } else { UInt16(0) } }[0]
            _ = try await RollcallClient(.tcp("127.0.0.1", port)).ping()
            relay.send(SIGTERM)
            #expect(await relay.end() == 0)
        }

        @Test func anUnknownHostIs68() async throws {
            // Reserved never to exist (RFC 6761).
            let result = try await RelayProcess.run("--listen=tcp:rollcall.invalid:0", "--open-to-network")
            #expect(result.status == 68, "\(result)")
            #expect(result.errors.contains("cannot listen on tcp:rollcall.invalid:0"))
        }

        @Test func aTakenPortIs69() async throws {
            let relay = try await RelayProcess("--listen=tcp:127.0.0.1:0")
            let result = try await RelayProcess.run("--listen=\(relay.address)")
            #expect(result.status == 69, "\(result)")
            #expect(
                result.errors
                    == "rollcall-relay: cannot listen on \(relay.address): another program listens there already"
            )
        }

        @Test func allAddressesOrNone() async throws {
            let relay = try await RelayProcess("--listen=tcp:127.0.0.1:0")
            let first = "\(relay.scratch.path)/first.sock"
            let result = try await RelayProcess.run("--listen=unix:\(first)", "--listen=\(relay.address)")
            #expect(result.status == 69)
            #expect(result.output.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: first))
        }
    }
}
