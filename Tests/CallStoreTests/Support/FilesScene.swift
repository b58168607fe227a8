import CallState
import Foundation
import Testing

@testable import CallStore

/// A store with one call that somebody is in.
final class FilesScene {
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
    func append(isClean: Bool = false) -> StoreAnswer? {
        call.live(3)
        let batch = call.batch(isClean: isClean)
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

    /// The call as a relay finds it that starts after this one was killed; nil when it finds none, or damage.
    func found() throws -> Position? {
        for ending in ["", "-wal"] {
            try? FileManager.default.removeItem(atPath: files.directory + "/found.db" + ending)
            if let bytes = try? files.bytes(ending) { try files.write(bytes, "found.db" + ending) }
        }
        let check = try StoreCheck(path: files.directory + "/found.db")
        return check.isSound ? check.calls.first?.position : nil
    }
}

extension RandomCall {
    /// The answer that everything is kept.
    var keptAnswer: StoreAnswer { .kept(session: session, seq: state.position.seq) }
}
