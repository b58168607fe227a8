import CallState
import Foundation
import Testing

@testable import CallStore

/// What happens to the files of a store while a relay uses them.
@Suite struct FilesInUseTests {
    /// A store with one call that somebody is in.
    private final class Scene {
        let files: Files
        let store: SQLiteStore
        let keeper: Keeper
        var call = RandomCall("standup", seed: 7)
        /// Changes of attendance that were kept, as far as was answered.
        private(set) var told = 0

        init() throws {
            files = try Files()
            store = try SQLiteStore(path: files.path, wallClock: { 1_000 })
            keeper = try #require(store.keeperOfTest)
            guard case .claimed(_, let claim)? = keeper.carryOut([.claim("standup")]).first else { throw Unexpected() }
            call.begin(epoch: claim.epoch)
            while !call.isOccupied { call.live(1) }
            #expect(append() == call.keptAnswer)
        }

        /// Changes something and has it kept.
        func append() -> StoreAnswer? {
            call.live(3)
            let batch = call.batch()
            let answer = keeper.carryOut([.append(batch)]).first
            if case .kept = answer {
                call.keeps(batch)
                told += batch.attendance.count
            }
            return answer
        }

        func refusal() -> String? {
            guard case .unavailable(_, let reason)? = append() else { return nil }
            return reason.string
        }

        func rename(_ from: String, _ to: String) throws {
            try FileManager.default.moveItem(atPath: files.path + from, toPath: files.path + to)
        }

        func copy(_ from: String, _ to: String) throws {
            try FileManager.default.copyItem(atPath: files.path + from, toPath: files.path + to)
        }

        /// The file alone, without its log, as a relay finds it that starts after this one was killed.
        func position(_ ending: String = "") throws -> Position? {
            try files.write(try files.bytes(ending), "found.db")
            return try StoreCheck(path: files.directory + "/found.db").calls.first?.position
        }
    }

    @Test(
        "R-131: the log is removed: nothing more is kept in it, and what was is moved into the file",
        arguments: ["-wal", "-shm"]
    )
    func logRemoved(ending: String) throws {
        let scene = try Scene()
        let position = scene.call.state.position
        scene.files.remove(ending)
        let reason = "the file's \(ending) was moved or removed while it was in use: start the relay anew"
        #expect(scene.refusal() == reason)
        #expect(scene.refusal() == reason)
        #expect(try scene.position() == position)
        scene.store.stop {}
        #expect(scene.files.refusal() == nil)
        #expect(try StoreCheck(path: scene.files.path).calls.first?.position == position)
    }

    @Test(
        "R-131: a file in the place of the log, or of the file, is not written and not removed",
        arguments: ["-wal", ""]
    )
    func replaced(ending: String) throws {
        let scene = try Scene()
        try scene.rename(ending, ending + ".away")
        try scene.copy(ending + ".away", ending)
        let before = try scene.files.bytes(ending)
        let file = ending.isEmpty ? "the file" : "the file's \(ending)"
        #expect(scene.refusal()?.hasPrefix("\(file) was moved or removed while it was in use") == true)
        scene.store.stop {}
        #expect(try scene.files.bytes(ending) == before)
    }

    @Test("R-131: the file is back in its place: what waits is kept") func movedBack() throws {
        let scene = try Scene()
        try scene.rename("", ".away")
        #expect(scene.refusal() == "the file was moved or removed while it was in use")
        try scene.rename(".away", "")
        #expect(scene.append() == scene.call.keptAnswer)
    }

    @Test("R-115 R-131: attendance that was kept of a batch which was refused all the same is not kept twice")
    func keptAndRefused() throws {
        let scene = try Scene()
        // At the end of the transaction the file is not where a relay would find it; twice, so that a batch that comes
        // again is refused again.
        scene.keeper.hasCommitted = { try? scene.rename("", ".away") }
        for _ in 0..<2 {
            #expect(scene.refusal() == "the file was moved or removed while it was in use")
            try scene.rename(".away", "")
        }
        scene.keeper.hasCommitted = nil
        for _ in 0..<3 { #expect(scene.append() == scene.call.keptAnswer) }
        let check = try StoreCheck(path: scene.files.path)
        #expect(scene.told > 10)
        #expect(check.events == scene.told)
        #expect(check.isSound)
    }

    @Test(
        "R-131: the file, or one beside it, is cut: nothing more is kept, and nothing is moved into it",
        arguments: ["", "-wal", "-shm"]
    )
    func cut(ending: String) throws {
        let scene = try Scene()
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: scene.files.path + ending))
        let size = try handle.seekToEnd()
        try handle.truncate(atOffset: ending == "-shm" ? 0 : size - 4_096)
        try handle.close()
        let reason =
            ending.isEmpty
            ? "the file has lost 4096 bytes at its end while it was in use"
            : "the file's \(ending) was cut while it was in use: start the relay anew"
        #expect(scene.refusal() == reason)
        let before = try scene.files.bytes()
        scene.keeper.checkpointIfDue()
        #expect(scene.refusal() == reason)
        #expect(scene.keeper.counters.failures == 2)
        scene.store.stop {}
        #expect(try scene.files.bytes() == before)
    }

    @Test("R-131: a lock file that was removed is made and locked again") func lockRemoved() throws {
        let scene = try Scene()
        scene.files.remove("-lock")
        #expect(scene.append() == scene.call.keptAnswer)
        #expect(scene.files.refusal()?.code == .inUse)
        scene.store.stop {}
        #expect(scene.files.refusal() == nil)
    }

    @Test("R-131: who has lost its lock file to another relay keeps nothing more") func lockTaken() throws {
        let scene = try Scene()
        scene.files.remove("-lock")
        let second = try SQLiteStore(path: scene.files.path, wallClock: { 1_000 })
        let position = scene.call.state.position
        #expect(scene.append() == .fenced(session: "standup"))
        guard case .unavailable? = scene.keeper.carryOut([.claim("other")]).first else { throw Unexpected() }
        #expect(try StoreCheck(path: scene.files.path).calls.first?.position == position)
        second.stop {}
    }

    @Test("R-131: who has lost its calls to another relay keeps nothing more, also when that one has ended")
    func takenOver() throws {
        let scene = try Scene()
        scene.files.remove("-lock")
        let second = try SQLiteStore(path: scene.files.path, wallClock: { 1_000 })
        let keeper = try #require(second.keeperOfTest)
        guard case .claimed(_, let claim)? = keeper.carryOut([.claim("standup")]).first else { throw Unexpected() }
        #expect(claim.kept?.header.position == scene.call.state.position)
        second.stop {}
        // Of the same epoch, and it follows on what is there.
        #expect(scene.append() == .fenced(session: "standup"))
        #expect(scene.append() == .fenced(session: "standup"))
        #expect(try StoreCheck(path: scene.files.path).lastEpoch == claim.epoch)
    }
}

extension RandomCall {
    /// The answer that everything is kept.
    fileprivate var keptAnswer: StoreAnswer { .kept(session: session, seq: state.position.seq) }
}
