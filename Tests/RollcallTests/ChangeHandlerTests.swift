import CallState
import RollcallProtocol
import Synchronization
import Testing

@testable import Rollcall

extension SocketTests {
    /// The way in for a reader that is woken by changes.
    struct ChangeHandlerTests {
        private func withCall(_ body: (Call, AsyncStream<Void>) async throws -> Void) async throws {
            let relay = try SocketRelay(.unix())
            defer { relay.stop() }
            let call = try await RollcallClient(relay.address).join("standup", as: .init(uid: "ana", device: "laptop"))
            let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
            call.onChange { continuation.yield() }
            try await body(call, changes)
            await call.leave()
        }

        @Test func `commands are answered in the order of asking, and before the change that they are part of is told`()
            async throws
        {
            try await withCall { call, changes in
                let answered = Mutex<[Int]>([])
                for number in 1...20 {
                    call.send([Setting(.audioMuted(number.isMultiple(of: 2)))]) { result in
                        if case .success = result { answered.withLock { $0.append(number) } }
                    }
                    let shown = call.reading.snapshot?.myDevice?.audio
                    #expect(shown == (number.isMultiple(of: 2) ? .muted : .on), "at once")
                }
                // Not until nothing is asked for: that can be read before anybody is told of it. Were the change told
                // before the last answer, this would wait for ever.
                for await _ in changes where answered.withLock({ $0.count }) == 20 { break }
                #expect(answered.withLock { $0 } == Array(1...20))
                #expect(call.reading.snapshot?.isAsking == false)
                #expect(call.reading.snapshot?.myDevice?.audio == .muted)
            }
        }

        @Test func `a refused command is told to who sent it, and one after the end too`() async throws {
            try await withCall { call, _ in
                let codes = AsyncStream.makeStream(of: RollcallError.Code?.self)
                let handler: @Sendable (Result<Position, RollcallError>) -> Void = { result in
                    if case .failure(let error) = result { codes.continuation.yield(error.code) }
                }
                call.send([Setting(target: .person("nobody"), .audioMuted(true))], then: handler)
                var told = codes.stream.makeAsyncIterator()
                #expect(await told.next() == .noSuchTarget)
                call.leaveSoon()
                await call.leave()
                call.send([Setting(.audioMuted(false))], then: handler)
                #expect(await told.next() == .callEnded)
            }
        }

        @Test func `a loss that is over is counted, once, and the end is told`() async throws {
            try await withCall { call, changes in
                #expect(call.reading.losses == 0)
                var before = call.reading.revision
                for losses in 1...3 as ClosedRange<UInt64> {
                    call.cutLink()
                    for await _ in changes {
                        let reading = call.reading
                        if reading.losses == losses, reading.connection.isLive { break }
                    }
                    #expect(call.reading.losses == losses && call.reading.revision > before)
                    before = call.reading.revision
                }
                call.leaveSoon()
                for await _ in changes where call.reading.connection.isClosed { break }
                #expect(call.reading.losses == 3)
            }
        }
    }
}
