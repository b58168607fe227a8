import CallState
import Foundation
import Randomness
import Rollcall
import RollcallProtocol
import TestSupport
import Testing

extension RelayProcessTests {
    /// Many clients, and those that end in every way there is.
    @Suite struct CrowdTests {
        /// What a relay has open and in memory, where the system tells.
        private struct Usage: CustomStringConvertible {
            var descriptors: Int
            /// Resident memory in KiB.
            var memory: Int
            var description: String { "\(descriptors) descriptors, \(memory) KiB" }

            init?(_ relay: RelayProcess) {
                let base = "/proc/\(relay.pid)"
                guard let open = try? FileManager.default.contentsOfDirectory(atPath: "\(base)/fd"),
                    let status = try? String(contentsOfFile: "\(base)/status", encoding: .utf8),
                    let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
                    let memory = line.split(separator: " ").compactMap({ Int($0) }).first
                else { return nil }
                descriptors = open.count
                self.memory = memory
            }
        }

        /// The ways in which a client ends.
        private enum Ending: CaseIterable { case leave, close, reset, halfClose, half, rubbish }

        @Test func threeHundredComeAndGoInEveryWayAndNothingStays() async throws {
            let seed =
                ProcessInfo.processInfo.environment["ROLLCALL_SEED"].flatMap(UInt64.init) ?? .random(in: 0...99_999)
            print("crowd: ROLLCALL_SEED=\(seed)")
            var random = SplitMix64(seed: seed)
            let relay = try await RelayProcess(
                "--listen=tcp:127.0.0.1:0",
                "--listen=unix:/tmp/rollcall-crowd-\(UInt32.random(in: .min ... .max)).sock",
                "--grace=0",
                "--close-timeout=100ms",
                "--hello-timeout=4s",
                "--ping-interval=1s",
                "--dead-after=4s"
            )
            func round(_ count: Int) throws {
                var clients: [BareSocket] = []
                for number in 0..<count {
                    let client = try BareSocket(relay.addresses[Int.random(in: 0...1, using: &random)])
                    client.greet()
                    if Bool.random(using: &random) {
                        client.send(.joining(ByteString("call \(number % 7)"), ByteString("u\(number)")))
                    }
                    clients.append(client)
                    // Some are already gone while others come.
                    if clients.count > 40 { end(clients.remove(at: Int.random(in: 0..<40, using: &random)), &random) }
                }
                for client in clients { end(client, &random) }
            }
            // The last may not have been accepted when all that were have gone.
            func haveEnded(_ count: Int) async throws {
                _ = try await relay.counters {
                    $0["accepted"] == count && $0["connections"] == 0 && $0["next-deadline"] == nil
                }
            }
            try round(300)
            try await haveEnded(300)
            let before = Usage(relay)
            try round(300)
            try await haveEnded(600)
            let after = Usage(relay)
            print("crowd: before \(before.map(String.init) ?? "?"), after \(after.map(String.init) ?? "?")")
            if let before, let after {
                #expect(after.descriptors == before.descriptors)
                #expect(after.memory <= before.memory + 1_024)
            }
            #expect(try await RollcallClient(relay.addresses[1]).calls().isEmpty)
            relay.send(SIGTERM)
            #expect(await relay.end() == 0)
        }

        private func end(_ client: BareSocket, _ random: inout SplitMix64) {
            switch Ending.allCases.randomElement(using: &random)! {
            case .leave:
                client.send(.leave(.left))
                client.close()
            case .close: client.close()
            case .reset: client.reset()
            case .halfClose:
                client.finishSending()
                client.close()
            case .half:
                client.send(Array(ClientFrame.greeting.bytes.dropLast(3)))
                client.close()
            case .rubbish:
                client.send([0xff, 0xff, 0xff, 0xff])
                client.close()
            }
        }

        @Test func aHalfClosedClientHasEndedAndIsToldNothingMore() async throws {
            let relay = try await RelayProcess("--grace=1m")
            let watcher = try await RollcallClient(relay.address).observe("standup")
            var updates = watcher.updates.makeAsyncIterator()
            let client = try BareSocket(relay.address)
            try client.join("standup", "ana")
            client.finishSending()
            while try client.receive() != nil {}
            while await updates.next() != nil {
                if watcher.state.person(uid: "ana")?.devices.first?.isReconnecting == true { break }
            }
            #expect(watcher.state.people.map(\.uid) == ["ana"])
            client.close()
            await watcher.leave()
        }

        @Test func whatAClientSendsBeforeItClosesCounts() async throws {
            let relay = try await RelayProcess("--grace=1m")
            let watcher = try await RollcallClient(relay.address).observe("standup")
            var updates = watcher.updates.makeAsyncIterator()
            let client = try BareSocket(relay.address)
            client.send(
                FrameSplitter.preface + ClientFrame.greeting.bytes + ClientFrame.joining("standup", "ana").bytes
                    + ClientFrame.command(Command(op: 1, settings: [Setting(.handRaised(true))])).bytes
            )
            client.close()
            while watcher.state.person(uid: "ana")?.hand == nil, await updates.next() != nil {}
            #expect(watcher.state.raisedHands.map(\.uid) == ["ana"])
            await watcher.leave()
        }

