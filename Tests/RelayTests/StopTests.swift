import CallState
import Foundation
import Rollcall
import RollcallProtocol
import TestSupport
import Testing

extension RelayProcessTests {
    /// A planned stop: everybody is told, the last frames go out, nothing is left behind.
    @Suite struct StopTests {
        @Test(arguments: [SIGTERM, SIGINT, SIGHUP]) func clientsAreToldToComeBackAndWhen(signal: Int32) async throws {
            let relay = try await RelayProcess("--resume-after=3s")
            let silent = try BareSocket(relay.address)
            let greeted = try BareSocket(relay.address)
            greeted.greet()
            try greeted.welcome()
            let attached = try BareSocket(relay.address)
            try attached.join("standup", "ana")

            relay.send(signal)
            for client in [greeted, attached, silent] {
                let refusal = try client.closed()
                #expect(refusal?.code == .goingAway)
                #expect(refusal?.advice == .after)
                // Spread over half as long again, so that not all come back in one moment.
                #expect((3_000...4_500).contains(refusal?.after ?? 0))
                #expect(try client.receive() == nil)
                client.close()
            }
            #expect(await relay.end() == 0)
            #expect(!FileManager.default.fileExists(atPath: relay.socket))
            let log = await relay.log.toTheEnd()
            #expect(log.contains { $0.hasSuffix(" info stopping connections=3") })
            #expect(log.last?.contains(" info stopped accepted=3 ") == true)
        }

        @Test func theLastCommandsAreAnsweredBeforeTheGoodbye() async throws {
            let relay = try await RelayProcess()
            let client = try BareSocket(relay.address)
            try client.join("standup", "ana")
            let commands = (UInt64(1)...64).map { op in
                ClientFrame.command(Command(op: op, settings: [Setting(.name(ByteString("ana \(op)")))]))
            }
            client.send(commands.flatMap(\.bytes))
            // The last answer means that all were read; whatever has not left yet must come before Closed.
            var acknowledged: UInt64 = 0
            var position: UInt64 = 0
            while acknowledged < 64, let frame = try client.receive() {
                if case .ack(let ack) = frame {
                    #expect(ack.op == acknowledged + 1 && ack.code == .ok)
                    acknowledged = ack.op
                    position = ack.position.seq
                }
            }
            #expect(acknowledged == 64)
            client.send(.command(Command(op: 65, settings: [Setting(.handRaised(true))])))
            var raised: UInt64?
            while raised == nil, let frame = try client.receive() {
                if case .delta(let delta) = frame, delta.toSeq > position { raised = delta.toSeq }
            }
            relay.send(SIGTERM)
            let last = try client.closed()?.code
            #expect(last == .goingAway)
            client.close()
            #expect(await relay.end() == 0)
        }

        @Test func aClientThatDoesNotReadDoesNotHoldUpTheEnd() async throws {
            let relay = try await RelayProcess("--close-timeout=300ms")
            let stuck = try BareSocket(relay.address)
            try stuck.join("standup", "stuck", mode: .observer)
            try await fill(relay, "standup")
            relay.send(SIGTERM)
            // It does not read a byte until the relay has ended: nothing but the time-out can end it.
            #expect(await relay.end() == 0)
            #expect(!FileManager.default.fileExists(atPath: relay.socket))
            stuck.close()
        }

        /// Changes a call until a receiver that does not read has bytes in flight.
        private func fill(_ relay: RelayProcess, _ session: String) async throws {
            let client = RollcallClient(relay.address)
            let call = try await client.join(session, as: Identity(uid: "ana", device: "d"))
            while true {
                for number in 0..<100 {
                    try await call.setAttribute("k\(number % 30)", [UInt8](repeating: UInt8(number), count: 1_000))
                }
                if try await client.connections().contains(where: { $0.uid != "ana" && $0.inFlight > 0 }) { break }
            }
            await call.leave()
        }

        /// The time-out is longer than the suite's limit: only the second signal can end it.
        @Test func aSecondSignalEndsItAtOnce() async throws {
            let relay = try await RelayProcess("--close-timeout=1h")
            let stuck = try BareSocket(relay.address)
            try stuck.join("standup", "stuck", mode: .observer)
            try await fill(relay, "standup")
            relay.send(SIGTERM)
            #expect(await relay.log.next(with: " info stopping ") != nil)
            relay.send(SIGTERM)
            #expect(await relay.end() == 0)
            #expect(!FileManager.default.fileExists(atPath: relay.socket))
            stuck.close()
        }

        @Test func withoutClientsItEndsAtOnce() async throws {
            let relay = try await RelayProcess("--close-timeout=1h", "--listen=tcp:127.0.0.1:0")
            relay.send(SIGTERM)
            #expect(await relay.end() == 0)
            #expect(throws: (any Error).self) { try BareSocket(relay.address) }
        }

        /// The further addresses take the time in which a signal would find the file and nobody to remove it.
        @Test func aSignalWhileItStartsLeavesNoSocketFile() async throws {
            for _ in 0..<8 {
                let scratch = try Scratch()
                let socket = scratch.path + "/relay.sock"
                let more = (0..<16).map { _ in "--listen=tcp:localhost:0" }
                let relay = try ChildProcess(built: "rollcall-relay", ["--listen=unix:\(socket)"] + more)
                while !FileManager.default.fileExists(atPath: socket) { await Task.yield() }
                relay.send(SIGTERM)
                #expect(await relay.end() == 0)
                #expect(!FileManager.default.fileExists(atPath: socket))
            }
        }

        @Test func aClientOfTheLibraryComesBackToTheNextRelay() async throws {
            let first = try await RelayProcess("--resume-after=50ms")
            let call = try await RollcallClient(first.address).join("standup", as: Identity(uid: "ana", device: "d"))
            let before = call.position
            var states = call.connectionUpdates.makeAsyncIterator()
            first.send(SIGTERM)
            #expect(await first.end() == 0)
            let second = try await RelayProcess(scratch: first.scratch)
            // Nothing is kept on disk, so the call begins anew, in a later epoch.
            while let state = await states.next() {
                if state.isClosed { break }
                if state.isLive, call.position.epoch > before.epoch { break }
            }
            #expect(call.position.epoch > before.epoch)
            #expect(call.state.people.map(\.uid) == ["ana"])
            await call.leave()
            second.send(SIGTERM)
            #expect(await second.end() == 0)
        }

        @Test func signalsThatAreNoStopDoNotStopIt() async throws {
            let relay = try await RelayProcess()
            relay.send(SIGPIPE)
            relay.send(SIGXFSZ)
            let counters = try await relay.counters()
            #expect(counters["connections"] == 0)
            #expect(counters["accepted"] == 0)
            _ = try await RollcallClient(relay.address).ping()
            #expect(try await relay.counters()["accepted"] == 1)
        }
    }
}
