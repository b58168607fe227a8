import CallState
import Foundation
import Testing

@testable import CallStore

#if canImport(Glibc)
    @_silgen_name("setfsuid") private func setFileUser(_ user: UInt32) -> Int32
#endif

/// Where the file of a store can be, and what is said where it can't.
@Suite struct PlaceTests {
    @Test("a new file is whole, of its owner alone, and stays what it is") func new() throws {
        let files = try Files()
        #expect(files.refusal() == nil)
        #expect(try files.names() == ["calls.db", "calls.db-lock"])
        let mode = try FileManager.default.attributesOfItem(atPath: files.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let bytes = try files.bytes()
        #expect(files.refusal() == nil)
        #expect(try files.bytes() == bytes)
        #expect(try StoreCheck(path: files.path).isSound)
    }

    @Test("an empty file is as good as none") func empty() throws {
        let files = try Files()
        try files.write([])
        #expect(files.refusal() == nil)
        #expect(try StoreCheck(path: files.path).isSound)
    }

    @Test(
        "the log of a file that is gone or empty is neither removed nor put into a new one",
        arguments: [true, false]
    )
    func staleLog(isGone: Bool) throws {
        let files = try Files()
        let store = try SQLiteStore(path: files.path, wallClock: { 1_000 })
        _ = store.keeperOfTest?.carryOut([.claim("standup")])
        let log = try files.bytes("-wal")
        #expect(!log.isEmpty)
        store.stop {}
        files.remove()
        try files.write(log, "calls.db-wal")
        if !isGone { try files.write([]) }
        let error = try #require(files.refusal())
        #expect(error.code == .damaged)
        #expect(error.reason.contains("a log with \(log.count) bytes of its changes"))
        #expect(throws: StoreError.self) { try StoreCheck(path: files.path) }
        #expect(try files.bytes("-wal") == log)
        files.remove("-wal")
        #expect(files.refusal() == nil)
    }

    @Test("a second relay is kept out, by whatever name it comes") func locked() throws {
        let files = try Files()
        let store = try SQLiteStore(path: files.path, wallClock: { 1_000 })
        let link = files.directory + "/link.db"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "calls.db")
        for path in [files.path, link, files.directory + "/./calls.db"] {
            let error = try #require(files.refusal(path))
            #expect(error.code == .inUse)
            #expect(error.reason == "another relay (process \(getpid())) keeps its calls in it")
        }
        store.stop {}
        #expect(files.refusal(link) == nil)
    }

    @Test("what is no file, and what leads to none") func noFiles() throws {
        let files = try Files()
        #expect(files.refusal(files.directory)?.code == .notAFile)
        #expect(files.refusal(files.directory)?.reason == "it is a directory")
        #expect(files.refusal("")?.code == .notFound)
        let missing = files.refusal(files.directory + "/no/calls.db")
        #expect(missing?.code == .notFound)
        #expect(missing?.reason == "there is no directory \(files.directory)/no")
        let link = files.directory + "/link.db"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere.db")
        #expect(files.refusal(link)?.reason == "it is a symbolic link that leads nowhere")
        try files.write([1], "text")
        #expect(files.refusal(files.directory + "/text/calls.db")?.code == .notFound)
        #expect(files.refusal("/dev/null")?.reason == "it is no regular file")
    }

