import Addresses
import CallState
import EventLoop
import Foundation
import RelayCore
import Rollcall
import RollcallProtocol
import TestSupport
import Testing

@testable import CallStore
@testable import Relay

extension RelayProcessTests {
    /// A relay of several loops, over sockets.
    @Suite struct LoopsTests {
        private func client(_ server: LoopsServer) -> RollcallClient { RollcallClient(server.addresses[0]) }

        /// What the relay answers until the end of the stream, or until `isEnough`.
        private func frames(_ socket: BareSocket, until isEnough: (ServerFrame) -> Bool) throws -> [ServerFrame] {
            var frames: [ServerFrame] = []
            while let frame = try socket.receive() {
                frames.append(frame)
                if isEnough(frame) { break }
            }
            return frames
        }

        private func isAck(_ frame: ServerFrame, of op: UInt64) -> Bool {
            if case .ack(let ack) = frame { ack.op == op } else { false }
        }

        @Test("R-133: everything in one write, to every loop from every loop")
        func oneWrite() async throws {
            let server = try await LoopsServer.start(4)
            for number in 0..<16 {
                let socket = try BareSocket(server.addresses[0])
                let session = server.session(in: number / 4)
                socket.send(
                    FrameSplitter.preface + ClientFrame.greeting.bytes
                        + ClientFrame.joining(session, ByteString("u\(number)")).bytes
                        + ClientFrame.command(Command(op: 1, settings: [Setting(.handRaised(true))])).bytes
                        + ClientFrame.command(Command(op: 2, settings: [Setting(.name("Ana"))])).bytes
                )
                let answer = try frames(socket) { isAck($0, of: 2) }
                guard case .welcome? = answer.first else {
                    Issue.record("no Welcome first: \(answer)")
                    return
                }
                #expect(answer.contains { isAck($0, of: 1) } && answer.contains { isAck($0, of: 2) })
                socket.close()
            }
            server.stop()
            #expect(await server.end() == nil)
            // Dealt out in turn, three of four to another loop than the call's.
            #expect(server.log.about("moved").count == 12)
            #expect(server.log.about("stopped").first?.contains(" accepted=16 ") == true)
        }

        @Test("R-133: a Join that is cut anywhere, and a frame that is cut behind it")
        func cutJoin() async throws {
            let server = try await LoopsServer.start(3)
            let command = ClientFrame.command(Command(op: 1, settings: [Setting(.handRaised(true))])).bytes
            var number = 0
            for loop in 0..<3 {
                let join = ClientFrame.joining(server.session(in: loop), ByteString("u\(loop)")).bytes
                for cut in stride(from: 1, to: join.count + command.count, by: 7) {
                    let socket = try BareSocket(server.addresses[0])
                    socket.greet()
                    let bytes = join + command
                    socket.send(Array(bytes[..<cut]))
                    try socket.welcome()
                    socket.send(Array(bytes[cut...]))
                    #expect(try frames(socket) { isAck($0, of: 1) }.contains { isAck($0, of: 1) }, "cut at \(cut)")
                    socket.send(.leave(.left))
                    #expect(try socket.closed()?.code == .left)
                    socket.close()
                    number += 1
                }
            }
            #expect(number > 12)
            server.stop()
            #expect(await server.end() == nil)
        }

        @Test("R-133: rubbish behind a Join ends the connection where it went")
        func hostile() async throws {
            let server = try await LoopsServer.start(3)
            for loop in 0..<3 {
                let socket = try BareSocket(server.addresses[0])
                socket.greet()
                let join = ClientFrame.joining(server.session(in: loop), "ana").bytes
                socket.send(join + [0xff, 0xff, 0xff, 0xff] + Array(repeating: 7, count: 100_000))
                #expect(try socket.closed()?.code == .badFrame)
                socket.close()
            }
            server.stop()
            #expect(await server.end() == nil)
        }

        @Test("R-133: peers that go at any moment of the way leave nothing behind")
        func gone() async throws {
            let server = try await LoopsServer.start(4) { $0.rules.grace = 0 }
            for number in 0..<120 {
                let socket = try BareSocket(server.addresses[0])
                socket.send(
                    FrameSplitter.preface + ClientFrame.greeting.bytes
                        + ClientFrame.joining(server.session(in: number % 4), ByteString("u\(number)")).bytes
                )
                switch number % 3 {
                case 0: socket.close()
                case 1: socket.reset()
                default:
                    socket.finishSending()
                    socket.close()
                }
            }
            let client = client(server)
            // Their ends come in their own time; nothing but the relay's own state tells of them.
            while try await client.calls().contains(where: { $0.people > 0 }) {}
            while try await client.connections().count > 1 {}
            server.stop()
            #expect(await server.end() == nil)
            #expect(server.log.about("stopped").first?.contains(" accepted=") == true)
        }

