import CallState
import Foundation
import TestSupport
import Testing

@testable import CallStore

/// Files of a store in a directory of a test's own.
final class Files {
    private let scratch: Scratch
    var path: String { scratch.path + "/calls.db" }
    var directory: String { scratch.path }

    init() throws { scratch = try Scratch() }

    /// A store that has lived and stopped: what it has, and its bytes.
    func make(calls count: Int = 4, commits: Int = 40) throws -> (contents: StoreModel, bytes: [UInt8]) {
        let store = try SQLiteStore(path: path, wallClock: { 1_000 })
        let keeper = try #require(store.keeperOfTest)
        for number in 0..<count {
            var call = RandomCall(ByteString("call \(number)"), seed: UInt64(number))
            guard case .claimed(_, let claim)? = keeper.carryOut([.claim(call.session)]).first else {
                throw Unexpected()
            }
            call.begin(epoch: claim.epoch)
            call.live(commits)
            while !call.isOccupied { call.live(1) }
            _ = keeper.carryOut([.append(call.batch())])
        }
        store.stop {}
        return (try contents(), try bytes())
    }

    func contents() throws -> StoreModel { try StoreModel(Database(path: path, access: .readAlone)) }

    func bytes(_ ending: String = "") throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path + ending)))
    }

    func write(_ bytes: [UInt8], _ name: String = "calls.db") throws {
        try Data(bytes).write(to: URL(fileURLWithPath: directory + "/" + name))
    }

    /// The names in the directory.
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory).sorted() }

    func remove(_ ending: String = "") { try? FileManager.default.removeItem(atPath: path + ending) }

    /// Why the file can't be used; nil when it can, and then it was opened and stopped.
    func refusal(_ path: String? = nil) -> StoreError? {
        do throws(StoreError) {
            let store = try SQLiteStore(path: path ?? self.path, wallClock: { 1_000 })
            store.stop {}
            return nil
        } catch {
            return error
        }
    }
}
