import CallState
import Testing

@testable import CallStore

/// How often the disk is synced is a promise: README.md of the store names the numbers.
@Suite struct SyncCountTests {
    private func batches(_ calls: inout [RandomCall]) -> [StoreRequest] {
        calls.indices.map { place in
            calls[place].live(3)
            return .append(calls[place].batch())
        }
    }

    private func claim(_ count: Int, _ keeper: Keeper) -> [RandomCall] {
        let sessions = (0..<count).map { ByteString("call \($0)") }
        var calls = sessions.enumerated().map { RandomCall($1, seed: UInt64($0)) }
        for (place, answer) in keeper.carryOut(sessions.map { .claim($0) }).enumerated() {
            if case .claimed(_, let claim) = answer { calls[place].begin(epoch: claim.epoch) }
        }
        return calls
    }

    @Test("one sync for all that is carried out together", arguments: [1, 2, 10, 200])
    func oneForAll(count: Int) throws {
        let machine = try Machine()
        let keeper = try machine.start(checkpointPages: 100_000)
        var calls = claim(count, keeper)
        // The first one after the start also syncs the head of the log.
        #expect(machine.disk.syncs == ["wal": 2])
        for round in 1...5 {
            let requests = batches(&calls)
            let answers = keeper.carryOut(requests)
            for (place, answer) in answers.enumerated() {
                guard case .kept = answer, case .append(let batch) = requests[place] else { throw Unexpected() }
                calls[place].keeps(batch)
            }
            #expect(answers.count == count)
            #expect(machine.disk.syncs == ["wal": 2 + round])
        }
        #expect(keeper.counters.transactions == 6)
        #expect(keeper.counters.syncs == 6)
        #expect(keeper.counters.batches == UInt64(5 * count))
        #expect(keeper.counters.claims == UInt64(count))
        #expect(keeper.counters.bytes > 0)
    }

    @Test("moving the log costs two syncs, and one with the next transaction") func checkpoints() throws {
        let machine = try Machine()
        let keeper = try machine.start(checkpointPages: 1)
        var calls = claim(3, keeper)
        let before = machine.disk.syncs
        keeper.checkpointIfDue()
        #expect(machine.disk.syncs["wal"] == before["wal", default: 0] + 1)
        #expect(machine.disk.syncs["/calls.db"] == 1)
        let moved = machine.disk.syncCount
        _ = keeper.carryOut(batches(&calls))
        #expect(machine.disk.syncCount == moved + 2)
        #expect(keeper.counters.checkpoints == 1)
    }

    @Test("nothing is read or written while nothing is asked for") func quiet() throws {
        let machine = try Machine()
        let keeper = try machine.start()
        _ = claim(3, keeper)
        let before = machine.disk.operations
        keeper.checkpointIfDue()
        #expect(machine.disk.operations == before)
    }
}
