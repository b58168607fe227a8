import Addresses
import CallState
import EventLoop
import Foundation
import RelayCore
import Rollcall
import RollcallProtocol
import Synchronization
import TestSupport
import Testing

@testable import CallStore
@testable import Relay

extension RelayProcessTests {
    /// The shell in the process of the test, so that the sanitizers see it.
    @Suite struct ServerTests {
        /// Lines of a log, from another thread.
        private final class Lines: Sendable {
            private let lines = Mutex<[String]>([])
            func append(_ line: String) { lines.withLock { $0.append(line) } }

            /// The facts of the only line about `event`.
            func facts(of event: String) throws -> [String: String] {
                let found = lines.withLock {
                    $0.filter {
                        $0.split(separator: " ").dropFirst(2).first?.trimmingCharacters(in: .newlines) == event
                    }
                }
                try #require(found.count == 1)
                return Dictionary(
                    found[0].split(whereSeparator: \.isWhitespace).compactMap { fact in
                        let parts = fact.split(separator: "=")
                        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
                    },
                    uniquingKeysWith: { first, _ in first }
                )
            }
        }

        /// A relay on a thread of its own, until it is told to stop.
        private final class Server: Sendable {
            let addresses: [Rollcall.Address]
            /// The lines of its log.
            let log: Lines
            private let stops: Mailbox<Void>
            private let ended: AsyncStream<Void>

            /// What the loop's thread tells once it listens.
            private struct Started: Sendable {
                let addresses: [String]
                let log: Lines
                let stops: Mailbox<Void>
            }

            private init(_ started: Started, _ ended: AsyncStream<Void>) throws {
                addresses = try started.addresses.map { try Rollcall.Address.parse($0) }
                log = started.log
                stops = started.stops
                self.ended = ended
            }

            static func start(_ change: @escaping @Sendable (inout RelaySettings) -> Void = { _ in }) async throws
                -> Server
            {
                let (ended, end) = AsyncStream.makeStream(of: Void.self)
                let started: Started = try await withCheckedThrowingContinuation { continuation in
                    Thread.detachNewThread {
                        do {
                            let loop = try EventLoop()
                            var settings = RelaySettings(addresses: [.tcp(host: "127.0.0.1", port: 0)])
                            settings.rules.helloTimeout = 3_600_000
                            change(&settings)
                            let lines = Lines()
                            let log = Log(level: .debug, format: .text, wallClock: { 0 }, write: lines.append)
                            let server = RelayServer(
                                loop: loop,
                                settings: settings,
                                log: log,
                                random: SystemRandomNumberGenerator()
                            )
                            try server.start()
                            let stops = try Mailbox<Void>(loop: loop) { _ in
                                server.logCounters()
                                server.stop()
                            }
                            let addresses = server.boundAddresses.map(\.description)
                            continuation.resume(returning: Started(addresses: addresses, log: lines, stops: stops))
                            withExtendedLifetime(server) { loop.run() }
                            loop.shutDown()
                        } catch { continuation.resume(throwing: error) }
                        end.finish()
                    }
                }
                return try Server(started, ended)
            }

            func stop() { stops.post(()) }

            func waitForEnd() async {
                for await _ in ended {}
            }
        }

        /// A store that can't begin.
        private final class BrokenStore: CallStore {
            let counters = StoreCounters()
            func start(_ tell: @escaping @Sendable (StoreAnswer) -> Void, contents: (StoreAnswer) -> Void)
                throws(StoreError)
            {
                throw StoreError(.system, "calls.db", "it can't be read")
            }
            func take(_ request: StoreRequest) -> StoreAnswer? { nil }
            func stop(_ done: @escaping @Sendable () -> Void) { done() }
        }

        @Test func aStoreThatCanNotBeginLeavesNothingThatKeepsTheLoop() throws {
            let scratch = try Scratch()
            let socket = scratch.path + "/relay.sock"
            let loop = try EventLoop()
            let log = Log(level: .error, format: .text, wallClock: { 0 }, write: { _ in })
            let server = RelayServer(
                loop: loop,
                settings: RelaySettings(addresses: [.unix(path: socket)]),
                log: log,
                store: BrokenStore(),
                random: SystemRandomNumberGenerator()
            )
            #expect(throws: StoreError.self) { try server.start() }
            // It would never end.
            withExtendedLifetime(server) { loop.run() }
            loop.shutDown()
            #expect(!FileManager.default.fileExists(atPath: socket))
        }

