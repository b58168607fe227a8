import CallState
import Foundation
import Testing

@testable import CallStore

/// What happens to the files of a store while a relay uses them.
@Suite struct FilesInUseTests {
    @Test(
        "R-131: a file in the place of the log, or of the file, is not written and not removed",
        arguments: ["-wal", ""]
    )
    func replaced(ending: String) throws {
        let scene = try FilesScene()
        try scene.rename(ending, ending + ".away")
        try scene.copy(ending + ".away", ending)
        let before = try scene.files.bytes(ending)
        let file = ending.isEmpty ? "the file" : "the file's \(ending)"
        #expect(scene.refusal()?.hasPrefix("\(file) was moved or removed while it was in use") == true)
        scene.store.stop {}
        #expect(try scene.files.bytes(ending) == before)
    }

    @Test("R-131: the file is back in its place: what waits is kept") func movedBack() throws {
        let scene = try FilesScene()
        try scene.rename("", ".away")
        #expect(scene.refusal() == "the file was moved or removed while it was in use")
        try scene.rename(".away", "")
        #expect(scene.append() == scene.call.keptAnswer)
    }

    @Test("R-115 R-131: attendance that was kept of a batch which was refused all the same is not kept twice")
    func keptAndRefused() throws {
        let scene = try FilesScene()
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

    @Test("R-105 R-118: a claim that was kept and refused all the same takes nothing from a clean call")
    func claimedAndRefused() throws {
        let scene = try FilesScene()
        #expect(scene.append(isClean: true) == scene.call.keptAnswer)
        scene.store.stop {}
        let store = try SQLiteStore(path: scene.files.path, wallClock: { 1_000 })
        let keeper = try #require(store.keeperOfTest)
        let reason: ByteString = "the file was moved or removed while it was in use"
        // Before the transaction: nothing is kept, and nothing is in doubt.
        try scene.rename("", ".away")
        #expect(keeper.carryOut([.claim("standup")]) == [.unavailable(session: "standup", reason: reason)])
        try scene.rename(".away", "")
        // At its end; twice, so that a claim that comes again is refused again.
        keeper.hasCommitted = { try? scene.rename("", ".away") }
        for _ in 0..<2 {
            #expect(keeper.carryOut([.claim("standup")]) == [.doubtful(session: "standup", reason: reason)])
            try scene.rename(".away", "")
            #expect(try StoreCheck(path: scene.files.path).calls.first?.isClean == false)
        }
        keeper.hasCommitted = nil
        for isClean in [true, false] {
            guard case .claimed(_, let claim)? = keeper.carryOut([.claim("standup")]).first else { throw Unexpected() }
            #expect(claim.kept?.header.isClean == isClean)
        }
        store.stop {}
    }

    @Test(
        "R-131: the file, or one beside it, is cut: nothing more is kept, and nothing is moved into it",
        arguments: ["", "-wal", "-shm"]
    )
    func cut(ending: String) throws {
        let scene = try FilesScene()
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
        let scene = try FilesScene()
        scene.files.remove("-lock")
        #expect(scene.append() == scene.call.keptAnswer)
        #expect(scene.files.refusal()?.code == .inUse)
        scene.store.stop {}
        #expect(scene.files.refusal() == nil)
    }

    @Test("R-131: who has lost its lock file to another relay keeps nothing more") func lockTaken() throws {
        let scene = try FilesScene()
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
        let scene = try FilesScene()
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
