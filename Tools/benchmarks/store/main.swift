// How many commits a second the store keeps, beside the least that SQLite can do: one row for each commit, in the same
// groups, on the same disk.
//
//     store-bench [DIRECTORY] [SECONDS]      where the files are made (here), how long each line measures (2)

import CSQLite
import CallState
import CallStore
import Foundation
import Synchronization

let directory = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "."
let seconds = CommandLine.arguments.count > 2 ? Double(CommandLine.arguments[2]) ?? 2 : 2

/// Gives up with a reason.
func fail(_ reason: String) -> Never {
    FileHandle.standardError.write(Data("store-bench: \(reason)\n".utf8))
    exit(1)
}

/// A call of a few people, one of whom mutes and unmutes.
struct BusyCall {
    let session: ByteString
    private var state = CallState()
    private var devices: [Slot] = []
    private var turns = 0
    private(set) var kept: UInt64 = 0

    init(_ number: Int, epoch: UInt64) {
        session = ByteString("call \(number)")
        state.beginEpoch(epoch)
        state.beginCommit()
        state.beginMeeting(ByteString("m-\(number)"), at: 1_000, grace: 15_000, idle: 300_000)
        for person in 0..<5 {
            let slot = state.addPerson(uid: ByteString("user \(person)"), name: "Somebody", at: 1_000)
            devices.append(state.addDevice(person: slot, id: "laptop", clientName: "bench", at: 1_000))
        }
        _ = state.endCommit()
    }

    /// One more commit, as a relay hands it over.
    mutating func commit() -> CallBatch {
        state.beginCommit()
        // All unmute in turn, then all mute in turn: each time something changes.
        _ = state.setAudioMuted(turns / devices.count % 2 == 1, of: devices[turns % devices.count])
        turns += 1
        if !state.endCommit() { fail("a commit has changed nothing") }
        var header = KeptHeader(state)
        header.isOccupied = true
        var batch = CallBatch(session: session, from: kept, header: header)
        state.appendKept(since: kept, to: &batch.records)
        kept = state.position.seq
        return batch
    }
}

/// Lets one thread wait for another's answers.
final class Answers: Sendable {
    private let count = Mutex(0)
    private let epochs = Mutex<[ByteString: UInt64]>([:])
    private let done = DispatchSemaphore(value: 0)

    func take(_ answer: StoreAnswer) {
        if case .claimed(let session, let claim) = answer { epochs.withLock { $0[session] = claim.epoch } }
        if case .unavailable(_, let reason) = answer { fail("\(reason)") }
        if case .fenced(let session) = answer { fail("\(session) is not ours") }
        let left = count.withLock { count in
            count -= 1
            return count
        }
        if left == 0 { done.signal() }
    }

    func expect(_ answers: Int) { count.withLock { $0 = answers } }
    func wait() { done.wait() }
    func epoch(_ session: ByteString) -> UInt64 { epochs.withLock { $0[session] ?? 0 } }
}

func remove(_ path: String) {
    for ending in ["", "-wal", "-shm", "-lock"] { try? FileManager.default.removeItem(atPath: path + ending) }
}

/// Runs `group`, which keeps some commits, again and again, and gives commits and groups in a second.
func measure(_ commits: Int, _ group: () -> Void) -> (commits: Double, groups: Double) {
    group()
    let clock = ContinuousClock()
    let start = clock.now
    var groups = 0
    while start.duration(to: clock.now) < .seconds(seconds) {
        group()
        groups += 1
    }
    let duration = start.duration(to: clock.now) / .seconds(1)
    return (Double(groups * commits) / duration, Double(groups) / duration)
}

/// The store with so many calls that commit at the same time.
func measureStore(_ count: Int) -> (commits: Double, groups: Double, bytes: Int) {
    let path = directory + "/store-bench.db"
    defer { remove(path) }
    do {
        let store = try SQLiteStore(path: path, wallClock: { 1_000 })
        let answers = Answers()
        try store.start(answers.take, contents: { _ in })
        answers.expect(count)
        for number in 0..<count { _ = store.take(.claim(ByteString("call \(number)"))) }
        answers.wait()
        var calls = (0..<count).map { BusyCall($0, epoch: answers.epoch(ByteString("call \($0)"))) }
        let result = measure(count) {
            answers.expect(count)
            for place in calls.indices { _ = store.take(.append(calls[place].commit())) }
            answers.wait()
        }
        let counters = store.counters
        let stopped = DispatchSemaphore(value: 0)
        store.stop { stopped.signal() }
        stopped.wait()
        return (result.commits, result.groups, Int(counters.bytes / max(1, counters.batches)))
    } catch {
        fail("\(error)")
    }
}

/// SQLite alone: so many rows of so many bytes replaced in a transaction.
func measureBare(_ count: Int, bytes: Int) -> (commits: Double, groups: Double) {
    let path = directory + "/store-bench-bare.db"
    defer { remove(path) }
    var database: OpaquePointer?
    func run(_ sql: String) {
        if sqlite3_exec(database, sql, nil, nil, nil) != SQLITE_OK { fail(String(cString: sqlite3_errmsg(database))) }
    }
    guard sqlite3_open(path, &database) == SQLITE_OK else { fail("can't open \(path)") }
    defer { sqlite3_close_v2(database) }
    run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (k INTEGER PRIMARY KEY, v BLOB)")
    var statement: OpaquePointer?
    sqlite3_prepare_v2(database, "REPLACE INTO t VALUES (?1, ?2)", -1, &statement, nil)
    defer { sqlite3_finalize(statement) }
    let value = [UInt8](repeating: 7, count: bytes)
    return measure(count) {
        run("BEGIN IMMEDIATE")
        for key in 0..<count {
            sqlite3_reset(statement)
            sqlite3_bind_int64(statement, 1, sqlite3_int64(key))
            value.withUnsafeBytes { _ = rollcall_bind_blob(statement, 2, $0.baseAddress, $0.count) }
            if sqlite3_step(statement) != SQLITE_DONE { fail(String(cString: sqlite3_errmsg(database))) }
        }
        run("COMMIT")
    }
}

print("commits in a group   store: commits/s  groups/s   SQLite alone: commits/s  groups/s   store/SQLite")
for count in [1, 10, 100, 1_000] {
    let store = measureStore(count)
    let bare = measureBare(count, bytes: store.bytes)
    let text = String(
        format: "%18d %18.0f %9.0f %25.0f %9.0f %13.2f",
        count,
        store.commits,
        store.groups,
        bare.commits,
        bare.groups,
        store.commits / bare.commits
    )
    print(text)
}
