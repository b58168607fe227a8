import Foundation
import Rollcall
import TestSupport
import Testing

extension RelayProcessTests {
    /// The file of a UNIX socket: whose it is, who may use it, and what becomes of it.
    @Suite struct SocketFileTests {
        private func kind(of path: String) -> FileAttributeType? {
            (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
        }

        @Test func aSecondRelayOnTheSameSocketIs69AndTheFirstGoesOn() async throws {
            let relay = try await RelayProcess()
            let second = try await RelayProcess.run("--listen=unix:\(relay.socket)")
            #expect(second.status == 69)
            #expect(
                second.errors
                    == "rollcall-relay: cannot listen on unix:\(relay.socket): address in use by a running server"
            )
            _ = try await RollcallClient(relay.address).ping()
        }

        @Test func theSocketOfAKilledRelayIsReplaced() async throws {
            let first = try await RelayProcess()
            first.send(SIGKILL)
            #expect(await first.end() == -SIGKILL)
            #expect(kind(of: first.socket) == .typeSocket)
            let second = try await RelayProcess(scratch: first.scratch)
            #expect(second.socket == first.socket)
            _ = try await RollcallClient(second.address).ping()
        }

        @Test func whatIsNoSocketIsLeftAlone() async throws {
            let scratch = try Scratch()
            let path = try scratch.write("precious", to: "relay.sock")
            let result = try await RelayProcess.run("--listen=unix:\(path)")
            #expect(result.status == 78)
            #expect(result.errors.contains("there is a regular file at this path; it was left alone"))
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        }

        @Test func aMissingDirectoryIs73() async throws {
            let scratch = try Scratch()
            let result = try await RelayProcess.run("--listen=unix:\(scratch.path)/none/relay.sock")
            #expect(result.status == 73, "\(result)")
            #expect(result.errors.contains("no such file or directory"))
        }

        @Test func aPathThatIsTooLongIs78() async throws {
            let scratch = try Scratch()
            let path = scratch.path + "/" + String(repeating: "x", count: 120)
            let result = try await RelayProcess.run("--listen=unix:\(path)")
            #expect(result.status == 78, "\(result)")
            #expect(result.errors.contains(path))
        }

        @Test func aDirectoryThatMayNotBeWrittenIs77() async throws {
            let scratch = try Scratch()
            chmod(scratch.path, 0o500)
            defer { chmod(scratch.path, 0o700) }
            // Root may write everywhere, but no one makes a socket among the kernel's own files.
            let folder = geteuid() == 0 ? "/sys" : scratch.path
            let result = try await RelayProcess.run("--listen=unix:\(folder)/relay.sock")
            #expect(result.status == 77, "\(result)")
            #expect(result.errors.contains("permi"))
        }

        @Test(arguments: ["0600", "0666"]) func theModeIsAsAsked(mode: String) async throws {
            let relay = try await RelayProcess("--socket-mode=\(mode)")
            let attributes = try FileManager.default.attributesOfItem(atPath: relay.socket)
            #expect(attributes[.posixPermissions] as? Int == Int(mode, radix: 8))
        }

        @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
        func theOwnerIsAsAsked() async throws {
            let relay = try await RelayProcess("--socket-user=65534", "--socket-group=65533")
            let attributes = try FileManager.default.attributesOfItem(atPath: relay.socket)
            #expect(attributes[.ownerAccountID] as? Int == 65_534)
            #expect(attributes[.groupOwnerAccountID] as? Int == 65_533)
        }

        @Test(arguments: [("--socket-user", "user"), ("--socket-group", "group")])
        func anUnknownOwnerIs78AndNothingStays(option: String, what: String) async throws {
            let scratch = try Scratch()
            let path = "\(scratch.path)/relay.sock"
            let result = try await RelayProcess.run("--listen=unix:\(path)", "\(option)=no-such-name")
            #expect(result.status == 78, "\(result)")
            #expect(result.errors.contains("there is no \(what) \"no-such-name\" to own the socket"))
            #expect(kind(of: path) == nil)
        }
    }
}
