import CallState
import Foundation
import Testing

@testable import CallStore

/// The log of changes loses its name while a relay writes to it.
@Suite struct LostLogTests {
    private let reason = "the file's -wal was moved or removed while it was in use: start the relay anew"

    @Test(
        "R-131: the log is removed: nothing more is kept in it, and a copy of it is put in its place",
        arguments: ["-wal", "-shm"]
    )
    func logRemoved(ending: String) throws {
        let scene = try FilesScene()
        let position = scene.call.state.position
        let before = try scene.files.bytes()
        scene.files.remove(ending)
        let reason = "the file's \(ending) was moved or removed while it was in use: start the relay anew"
        #expect(scene.refusal() == reason)
        #expect(scene.refusal() == reason)
        #expect(try scene.found() == position)
        #expect(try scene.files.bytes() == before)
        scene.store.stop {}
        #expect(scene.files.refusal() == nil)
        #expect(try StoreCheck(path: scene.files.path).calls.first?.position == position)
    }

    @Test("R-121 R-131: a log that can't be put back at once is put back when it can") func retried() throws {
        let scene = try FilesScene()
        let position = scene.call.state.position
        // No file can be made by this name.
        let obstacle = scene.files.path + "-new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        scene.files.remove("-wal")
        for _ in 0..<2 {
            let prefix = "the file's -wal was moved or removed while it was in use, and can't be put back: "
            #expect(scene.refusal()?.hasPrefix(prefix) == true)
            #expect(try scene.found() != position)
        }
        try FileManager.default.removeItem(atPath: obstacle)
        #expect(scene.refusal() == reason)
        #expect(try scene.found() == position)
        scene.store.stop {}
    }

    @Test(
        "R-121 R-131: a reader that holds what was before, and half of a change in the file, take nothing from it",
        arguments: [false, true]
    )
    func reader(isHalfMoved: Bool) throws {
        let scene = try FilesScene()
        let reader = try Database(path: scene.files.path, access: .read)
        try reader.execute("BEGIN")
        _ = try reader.number("SELECT count(*) FROM records")
        for _ in 0..<20 { #expect(scene.append() == scene.call.keptAnswer) }
        if isHalfMoved { try reader.checkpointBeside(scene.files.path) }
        let position = scene.call.state.position
        scene.files.remove("-wal")
        #expect(scene.refusal() == reason)
        #expect(try scene.found() == position)
        try reader.execute("COMMIT")
        reader.close()
        #expect(scene.refusal() == reason)
        #expect(try scene.found() == position)
        scene.store.stop {}
        #expect(try scene.found() == position)
    }

    @Test("R-131: an empty file in its place, as a reader makes it, is no log; another one is left alone")
    func inItsPlace() throws {
        let scene = try FilesScene()
        let position = scene.call.state.position
        scene.files.remove("-wal")
        try scene.files.write([1, 2, 3], "calls.db-wal")
        let advice = "another file is in its place: move that one away, and the log is put back"
        #expect(scene.refusal()?.hasSuffix(advice) == true)
        #expect(try scene.files.bytes("-wal") == [1, 2, 3])
        try scene.files.write([], "calls.db-wal")
        #expect(scene.refusal() == reason)
        #expect(try scene.found() == position)
        // Once more: what was done once is no answer.
        scene.files.remove("-wal")
        #expect(scene.refusal() == reason)
        #expect(try scene.found() == position)
        scene.store.stop {}
    }

    @Test("R-131: a log that is removed after the last request is put back at the stop") func atTheStop() throws {
        let scene = try FilesScene()
        let position = scene.call.state.position
        scene.files.remove("-wal")
        scene.store.stop {}
        #expect(try scene.found() == position)
    }
}

extension Database {
    /// Has another connection move as much of the log into the file as this one, which reads, does not hold.
    fileprivate func checkpointBeside(_ path: String) throws {
        let database = try Database(path: path, access: .write)
        database.setCheckpointsOnClose(false)
        #expect(try database.number("PRAGMA wal_checkpoint(PASSIVE)") == 0)
    }
}
