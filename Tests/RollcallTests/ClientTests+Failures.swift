import CallState
import Foundation
import RollcallProtocol
import Synchronization
import Testing

@testable import Rollcall

// What goes wrong.
extension SocketTests.ClientTests {
    @Test func `a relay that is not there is named, with what to do`() async throws {
        let client = RollcallClient(.unix("/nowhere/rollcall.sock"), options: options)
        await #expect {
            try await client.join("c", as: .init(uid: "ana"))
        } throws: { error in
            let error = error as? RollcallError
            return error?.code == .unreachable && error?.message.contains("/nowhere/rollcall.sock") == true
                && error?.underlying is SystemError
        }
        await #expect { try await client.ping() } throws: { ($0 as? RollcallError)?.code == .unreachable }
        let unnamed = RollcallClient(.tcp("no.such.host.invalid", 7_420), options: options)
        await #expect { try await unnamed.calls() } throws: { ($0 as? RollcallError)?.code == .unreachable }
        await expectNothingLeft()
    }

    @Test func `arguments that can't be sent are refused before anything is connected`() async throws {
        let client = RollcallClient(.unix("/nowhere/rollcall.sock"), options: options)
        let long = String(repeating: "x", count: 129)
        await #expect { try await client.join("", as: .init(uid: "a")) } throws: { Self.isInvalid($0) }
        await #expect { try await client.join("c", as: .init(uid: long)) } throws: { Self.isInvalid($0) }
        await #expect {
            try await RollcallClient(.unix(""), options: options).join("c", as: .init(uid: "a"))
        } throws: { ($0 as? RollcallError)?.code == .invalidAddress }
        await #expect {
            try await RollcallClient(.unix(""), options: options).ping()
        } throws: { ($0 as? RollcallError)?.code == .invalidAddress }
        await expectNothingLeft()
    }

    static func isInvalid(_ error: any Error) -> Bool {
        (error as? RollcallError)?.code == .invalidArgument
    }

    @Test func `a cancelled join leaves nothing behind`() async throws {
        let listener = try TestListener.unix()
        let client = RollcallClient(listener.address, options: options)
        let join = Task { try await client.join("c", as: .init(uid: "ana", device: "a")) }
        let peer = try #require(await onThread { listener.accept() })
        _ = await onThread { peer.receive() }
        guard case .join? = await onThread({ peer.receive() }) else { throw Missing("join") }
        join.cancel()
        // The relay accepts after all: the client leaves before its join returns.
        peer.send(ScriptedCall.welcome, ScriptedCall().joined())
        guard case .leave? = await onThread({ peer.receive() }) else { throw Missing("leave") }
        peer.send(.closed(Refusal(code: .left, text: "")))
        await #expect { try await join.value } throws: { ($0 as? RollcallError)?.code == .cancelled }
        await expectNothingLeft()

        let never = Task { try await client.join("c", as: .init(uid: "ana", device: "a")) }
        never.cancel()
        await #expect { try await never.value } throws: { ($0 as? RollcallError)?.code == .cancelled }
        peer.close()
        listener.close()
        await expectNothingLeft()
    }

    @Test func `a cancelled command, reader and query end at once`() async throws {
        let listener = try TestListener.unix()
        let client = RollcallClient(listener.address, options: options)
        let joining = Task { try await client.join("c", as: .init(uid: "ana", device: "laptop")) }
        let peer = try #require(await onThread { listener.accept() })
        let scripted = ScriptedCall()
        peer.send([ScriptedCall.welcome, scripted.joined()] + scripted.snapshot())
        let call = try await joining.value
        let command = Task { try await call.setTitle("never answered") }
        while call.pendingCommands == 0 { await Task.yield() }
        command.cancel()
        await #expect { try await command.value } throws: { ($0 as? RollcallError)?.code == .cancelled }
        let reader = Task {
            for await _ in call.updates(since: call.state) {}
            return true
        }
        reader.cancel()
        #expect(await reader.value)
        let query = Task { try await client.ping() }
        let silent = try #require(await onThread { listener.accept() })
        query.cancel()
        await #expect { try await query.value } throws: { ($0 as? RollcallError)?.code == .cancelled }
        silent.close()
        peer.send(.closed(Refusal(code: .removed, text: "removed by ben", advice: .never)))
        for await state in call.connectionUpdates where state.isClosed {}
        await #expect { try await call.setTitle("t") } throws: { ($0 as? RollcallError)?.code == .callEnded }
        peer.close()
        listener.close()
        while options.reactor.live.count(.stream) > 0 { await Task.yield() }
        #expect(options.reactor.live.count(.stream) == 0)
        #expect(call.state.peopleCount == 2, "the last state stays readable")
    }

    @Test func `a relay that does not answer is given up in time`() async throws {
        let listener = try TestListener.unix()
        var options = options
        options.handshakeTimeout = .milliseconds(50)
        let client = RollcallClient(listener.address, options: options)
        await #expect {
            try await client.join("c", as: .init(uid: "ana"))
        } throws: { ($0 as? RollcallError)?.code == .timedOut }
        await #expect { try await client.ping() } throws: { ($0 as? RollcallError)?.code == .timedOut }
        listener.close()
        await expectNothingLeft()
    }

    @Test func `frames are shown with the copies around them`() async throws {
        let listener = try TestListener.unix()
        let traces = Mutex<[FrameTrace]>([])
        var options = options
        options.onFrame = { trace in traces.withLock { $0.append(trace) } }
        let client = RollcallClient(listener.address, options: options)
        async let joined = client.join("c", as: .init(uid: "ana", device: "laptop"))
        let peer = try #require(await onThread { listener.accept() })
        var scripted = ScriptedCall()
        peer.send([ScriptedCall.welcome, scripted.joined()] + scripted.snapshot())
        let call = try await joined
        let delta = scripted.commit { $0.setTitle("t") }
        peer.send(.delta(delta))
        for await update in call.updates where update.state.title == "t" { break }
        while traces.withLock({ $0.last?.after.digest }) != scripted.state.digest { await Task.yield() }
        #expect(traces.withLock { $0.last?.frame } == .delta(delta))
        async let leaving: Void = call.leave()
        while case .some(let frame) = await onThread({ peer.receive() }) {
            if case .leave = frame { break }
        }
        peer.send(.closed(Refusal(code: .left, text: "")))
        await leaving
        peer.close()
        listener.close()
        #expect(call.connection.isClosed)
    }
}