        @Test func itServesAndEnds() async throws {
            let scratch = try Scratch()
            let socket = scratch.path + "/relay.sock"
            let server = try await Server.start { $0.addresses = [.unix(path: socket)] }
            let observer = try BareSocket(server.addresses[0])
            try observer.join("standup", "eve", mode: .observer)
            let call = try await RollcallClient(server.addresses[0]).join(
                "standup",
                as: Identity(uid: "ana", device: "d")
            )
            try await call.raiseHand()
            #expect(call.state.people.map(\.uid) == ["ana"] && call.state.people[0].hand != nil)
            await call.leave()
            server.stop()
            let refusal = try observer.closed()
            #expect(refusal?.code == .goingAway && refusal?.advice == .after)
            #expect(try observer.receive() == nil)
            observer.close()
            await server.waitForEnd()
            #expect(!FileManager.default.fileExists(atPath: socket))
            // The client has left; its connection may still be closing.
            #expect(["1", "2"].contains(try server.log.facts(of: "stopping")["connections"]))
            let counters = try server.log.facts(of: "stopped")
            #expect(counters["accepted"] == "2" && counters["refused"] == "0")
            // Hello and Join of both, and Command and Leave.
            #expect(Int(counters["frames-in"] ?? "") ?? 0 >= 6)
        }

        @Test func itEndsWithConnectionsInEveryState() async throws {
            let server = try await Server.start { $0.rules.closeTimeout = 50 }
            let address = server.addresses[0]
            var sockets: [BareSocket] = []
            for number in 0..<60 {
                let socket = try BareSocket(address)
                switch number % 6 {
                case 0: break
                case 1: socket.greet()
                case 2:
                    socket.greet()
                    socket.send(.joining("standup", ByteString("u\(number)")))
                case 3: socket.send(Array("rubbish".utf8))
                case 4:
                    socket.greet()
                    socket.reset()
                default: socket.finishSending()
                }
                sockets.append(socket)
            }
            // The relay has seen the last one: it answers a later one.
            _ = try await RollcallClient(address).ping()
            server.stop()
            await server.waitForEnd()
            #expect(try server.log.facts(of: "stopped")["accepted"] == "61")
            for (number, socket) in sockets.enumerated() where number % 6 != 4 {
                // Whoever the relay could still tell something was told why it ended.
                let code = try socket.closed()?.code
                switch number % 6 {
                case 0, 1, 2: #expect(code == .goingAway)
                case 3: #expect(code == .badPreface)
                default: #expect(code == nil || code == .goingAway)
                }
            }
            for socket in sockets { socket.close() }
        }

        @Test func aSecondStopCutsWhatIsLeft() async throws {
            let server = try await Server.start { $0.rules.closeTimeout = 60_000 }
            let socket = try BareSocket(server.addresses[0])
            socket.greet()
            try socket.welcome()
            server.stop()
            #expect(try socket.closed()?.code == .goingAway)
            server.stop()
            await server.waitForEnd()
            socket.close()
        }

        /// Nothing else happens meanwhile that would begin a turn.
        @Test func aFrameThatFillsSeveralReadsIsReadToItsEnd() async throws {
            let server = try await Server.start { $0.rules.limits.frame = 256 * 1024 }
            let socket = try BareSocket(server.addresses[0])
            let body = [UInt8](repeating: 0xff, count: 2 * EventLoop.readBufferSize + 1_000)
            let length = (0..<4).map { UInt8(truncatingIfNeeded: body.count >> (24 - 8 * $0)) }
            #expect(socket.send(FrameSplitter.preface + length + body))
            let refusal = try socket.closed()
            #expect(refusal?.code == .badFrame, "\(String(describing: refusal))")
            socket.close()
            server.stop()
            await server.waitForEnd()
        }

        /// One peer that sends as much as it can does not keep the others from being served, and all of it counts.
        @Test func aBusyPeerWaitsForTheOthers() async throws {
            let server = try await Server.start { $0.rules.frameRate = .unlimited }
            let busy = try BareSocket(server.addresses[0])
            try busy.join("standup", "ana")
            var bytes: [UInt8] = []
            for number in 0..<40_000 { ClientFrame.speaking(Speaking(on: number % 2 == 0)).encode(into: &bytes) }
            let flood = bytes + ClientFrame.command(Command(op: 1, settings: [Setting(.handRaised(true))])).bytes
            #expect(busy.send(flood))
            var ack: Ack?
            while ack == nil, let frame = try busy.receive() {
                if case .ack(let answer) = frame { ack = answer }
            }
            #expect(ack?.op == 1 && ack?.code == .ok)
            busy.close()
            server.stop()
            await server.waitForEnd()
        }

        @Test func anAddressThatIsNotOfThisMachineIsRefusedAlsoWhenItTurnsOutLate() throws {
            let settings = RelaySettings(addresses: [.tcp(host: "a.name", port: 1)])
            try settings.checkReach(ofBound: [.unix(path: "/a"), .tcp(host: "127.0.0.1", port: 1)])
            #expect(throws: OpenRelayError.self) {
                try settings.checkReach(ofBound: [.tcp(host: "127.0.0.1", port: 1), .tcp(host: "192.0.2.1", port: 1)])
            }
            var open = settings
            open.isOpenToNetwork = true
            try open.checkReach(ofBound: [.tcp(host: "192.0.2.1", port: 1)])
        }
    }
}