        @Test func commandsInOnePieceAreAnsweredInOrder() async throws {
            let relay = try await RelayProcess("--listen=tcp:127.0.0.1:0")
            let client = try BareSocket(relay.address)
            var bytes = FrameSplitter.preface + ClientFrame.greeting.bytes + ClientFrame.joining("standup", "ana").bytes
            // As long as names may be: 64 commands fill as much of one write as the window lets them.
            let name = ByteString(String(repeating: "x", count: 200))
            for op in 1...64 {
                bytes +=
                    ClientFrame.command(Command(op: UInt64(op), settings: [Setting(.name(op % 2 == 0 ? name : "ana"))]))
                    .bytes
            }
            #expect(client.send(bytes))
            var acknowledged: [UInt64] = []
            while acknowledged.count < 64, let frame = try client.receive() {
                if case .ack(let ack) = frame, ack.code == .ok { acknowledged.append(ack.op) }
            }
            #expect(acknowledged == Array(1...64))
        }

        @Test func whoPipelinesFarBeyondTheWindowIsClosedAndTheOthersNoticeNothing() async throws {
            let relay = try await RelayProcess("--listen=tcp:127.0.0.1:0")
            let call = try await RollcallClient(relay.address).join("standup", as: Identity(uid: "ben", device: "d"))
            let client = try BareSocket(relay.address)
            try client.join("standup", "ana")
            var bytes: [UInt8] = []
            var op: UInt64 = 0
            while bytes.count < 64 * 1024 {
                op += 1
                bytes += ClientFrame.command(Command(op: op, settings: [Setting(.handRaised(op % 2 == 1))])).bytes
            }
            client.send(bytes)
            let refusal = try client.closed()
            // How much of it is read in one piece is the system's choice, and so whether the window was overrun.
            if let refusal { #expect(refusal.code == .limit) }
            client.close()
            let position = try await call.setName("Ben")
            #expect(call.position >= position)
            #expect(call.state.me?.name == "Ben")
            #expect(call.connection.isLive)
            await call.leave()
        }

        @Test(arguments: ["unix", "tcp"]) func aSlowReaderGetsItMergedAndTheOthersGetItAll(transport: String)
            async throws
        {
            let relay =
                transport == "unix"
                ? try await RelayProcess("--socket-buffer=4KiB", "--stall-timeout=1h")
                : try await RelayProcess(
                    "--socket-buffer=4KiB",
                    "--stall-timeout=1h",
                    "--listen=tcp:127.0.0.1:0",
                    "--open-admin"
                )
            let client = RollcallClient(relay.address)
            let call = try await client.join("standup", as: Identity(uid: "ana", device: "d"))
            let fast = try await client.observe("standup")
            let slow = try BareSocket(relay.address, buffer: 4_096)
            try slow.join("standup", "slow", mode: .observer)

            func connection(of number: UInt64?) async throws -> [ConnectionInfo] {
                try await client.connections().filter {
                    $0.session == "standup" && (number == nil || $0.number == number)
                }
            }
            let slowNumber = try await connection(of: nil).first { $0.clientName == "bare" }?.number
            // Until the slow one is stuck, and then much more than the ring and the buffers hold.
            var commits: UInt64 = 0
            var rest = 300
            while rest > 0 {
                let value = [UInt8](repeating: UInt8(truncatingIfNeeded: commits), count: 900)
                try await call.setAttribute("k\(commits % 4)", value)
                commits += 1
                guard rest == 300, commits % 20 == 0 else {
                    if rest < 300 { rest -= 1 }
                    continue
                }
                if try await connection(of: slowNumber).first.map({ $0.inFlight > 0 && $0.lag > 0 }) == true {
                    rest -= 1
                }
            }
            let head = call.position
            var deltas: UInt64 = 0
            var merges = 0
            while let frame = try slow.receive() {
                guard case .delta(let delta) = frame else { continue }
                deltas += 1
                if delta.digest != nil { merges += 1 }
                if delta.toSeq == head.seq { break }
            }
            print("slow reader (\(transport)): \(commits) commits came as \(deltas) frames")
            #expect(deltas + 250 <= commits)
            #expect(merges >= 1)
            #expect(try await connection(of: slowNumber).first?.merged ?? 0 >= 1)
            // The others had no part in it.
            let others = try await connection(of: nil).filter { $0.number != slowNumber }
            #expect(others.count == 2)
            #expect(others.allSatisfy { $0.lag == 0 && $0.inFlight == 0 && $0.merged == 0 })
            var updates = fast.updates.makeAsyncIterator()
            while fast.position < head, await updates.next() != nil {}
            #expect(fast.digest == call.digest)
            slow.close()
            await fast.leave()
            await call.leave()
        }
    }
}
