import CallState
import Foundation
import Rollcall
import Synchronization
import TestSupport
import Testing

@testable import RollcallCalls

@Suite("Call logs of a relay", .timeLimit(.minutes(2)))
struct CallLogsRequestTests {
    /// Holds meetings one after the other, each joined by Ana with two devices and by Ben.
    private func hold(_ sessions: [String], _ client: RollcallClient) async throws {
        for session in sessions {
            let phone = try await client.join(
                session,
                as: Identity(uid: "ana", name: "Ana", device: "phone"),
                status: Status(audio: .on, video: .on)
            )
            let laptop = try await client.join(session, as: Identity(uid: "ana", device: "laptop"))
            let ben = try await client.join(session, as: Identity(uid: "ben", device: "desk"))
            if session == "recorded" { try await ben.startRecording() }
            for call in [phone, laptop, ben] { await call.leave() }
        }
    }

    private func request(
        _ client: RollcallClient,
        _ build: (CallLogsRequest.CallLogsBuilder) -> CallLogsRequest.CallLogsBuilder = { $0 }
    ) -> CallLogsRequest {
        CallLogsRequest(build(CallLogsRequest.CallLogsBuilder()).filter) { client }
    }

    @Test("Pages lead to the end and back, and an end does not move the page")
    func paging() async throws {
        let relay = try await RelayProcess()
        let client = RollcallClient(relay.address)
        try await hold(["a", "b", "recorded", "d", "e"], client)
        let request = request(client) { $0.set(limit: 2) }
        var walk: [[String]] = []
        for _ in 0..<4 { walk.append(try await request.fetchNext().map(\.sessionID)) }
        #expect(walk == [["e", "d"], ["recorded", "b"], ["a"], []])
        walk = []
        for _ in 0..<3 { walk.append(try await request.fetchPrevious().map(\.sessionID)) }
        #expect(walk == [["recorded", "b"], ["e", "d"], []])
        try await hold(["f"], client)
        #expect(try await request.fetchPrevious().map(\.sessionID) == ["f"], "a meeting that has begun since")
        #expect(try await request.fetchNext().map(\.sessionID) == ["e", "d"])
    }

    @Test("Filters by session, uid, recording and status; the rows are everybody's")
    func filters() async throws {
        let relay = try await RelayProcess()
        let client = RollcallClient(relay.address)
        try await hold(["a", "recorded", "a"], client)
        let chloe = try await client.join("b", as: Identity(uid: "chloe", device: "c"))
        #expect(try await request(client) { $0.set(sessionID: "a") }.fetchNext().count == 2)
        let ana = try await request(client) { $0.set(uid: "ana") }.fetchNext()
        #expect(ana.map(\.sessionID) == ["a", "recorded", "a"] && Set(ana.map(\.mid)).count == 3)
        #expect(ana[0].participants.map(\.uid) == ["ana", "ben"])
        #expect(ana[0].participantDevices.map(\.deviceID) == ["phone", "laptop", "desk"])
        #expect(ana[0].participants[0].totalDurationInMinutes > 0 && ana[0].status == .ended)
        let recorded = try await request(client) { $0.set(hasRecording: true) }.fetchNext()
        #expect(recorded.map(\.sessionID) == ["recorded"] && recorded[0].recordings.map(\.startedBy) == ["ben"])
        #expect(recorded[0].recordings[0].endTime >= recorded[0].recordings[0].startTime)
        let running = try await request(client) { $0.set(callStatus: .ongoing) }.fetchNext()
        #expect(running.map(\.sessionID) == ["b"] && running[0].status == .ongoing && running[0].endedAt == nil)
        #expect(running[0].participants.map(\.state) == ["ongoing"])
        let mid = recorded[0].mid
        #expect(try await request(client) { $0.set(mid: mid) }.fetchNext().map(\.mid) == [mid])
        await chloe.leave()
    }

    @Test("An error does not move the page")
    func error() async throws {
        let relay = try await RelayProcess()
        let good = RollcallClient(relay.address)
        try await hold(["a", "b"], good)
        let isSetUp = Mutex(false)
        let filter = CallLogsRequest.CallLogsBuilder().set(limit: 1).filter
        let request = CallLogsRequest(filter) { () throws(RollcallCallException) in
            if isSetUp.withLock({ $0 }) { return good }
            throw .notSetUp()
        }
        await #expect {
            try await request.fetchNext()
        } throws: { ($0 as? RollcallCallException)?.errorCode == "INIT ERROR" }
        isSetUp.withLock { $0 = true }
        #expect(try await request.fetchNext().map(\.sessionID) == ["b"])
        let gone = self.request(RollcallClient(.unix("/nowhere/rollcall.sock")))
        for _ in 0..<2 {
            await #expect {
                try await gone.fetchNext()
            } throws: { ($0 as? RollcallCallException)?.errorCode == "ERR_UNREACHABLE" }
        }
        relay.send(SIGTERM)
        #expect(await relay.end() == 0)
        await #expect {
            try await request.fetchNext()
        } throws: { ($0 as? RollcallCallException)?.errorCode == "ERR_UNREACHABLE" }
        let again = try await RelayProcess(scratch: relay.scratch)
        try await hold(["c"], RollcallClient(again.address))
        #expect(try await request.fetchPrevious().map(\.sessionID) == ["c"], "it still stands at b")
    }

    @Test("Fetches that are asked for at once are done in order, and answered on the callback queue")
    func concurrent() async throws {
        let relay = try await RelayProcess()
        let client = RollcallClient(relay.address)
        try await hold(["a", "b", "c"], client)
        let request = request(client) { $0.set(limit: 1) }
        let (answers, continuation) = AsyncStream.makeStream(of: [String].self)
        for _ in 0..<4 {
            request.fetchNext { logs in
                continuation.yield(logs.map(\.sessionID))
            } onError: { error in
                continuation.yield([error?.errorCode ?? "?"])
            }
        }
        var seen: [[String]] = []
        for await answer in answers {
            seen.append(answer)
            if seen.count == 4 { break }
        }
        #expect(seen == [["c"], ["b"], ["a"], []])
    }
}
