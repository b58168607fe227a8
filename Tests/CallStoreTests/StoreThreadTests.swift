import CallState
import Foundation
import Synchronization
import Testing

@testable import CallStore

/// The store as a relay uses it: on a thread of its own, in a real file.
@Suite struct StoreThreadTests {
    /// Takes answers, and lets a test wait for them.
    private final class Desk: Sendable {
        private let answers = Mutex<[StoreAnswer]>([])
        private let waiting = Mutex<Waiting?>(nil)

        private struct Waiting {
            var count: Int
            var continuation: CheckedContinuation<Void, Never>
        }

        func take(_ answer: StoreAnswer) {
            let count = answers.withLock { answers in
                answers.append(answer)
                return answers.count
            }
            let ready = waiting.withLock { waiting -> Waiting? in
                guard let wanted = waiting, wanted.count <= count else { return nil }
                waiting = nil
                return wanted
            }
            ready?.continuation.resume()
        }

        /// The answers once there are so many.
        func first(_ count: Int) async -> [StoreAnswer] {
            await withCheckedContinuation { continuation in
                waiting.withLock { $0 = Waiting(count: count, continuation: continuation) }
                // They may have come in between.
                let there = answers.withLock { $0.count }
                guard there >= count else { return }
                waiting.withLock { $0.take() }?.continuation.resume()
            }
            return answers.withLock { $0 }
        }
    }

    private func stop(_ store: SQLiteStore) async {
        await withCheckedContinuation { continuation in store.stop { continuation.resume() } }
    }

    private func batch(_ session: ByteString, _ claim: StoreAnswer.Claim, _ seed: UInt64) -> CallBatch {
        var call = RandomCall(session, seed: seed)
        call.begin(epoch: claim.epoch)
        call.live(8)
        while !call.isOccupied { call.live(1) }
        return call.batch()
    }

    @Test("all that has gathered is one transaction and one sync; answers come in order")
    func oneTransaction() async throws {
        let files = try Files()
        let store = try SQLiteStore(path: files.path, wallClock: { 1_000 })
        let desk = Desk()
        var contents: [StoreAnswer] = []
        try store.start(desk.take, contents: { contents.append($0) })
        #expect(contents == [.occupied([])])
        let sessions = (0..<50).map { ByteString("call \($0)") }
        store.hold(true)
        for session in sessions { #expect(store.take(.claim(session)) == nil) }
        store.hold(false)
        let claims = await desk.first(50)
        #expect(store.counters.transactions == 1)
        store.hold(true)
        for case .claimed(let session, let claim) in claims {
            _ = store.take(.append(batch(session, claim, claim.epoch)))
        }
        store.hold(false)
        let answers = await desk.first(100)
        for (session, answer) in zip(sessions, answers[50...]) {
            guard case .kept(session: session, _) = answer else { throw Unexpected() }
        }
        #expect(store.counters.transactions == 2)
        #expect(store.counters.syncs == 2)
        #expect(store.counters.batches == 50)
        await stop(store)
        #expect(try files.names() == ["calls.db", "calls.db-lock"])
        #expect(try StoreCheck(path: files.path).calls.count == 50)
    }

    @Test("what was requested before the stop is carried out, and what comes after is not heard")
    func stops() async throws {
        let files = try Files()
        let store = try SQLiteStore(path: files.path, wallClock: { 1_000 })
        let desk = Desk()
        try store.start(desk.take, contents: { _ in })
        store.hold(true)
        for number in 0..<20 { _ = store.take(.claim(ByteString("call \(number)"))) }
        store.hold(false)
        await stop(store)
        #expect(await desk.first(20).count == 20)
        #expect(store.take(.claim("late")) == nil)
        // The lock is given up by then.
        #expect(files.refusal() == nil)
    }

    @Test("what is requested while the contents are given is carried out") func early() async throws {
        let files = try Files()
        _ = try files.make(calls: 3)
        let store = try SQLiteStore(path: files.path, wallClock: { 1_000 })
        let desk = Desk()
        try store.start(desk.take) { answer in
            guard case .occupied(let sessions) = answer else { return }
            for session in sessions { #expect(store.take(.claim(session)) == nil) }
        }
        let claimed = await desk.first(3).compactMap { answer -> ByteString? in
            guard case .claimed(let session, let claim) = answer, claim.kept != nil else { return nil }
            return session
        }
        #expect(claimed == ["call 0", "call 1", "call 2"])
        await stop(store)
    }

    @Test("while a relay writes, the file can be read and checked, and neither writes") func readers() async throws {
        let files = try Files()
        let store = try SQLiteStore(path: files.path, wallClock: { 1_000 })
        let desk = Desk()
        try store.start(desk.take, contents: { _ in })
        _ = store.take(.claim("standup"))
        guard case .claimed(_, let claim)? = await desk.first(1).last else { throw Unexpected() }
        let reader = try Database(path: files.path, access: .read)
        try reader.execute("BEGIN")
        #expect(try reader.number("SELECT count(*) FROM calls") == 0)
        _ = store.take(.append(batch("standup", claim, 5)))
        guard case .kept? = await desk.first(2).last else { throw Unexpected() }
        #expect(try reader.number("SELECT count(*) FROM calls") == 0)
        let (file, log) = (try files.bytes(), try files.bytes("-wal"))
        let check = try StoreCheck(path: files.path)
        #expect(check.isSound)
        #expect(check.calls.map(\.session) == ["standup"])
        #expect(try files.bytes() == file)
        #expect(try files.bytes("-wal") == log)
        reader.close()
        await stop(store)
    }

    @Test("a file that is moved away while it is in use takes nothing more") func moved() async throws {
        let files = try Files()
        let store = try SQLiteStore(path: files.path, wallClock: { 1_000 })
        let desk = Desk()
        try store.start(desk.take, contents: { _ in })
        _ = store.take(.claim("standup"))
        _ = await desk.first(1)
        try FileManager.default.moveItem(atPath: files.path, toPath: files.path + ".old")
        _ = store.take(.claim("retro"))
        let reason: ByteString = "the file was moved or removed while it was in use"
        #expect(await desk.first(2).last == .unavailable(session: "retro", reason: reason))
        try FileManager.default.moveItem(atPath: files.path + ".old", toPath: files.path)
        _ = store.take(.claim("retro"))
        guard case .claimed? = await desk.first(3).last else { throw Unexpected() }
        await stop(store)
    }
}
