import Foundation
import Rollcall
import TestSupport
import Testing

/// `rollcall-probe fault`: a bad network for anybody's clients.
@Suite(.timeLimit(.minutes(2)))
struct ProbeFaultTests {
    private func fault(_ relay: RelayProcess, _ scratch: Scratch, _ options: String...) async throws -> ChildProcess {
        let listen = ["fault", "--listen", "unix:\(scratch.path)/fault.sock", "--to", "\(relay.address)", "--json"]
        let program = try ChildProcess(built: "rollcall-probe", listen + options)
        #expect(await program.output.next(with: #""listening":"unix:\#(scratch.path)/fault.sock""#) != nil)
        return program
    }

    @Test("bytes pass, late, and are counted at the end")
    func passes() async throws {
        let (relay, scratch) = (try await RelayProcess(), try Scratch())
        let program = try await fault(relay, scratch, "--delay", "5ms", "--jitter", "5ms", "--rate", "1000000")
        let client = RollcallClient(.unix(scratch.path + "/fault.sock"))
        let call = try await client.join("standup", as: Identity(uid: "ana"))
        _ = try await call.raiseHand()
        await call.leave()
        program.send(SIGINT)
        let ending = await program.ending()
        #expect(ending.status == 0)
        #expect(ending.output.hasPrefix(#"{"connections":1,"bytesToRelay":"#), "\(ending.output)")
    }

    @Test("the one connection that is named is cut inside a frame, and the next one is whole")
    func cuts() async throws {
        let (relay, scratch) = (try await RelayProcess(), try Scratch())
        let program = try await fault(relay, scratch, "--cut-after", "150", "--only", "1")
        var options = ClientOptions()
        options.reconnect.retriesFirstJoin = true
        let client = RollcallClient(.unix(scratch.path + "/fault.sock"), options: options)
        let call = try await client.join("standup", as: Identity(uid: "ana"))
        #expect(call.state.peopleCount == 1)
        await call.leave()
        program.send(SIGTERM)
        #expect(await program.ending().output.hasPrefix(#"{"connections":2,"#))
    }

    @Test("two ends at once and a place that is taken are told in so many words")
    func refusals() async throws {
        let scratch = try Scratch()
        let address = "unix:\(scratch.path)/x.sock"
        let two = try await runProbe([
            "fault", "--listen", address, "--to", address, "--cut-after", "1", "--stall-after", "1",
        ])
        #expect(two.status == 64 && two.errors.contains("--cut-after, --stall-after and --half-open-after"))
        let relay = try await RelayProcess()
        let taken = try await runProbe(["fault", "--listen", "\(relay.address)", "--to", address])
        #expect(taken.status == 69 && taken.errors.contains("Address already in use"))
    }
}
