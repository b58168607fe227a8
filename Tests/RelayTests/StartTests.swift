import CallState
import Foundation
import Rollcall
import RollcallProtocol
import TestSupport
import Testing

extension RelayProcessTests {
    /// How the program starts: what it says, where it listens, whose word counts.
    @Suite struct StartTests {
        @Test func itSaysWhereItListensWithThePortsThatWereChosen() async throws {
            let scratch = try Scratch()
            let sockets = ["\(scratch.path)/a.sock", "\(scratch.path)/b.sock"]
            let relay = try await RelayProcess(
                "--listen=unix:\(sockets[0])",
                "--listen=tcp:127.0.0.1:0",
                "--listen=unix:\(sockets[1])",
                "--listen=tcp:localhost:0",
                scratch: scratch
            )
            #expect(relay.addresses.count == 4)
            #expect(relay.addresses[0] == .unix(sockets[0]) && relay.addresses[2] == .unix(sockets[1]))
            #expect(relay.printed.last == "rollcall-relay: ready")
            for address in [relay.addresses[1], relay.addresses[3]] {
                guard case .tcp(_, let port) = address else { throw Failure("\(address)") }
                #expect(port != 0)
            }
            // They are one relay: who comes in by one door sees those who came by the others.
            var calls: [Call] = []
            for (number, address) in relay.addresses.enumerated() {
                calls.append(
                    try await RollcallClient(address).join("standup", as: Identity(uid: "u\(number)", device: "d"))
                )
            }
            #expect(calls.last?.state.people.map(\.uid) == ["u0", "u1", "u2", "u3"])
            for call in calls { await call.leave() }
        }

        @Test func helpAndVersionEndWell() async throws {
            let help = try await RelayProcess.run("--help")
            #expect(help.status == 0 && help.errors.isEmpty)
            #expect(help.output.hasPrefix("Usage: rollcall-relay "))
            for part in [
                "--listen", "--open-to-network", "--close-timeout", "--socket-buffer", "--config", "ROLLCALL_",
            ] {
                #expect(help.output.contains(part))
            }
            let version = try await RelayProcess.run("--version")
            #expect(version.status == 0 && version.output.contains("rollcall-relay 0."))
        }

        @Test func theOriginOfEachValueIsShown() async throws {
            let scratch = try Scratch()
            let config = try scratch.write("grace = 20s\nidle = 1m\nmax-calls = 7 # few\n", to: "relay.conf")
            let shown = try await RelayProcess.run(
                "--config=\(config)",
                "--idle=2m",
                "--print-config",
                environment: ["ROLLCALL_IDLE": "90s", "ROLLCALL_MAX_CALLS": "8"]
            )
            #expect(shown.status == 0)
            func line(_ name: String) -> String {
                let line = shown.output.split(separator: "\n").first { $0.hasPrefix("\(name) =") }
                return line.map { $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ") }
                    ?? ""
            }
            // The command line before the environment, the environment before the file, the file before what is built
            // in.
            #expect(line("idle") == "idle = 2m # command line")
            #expect(line("max-calls").hasPrefix("max-calls = 8 # ") && line("max-calls").contains("ROLLCALL_MAX_CALLS"))
            #expect(line("grace").hasPrefix("grace = 20s # ") && line("grace").contains("relay.conf:1"))
            #expect(line("resume-after") == "resume-after = 1s # default")
        }

        @Test func whatIsPrintedIsAConfigFile() async throws {
            let scratch = try Scratch()
            let first = try await RelayProcess.run("--grace=7s", "--socket-mode=0600", "--print-config")
            let config = try scratch.write(first.output + "\n", to: "relay.conf")
            let second = try await RelayProcess.run("--config=\(config)", "--print-config")
            func values(_ text: String) -> [Substring] {
                text.split(separator: "\n").map { $0.prefix { $0 != "#" } }.filter { !$0.isEmpty }
            }
            #expect(second.status == 0)
            #expect(
                values(second.output).map { $0.trimmingCharacters(in: .whitespaces) }.sorted()
                    == values(first.output).map { $0.trimmingCharacters(in: .whitespaces) }.sorted()
            )
        }

        @Test func aRunningRelayObeysFileEnvironmentAndFlags() async throws {
            let scratch = try Scratch()
            let config = try scratch.write(
                "listen = unix:\(scratch.path)/c.sock\nrelay-id = fromfile\ngrace = 3s\n",
                to: "r.conf"
            )
            let relay = try await RelayProcess(
                options: ["--config=\(config)", "--ping-interval=4s"],
                scratch: scratch,
                environment: ["ROLLCALL_RELAY_ID": "fromenvironment"]
            )
            #expect(relay.address == .unix("\(scratch.path)/c.sock"))
            let connection = try await RawConnection.open(relay.address)
            let welcome = try await connection.hello()
            #expect(welcome.relayID == "fromenvironment")
            #expect(welcome.pingInterval == 4_000)
            connection.close()
        }
    }
}