    @Test("links in a circle, a name that is too long, and SQLite's own name for no file") func noPaths() throws {
        let files = try Files()
        let circle = files.directory + "/circle.db"
        try FileManager.default.createSymbolicLink(atPath: circle, withDestinationPath: "circle.db")
        let long = files.directory + "/" + String(repeating: "x", count: 300)
        let deep = files.directory + "/" + String(repeating: "d/", count: 4_000) + "calls.db"
        let cases: [(path: String, reason: String)] = [
            (circle, "its symbolic links lead in a circle"),
            (circle + "/calls.db", "its symbolic links lead in a circle"),
            (long, "the path, or a name in it, is too long"), (deep, "the path, or a name in it, is too long"),
        ]
        for (path, reason) in cases {
            #expect(files.refusal(path)?.code == .notFound)
            #expect(files.refusal(path)?.reason == reason)
            #expect(throws: StoreError(.notFound, path, reason)) { try StoreCheck(path: path) }
        }
        let memory = try #require(files.refusal(":memory:"))
        #expect(memory.code == .notAFile)
        #expect(throws: memory) { try StoreCheck(path: ":memory:") }
        #expect(!FileManager.default.fileExists(atPath: ":memory:"))
        // With room for the name and none for those beside it.
        let full = files.directory + "/" + String(repeating: "x", count: 252)
        #expect(files.refusal(full)?.code == .notFound)
        #expect(try files.names() == ["circle.db"])
    }

    @Test("an empty file, and one behind a link, are looked at as a relay would") func checked() throws {
        let files = try Files()
        try files.write([], "empty.db")
        let empty = try StoreCheck(path: files.directory + "/empty.db")
        #expect(empty.isNew && empty.isSound)
        let store = try SQLiteStore(path: files.path, wallClock: { 1_000 })
        _ = store.keeperOfTest?.carryOut([.claim("standup")])
        let link = files.directory + "/link.db"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "calls.db")
        // What is only in the log, which has the name of the file itself.
        #expect(try StoreCheck(path: link).lastEpoch == 1_001)
        store.stop {}
    }

    @Test("what a store does not understand is judged by who does") func judged() throws {
        let files = try Files()
        let contents = try files.make(calls: 3).contents
        var judged: [ByteString: KeptCall] = [:]
        let check = try StoreCheck(path: files.path) { session, kept in
            judged[session] = kept
            return session == "call 1" ? KeptError("it is odd") : nil
        }
        #expect(judged == contents.calls)
        #expect(check.faults == ["call call 1: it is odd"])
        #expect(check.calls.map(\.session) == ["call 0", "call 2"])
    }

    @Test("a file of two names") func hardLink() throws {
        let files = try Files()
        #expect(files.refusal() == nil)
        try FileManager.default.linkItem(atPath: files.path, toPath: files.directory + "/second.db")
        #expect(files.refusal()?.code == .notAFile)
        #expect(files.refusal()?.reason.contains("2 names") == true)
    }

    @Test("a file that may not be read or written, and a directory that nothing can be made in")
    func permissions() throws {
        let files = try Files()
        #expect(files.refusal() == nil)
        let before = try files.bytes()
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o666], ofItemAtPath: files.path + "-lock")
        try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: files.path)
        let readOnly = withoutPrivileges { files.refusal() }
        #expect(readOnly?.code == .notPermitted)
        #expect(readOnly?.reason == "it can't be written: Permission denied")
        try manager.setAttributes([.posixPermissions: 0o000], ofItemAtPath: files.path)
        let unreadable = withoutPrivileges { files.refusal() }
        #expect(unreadable?.code == .notPermitted)
        #expect(unreadable?.reason.hasPrefix("it can't be read: ") == true)
        try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: files.path)
        #expect(try files.bytes() == before)
        // Looking is allowed.
        #expect(try withoutPrivileges { try StoreCheck(path: files.path) }.isSound)
        files.remove()
        files.remove("-lock")
        try manager.setAttributes([.posixPermissions: 0o555], ofItemAtPath: files.directory)
        let closed = withoutPrivileges { files.refusal() }
        #expect(closed?.code == .notPermitted)
        #expect(closed?.reason.hasPrefix("no lock file can be made beside it: ") == true)
        try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: files.directory)
        #expect(try files.names().isEmpty)
    }

    /// Runs a body as somebody who may only what the modes of files allow; in this thread alone.
    private func withoutPrivileges<Result>(_ body: () throws -> Result) rethrows -> Result {
        #if canImport(Glibc)
            guard geteuid() == 0 else { return try body() }
            _ = setFileUser(65_534)
            defer { _ = setFileUser(0) }
        #endif
        return try body()
    }
}
