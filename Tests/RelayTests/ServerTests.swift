import CallState
import EventLoop
import Foundation
import RelayCore
import Rollcall
import RollcallProtocol
import Testing

@testable import Relay

extension RelayProcessTests {
    /// The shell in the process of the test, so that the sanitizers see it.
    @Suite struct ServerTests {
        /// A relay on a thread of its own, until it is told to stop.
        private final class Server: Sendable {
            let addresses: [Rollcall.Address]
            private let stops: Mailbox<Void>
            private let ended: AsyncStream<Void>

            /// What the loop's thread tells once it listens.
            private struct Started: Sendable {
                let addresses: [String]
                let stops: Mailbox<Void>
            }

            private init(_ started: Started, _ ended: AsyncStream<Void>) throws {
                addresses = try started.addresses.map { try Rollcall.Address.parse($0) }
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
                            let log = Log(level: .debug, format: .json, wallClock: { 0 }, write: { _ in })
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
                            continuation.resume(returning: Started(addresses: addresses, stops: stops))
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

        @Test func itServesAndEnds() async throws {
            let server = try await Server.start()
            let call = try await RollcallClient(server.addresses[0]).join(
                "standup",
                as: Identity(uid: "ana", device: "d")
            )
            let other = try await RollcallClient(server.addresses[0]).observe("standup")
            try await call.raiseHand()
            await call.leave()
            server.stop()
            var states = other.connectionUpdates.makeAsyncIterator()
            while let state = await states.next(), state.isLive {}
            await other.leave()
            await server.waitForEnd()
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

        /// One peer that sends as much as it can does not keep the others from being served, and all of it counts.
        @Test func aBusyPeerWaitsForTheOthers() async throws {
            let server = try await Server.start()
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
