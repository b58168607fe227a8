import CallState
import CallStore
import Foundation
import Synchronization

/// The file of a store, damaged anywhere: it is refused by a reason and not written, or every call in it is one that a
/// relay can go on with.
enum StoreFileProgram {
    private static let session: ByteString = "standup"

    static func run(_ bytes: [UInt8]) throws(FuzzFinding) {
        var verdict = Verdict()
        do {
            try run(bytes, &verdict)
        } catch {
            verdict.fail("the file could not be made: \(error)")
        }
        try verdict.end()
    }

    private static func run(_ bytes: [UInt8], _ verdict: inout Verdict) throws {
        var choices = ChoiceReader(bytes)
        var file = try whole.get()
        for _ in 0...choices.below(4) { damage(&file, &choices) }
        let path = folder + "/damaged.db"
        for ending in ["", "-wal", "-shm", "-lock", "-journal"] {
            try? FileManager.default.removeItem(atPath: path + ending)
        }
        try Data(file).write(to: URL(fileURLWithPath: path))

        let isSound = isSound(path, &verdict)
        do throws(StoreError) {
            let store = try SQLiteStore(path: path, wallClock: { 1_700_000_000_000 })
            verdict.require(isSound, "a store opens a file in which faults were found")
            try go(on: store, &verdict)
        } catch {
            verdict.require(!isSound, "a sound file is refused: \(error)")
            verdict.require(!"\(error)".isEmpty, "an error that says nothing")
            let after = try? Data(contentsOf: URL(fileURLWithPath: path))
            verdict.require(after.map { Array($0) == file } == true, "a file that was refused was written")
        }
    }

    private static func isSound(_ path: String, _ verdict: inout Verdict) -> Bool {
        do throws(StoreError) {
            let check = try StoreCheck(path: path)
            verdict.require(check.faults.allSatisfy { !$0.isEmpty }, "a fault that says nothing")
            return check.isSound
        } catch {
            return false
        }
    }

    /// A relay claims everything that is in it.
    private static func go(on store: SQLiteStore, _ verdict: inout Verdict) throws(StoreError) {
        let box = Answers()
        var sessions = [session]
        try store.start({ box.add($0) }) { answer in
            if case .occupied(let found) = answer { sessions += found }
        }
        for session in sessions { _ = store.take(.claim(session)) }
        for answer in box.wait(for: sessions.count) {
            guard case .claimed(_, let claim) = answer, let kept = claim.kept else { continue }
            do throws(KeptError) {
                let state = try CallState(restoring: kept)
                verdict.require(state.digest == state.recomputedDigest, "digest of a call in a sound file")
                verdict.require(claim.epoch > state.position.epoch, "epoch \(claim.epoch) was given before")
            } catch {
                verdict.fail("a call in a sound file is none: \(error)")
            }
        }
        box.stop(store)
    }

    private static func damage(_ file: inout [UInt8], _ choices: inout ChoiceReader) {
        guard !file.isEmpty else { return }
        let place = (Int(choices.byte()) << 16 | Int(choices.byte()) << 8 | Int(choices.byte())) % file.count
        switch choices.below(4) {
        case 0: file[place] ^= choices.byte()
        case 1:
            for (offset, byte) in choices.take(1 + choices.below(16)).enumerated() where place + offset < file.count {
                file[place + offset] = byte
            }
        // Not to nothing: an empty file is one that a store makes its own.
        case 2: file.removeLast(min(file.count - place, file.count - 1))
        default:
            // A page that was not written, or written elsewhere.
            let (page, other) = (place / 4_096 * 4_096, Int(choices.byte()) * 4_096)
            guard page + 4_096 <= file.count else { return }
            let content =
                other + 4_096 <= file.count ? Array(file[other..<other + 4_096]) : Array(repeating: 0, count: 4_096)
            file.replaceSubrange(page..<page + 4_096, with: content)
        }
    }

    // MARK: The whole file

    private static let folder: String = {
        let path = NSTemporaryDirectory() + "rollcall-fuzz-\(getpid())"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }()

    /// A file with a call that has a past, made once.
    private static let whole = Result<[UInt8], any Error> {
        let path = folder + "/whole.db"
        let store = try SQLiteStore(path: path, wallClock: { 1_700_000_000_000 })
        let box = Answers()
        try store.start({ box.add($0) }) { _ in }
        _ = store.take(.claim(session))
        var choices = ChoiceReader((0..<600).map { UInt8(truncatingIfNeeded: $0 &* 151 ^ $0 >> 3) })
        var (state, change) = (CallState(), CallChange())
        var seq: UInt64 = 0
        for _ in 0..<12 {
            guard change.commit(to: &state, &choices) else { continue }
            var batch = CallBatch(session: session, from: seq, header: KeptHeader(state))
            batch.header.isOccupied = true
            state.appendKept(since: seq, to: &batch.records)
            batch.privates = [KeptPrivate(key: seq, bytes: [1, 2, 3])]
            _ = store.take(.append(batch))
            seq = state.position.seq
        }
        _ = box.wait(for: 2)
        box.stop(store)
        return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}

/// The answers of a store, which come on a thread of its own.
private final class Answers: Sendable {
    private let answers = Mutex<[StoreAnswer]>([])
    private let bell = DispatchSemaphore(value: 0)

    func add(_ answer: StoreAnswer) {
        answers.withLock { $0.append(answer) }
        bell.signal()
    }

    /// Waits for so many, and gives them.
    func wait(for count: Int) -> [StoreAnswer] {
        for _ in 0..<count { bell.wait() }
        return answers.withLock { $0 }
    }

    func stop(_ store: SQLiteStore) {
        let done = DispatchSemaphore(value: 0)
        store.stop { done.signal() }
        done.wait()
    }
}