        @Test("R-105 R-133: a stop at any moment of the way: goodbye, or the end")
        func stopOnTheWay() async throws {
            for count in [1, 8, 40] {
                let server = try await LoopsServer.start(4)
                let sockets = try (0..<count).map { _ in try BareSocket(server.addresses[0]) }
                for (number, socket) in sockets.enumerated() {
                    socket.send(
                        FrameSplitter.preface + ClientFrame.greeting.bytes
                            + ClientFrame.joining(server.session(in: number % 4), ByteString("u\(number)")).bytes
                    )
                    if number == count / 2 { server.stop() }
                }
                for socket in sockets {
                    let code = try socket.closed()?.code
                    #expect(code == nil || code == .goingAway)
                    socket.close()
                }
                #expect(await server.end() == nil)
            }
        }

        @Test("R-133 R-134: many clients of many calls over four loops have equal and complete copies")
        func manyClients() async throws {
            let server = try await LoopsServer.start(4)
            let sessions = (0..<16).map { server.session(in: $0 % 4, $0 / 4) }
            var calls: [[Call]] = []
            for session in sessions {
                var members: [Call] = []
                for number in 0..<4 {
                    members.append(
                        try await client(server).join(
                            session.string,
                            as: Identity(uid: "u\(number)", name: "U\(number)", device: "d")
                        )
                    )
                }
                calls.append(members)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for members in calls {
                    for member in members {
                        group.addTask {
                            try await member.raiseHand()
                            try await member.setAudio(.on)
                            try await member.setAttribute("done", [1])
                        }
                    }
                }
                try await group.waitForAll()
            }
            for members in calls {
                // All changes are made; each copy comes to the last of them.
                let head = members.map(\.position).max()!
                for member in members {
                    var updates = member.updates.makeAsyncIterator()
                    while member.position < head, await updates.next() != nil {}
                    #expect(member.state.people.map(\.uid) == ["u0", "u1", "u2", "u3"])
                    #expect(member.state.raisedHands.count == 4)
                    #expect(member.state.digest == members[0].state.digest)
                }
            }
            let looker = client(server)
            #expect(try await looker.calls().map(\.session) == sessions.sorted())
            let connections = try await looker.connections()
            #expect(connections.filter { !$0.session.isEmpty }.count == 64)
            #expect(Set(connections.map(\.number)).count == connections.count)
            for session in sessions { #expect(try await looker.peek(session.string).people.count == 4) }
            for members in calls { for member in members { await member.leave() } }
            #expect(try await looker.attendance().meetings.count == 16)
            server.stop()
            #expect(await server.end() == nil)
        }

        @Test("R-127 R-135: the limit of connections is that of all loops")
        func connectionLimit() async throws {
            let server = try await LoopsServer.start(3) { $0.rules.maximumConnections = 6 }
            var sockets: [BareSocket] = []
            for number in 0..<6 {
                let socket = try BareSocket(server.addresses[0])
                try socket.join(server.session(in: 1), ByteString("u\(number)"))
                sockets.append(socket)
            }
            let seventh = try BareSocket(server.addresses[0])
            #expect(try seventh.closed()?.code == .overload)
            seventh.close()
            for socket in sockets { socket.close() }
            server.stop()
            #expect(await server.end() == nil)
        }

        @Test("R-133: what one relay has kept, the next one finds, with however many loops")
        func restarts() async throws {
            let scratch = try Scratch()
            let path = "\(scratch.path)/calls.db"
            var epochs: [String: UInt64] = [:]
            // Whoever is dropped leaves; these stay, and find no relay where theirs was.
            var members: [Call] = []
            for (round, loops) in [3, 1, 2].enumerated() {
                let server = try await LoopsServer.start(loops, keeping: .file(path))
                let client = client(server)
                for number in 0..<12 {
                    let call = try await client.join("call \(number)", as: Identity(uid: "u\(round)", device: "d"))
                    members.append(call)
                    try await call.raiseHand()
                    #expect(call.state.people.map(\.uid) == (0...round).map { "u\($0)" })
                    let epoch = call.state.position.epoch
                    // The stop was planned.
                    #expect(epochs["call \(number)"].map { $0 == epoch } ?? true)
                    epochs["call \(number)"] = epoch
                }
                // Of those before nobody has come back, and everybody is in all the same.
                let people = try await client.calls().map(\.people)
                #expect(people == Array(repeating: UInt64(round + 1), count: 12))
                server.stop()
                #expect(await server.end() == nil)
            }
            let check = try await RelayProcess.run("--check=\(path)")
            #expect(check.status == 0, "\(check)")
            #expect(check.output.contains("calls 12, meetings 12"))
            #expect(members.count == 36)
        }

        /// A store that gives calls and keeps nothing, or can't even begin.
        private final class DoubtfulStore: CallStore {
            let counters = StoreCounters()
            private let canBegin: Bool
            private var epoch: UInt64 = 1_000

            init(canBegin: Bool) {
                self.canBegin = canBegin
            }

            func start(_ tell: @escaping @Sendable (StoreAnswer) -> Void, contents: (StoreAnswer) -> Void)
                throws(StoreError)
            {
                if !canBegin { throw StoreError(.system, "calls.db", "it can't be read") }
            }

            func take(_ request: StoreRequest) -> StoreAnswer? {
                guard case .claim(let session) = request else { return nil }
                epoch += 1
                return .claimed(session: session, .init(epoch: epoch))
            }

            func stop(_ done: @escaping @Sendable () -> Void) { done() }
        }

        @Test("R-122 R-133: what no loop could keep is told at the end, in one sum")
        func unkept() async throws {
            let server = try await LoopsServer.start(3, keeping: .double { DoubtfulStore(canBegin: true) }) {
                $0.rules.closeTimeout = 20
            }
            let sockets = try (0..<6).map { number in
                let socket = try BareSocket(server.addresses[0])
                try socket.join(server.session(in: number % 3, number / 3), "ana")
                return socket
            }
            server.stop()
            #expect(await server.end() == .calls(6))
            for socket in sockets { socket.close() }
        }

        @Test func aRelayThatCanNotBeginLeavesNothing() throws {
            let scratch = try Scratch()
            let socket = scratch.path + "/relay.sock"
            let loop = try EventLoop()
            var settings = RelaySettings(addresses: [.unix(path: socket)])
            settings.loops = 3
            let log = Log(level: .error, format: .text, wallClock: { 0 }, write: { _ in })
            let relay = try RelayLoops(
                loop: loop,
                settings: settings,
                log: log,
                store: DoubtfulStore(canBegin: false)
            ) { SystemRandomNumberGenerator() }
            #expect(throws: StoreError.self) { try relay.start() }
            // It would never end.
            withExtendedLifetime(relay) { loop.run() }
            loop.shutDown()
            #expect(!FileManager.default.fileExists(atPath: socket))
        }

        @Test("R-134: counters are those of all loops, and a stop in good order leaves nothing")
        func counters() async throws {
            let relay = try await RelayProcess("--loops=3")
            let sockets = try (0..<9).map { number in
                let socket = try BareSocket(relay.address)
                try socket.join(ByteString("call \(number)"), "ana")
                return socket
            }
            let counters = try await relay.counters()
            #expect(counters["connections"] == 9)
            #expect(counters["accepted"] == 9)
            #expect(counters["loops"] == 3)
            #expect(counters["next-deadline"] != nil)
            relay.send(SIGTERM)
            for socket in sockets {
                #expect(try socket.closed()?.code == .goingAway)
                socket.close()
            }
            #expect(await relay.end() == 0)
            #expect(!FileManager.default.fileExists(atPath: relay.socket))
            let log = await relay.log.toTheEnd()
            #expect(log.contains { $0.hasSuffix(" info stopping connections=9") })
            #expect(log.last?.contains(" info stopped accepted=9 ") == true)
        }

        @Test("R-134: a second signal ends all loops at once")
        func secondSignal() async throws {
            let relay = try await RelayProcess("--loops=3", "--close-timeout=1h")
            let sockets = try (0..<6).map { number in
                let socket = try BareSocket(relay.address)
                try socket.join(ByteString("call \(number)"), "ana")
                return socket
            }
            relay.send(SIGTERM)
            // Nobody answers to the goodbye by ending: only the second signal can end it.
            #expect(await relay.log.next(with: " info stopping ") != nil)
            relay.send(SIGTERM)
            #expect(await relay.end() == 0)
            for socket in sockets { socket.close() }
        }

        @Test func withoutClientsNoLoopWakes() async throws {
            let relay = try await RelayProcess("--loops=4")
            let first = try await relay.counters()
            #expect(first["next-deadline"] == nil)
            var last = first
            for _ in 0..<20 { last = try await relay.counters() }
            // Each question wakes the other loops once, and the first at most for each answer.
            #expect(last["turns"]! - first["turns"]! <= 20 * 8)
            #expect(last["next-deadline"] == nil)
        }

        @Test func asManyLoopsAsCoresUnlessSaid() async throws {
            let relay = try await RelayProcess()
            let loops = try await relay.counters()["loops"] ?? 1
            #expect((1...64).contains(loops))
            let single = try await RelayProcess("--loops=1")
            #expect(try await single.counters()["loops"] == nil)
            for (text, words) in [("0", "from 1 to 64"), ("65", "from 1 to 64"), ("x", "from 1 to 64")] {
                let refused = try await RelayProcess.run("--loops=\(text)")
                #expect(refused.status == 64)
                #expect(refused.errors.contains(words), "\(refused)")
            }
        }
    }
}
