import CallState
import RollcallProtocol
import Testing

@testable import Rollcall

extension SocketTests {
    /// Bare frames over real sockets.
    struct RawConnectionTests {
        private func pair(_ listener: TestListener) async throws -> (RawConnection, TestPeer) {
            async let opening = RawConnection.open(listener.address)
            let peer = try #require(await onThread { listener.accept() })
            return (try await opening, peer)
        }

        @Test func `frames go out and come in as they are`() async throws {
            let listener = try TestListener.tcp()
            defer { listener.close() }
            let (connection, peer) = try await pair(listener)
            async let welcome = connection.hello(clientName: "raw")
            guard case .hello(let hello)? = await onThread({ peer.receive() }) else { throw Missing("hello") }
            #expect(hello.clientName == "raw")
            peer.send(ScriptedCall.welcome)
            #expect(try await welcome.deadAfter == 25_000)
            connection.send(.list(request: 4, after: "x"))
            #expect(await onThread { peer.receive() } == .list(request: 4, after: "x"))
            peer.send(.calls(request: 4, [], more: false))
            #expect(try await connection.receive() == .calls(request: 4, [], more: false))
            peer.close()
            #expect(try await connection.receive() == nil)
        }

        @Test func `a greeting that is refused or wrong is an error`() async throws {
            let listener = try TestListener.unix()
            defer { listener.close() }
            let (refused, first) = try await pair(listener)
            first.send(.closed(Refusal(code: .overload, text: "busy", advice: .after, after: 5)))
            await #expect { try await refused.hello() } throws: { error in
                let error = error as? RollcallError
                return error?.code == .overload && error?.retryAfter == .milliseconds(5)
            }
            first.close()
            let (wrong, second) = try await pair(listener)
            second.send(.notice(code: .lagging, text: ""))
            await #expect { try await wrong.hello() } throws: { ($0 as? RollcallError)?.code == .protocolViolation }
            second.close()
            let (ended, third) = try await pair(listener)
            third.close()
            await #expect { try await ended.hello() } throws: { ($0 as? RollcallError)?.code == .linkLost }
        }

        @Test func `R-5 bytes that are no frame are an error`() async throws {
            let listener = try TestListener.unix()
            defer { listener.close() }
            for bytes: [UInt8] in [[0, 0, 0, 0], [0, 0, 0, 2, 0x0A, 0x7F]] {
                let (connection, peer) = try await pair(listener)
                peer.send(bytes: bytes)
                await #expect { try await connection.receive() } throws: { error in
                    (error as? RollcallError)?.code == .protocolViolation
                }
                peer.close()
            }
        }

        @Test func `what nobody receives stays with the sender, and nothing is lost`() async throws {
            let listener = try TestListener.unix()
            defer { listener.close() }
            let (connection, peer) = try await pair(listener)
            let text = String(repeating: "x", count: 60_000)
            let count = 100
            async let sending = onThread {
                for index in 0..<count { peer.send(.notice(code: Code(rawValue: UInt32(index)), text: text)) }
                return true
            }
            for index in 0..<count {
                guard case .notice(let code, _)? = try await connection.receive() else { throw Missing("notice") }
                #expect(code.rawValue == UInt32(index))
            }
            #expect(await sending)
            peer.close()
        }

        @Test func `what the peer does not read is kept and sent later`() async throws {
            let listener = try TestListener.unix()
            defer { listener.close() }
            let (connection, peer) = try await pair(listener)
            let name = ByteString(String(repeating: "n", count: 60))
            let count = 20_000
            for index in 0..<count { connection.send(.list(request: UInt64(index), after: name)) }
            let received = await onThread {
                (0..<count).allSatisfy { index in peer.receive() == .list(request: UInt64(index), after: name) }
            }
            #expect(received)
            connection.close()
            #expect(try await connection.receive() == nil)
            peer.close()
        }

        @Test func `a peer that never reads is given up at eight megabytes`() async throws {
            let listener = try TestListener.unix()
            defer { listener.close() }
            let (connection, peer) = try await pair(listener)
            for _ in 0..<20 { connection.send(bytes: [UInt8](repeating: 0, count: 1024 * 1024)) }
            // The link is gone; nothing has come.
            #expect(try await connection.receive() == nil)
            peer.close()
        }
    }
}
