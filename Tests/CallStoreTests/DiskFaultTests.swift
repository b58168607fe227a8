import CallState
import Randomness
import Testing

@testable import CallStore

/// A disk that fails: what could not be kept is refused as a whole, and everything works again with the disk.
@Suite struct DiskFaultTests {
    /// Lives through a plan, then on a sound disk; gives how many groups were refused.
    private func live(_ seed: UInt64, cachePages: Int? = nil, _ plan: (Int) -> MemoryDisk.Plan) async throws -> Int {
        // Long work: others shall have their turn.
        await Task.yield()
        let machine = try Machine(cachePages: cachePages)
        let driver = StoreDriver(seed: seed)
        let keeper = try machine.start()
        machine.disk.plan = plan(machine.disk.operations)
        for _ in 0..<8 {
            let before = driver.refusals
            try driver.step(keeper)
            guard driver.refusals > before else { continue }
            // Nothing of the group is there, not even what went well before the failure.
            let plan = machine.disk.plan
            machine.disk.plan = .nothing
            let found = try machine.look()
            #expect(StoreModel.difference(found, driver.kept) == nil)
            machine.disk.plan = plan
        }
        let refusals = driver.refusals
        machine.disk.plan = .nothing
        for _ in 0..<3 { try driver.step(keeper) }
        // It has recovered at once, and what failed has left nothing behind, also when the power goes now.
        #expect(driver.refusals == refusals)
        machine.disk.restart(.some(SplitMix64(seed: seed)))
        let found = try machine.look()
        #expect(StoreModel.difference(found, driver.kept) == nil)
        return refusals
    }

    private func operations(_ seed: UInt64, cachePages: Int? = nil) throws -> Int {
        let machine = try Machine(cachePages: cachePages)
        let driver = StoreDriver(seed: seed)
        let keeper = try machine.start()
        let before = machine.disk.operations
        for _ in 0..<8 { try driver.step(keeper) }
        return machine.disk.operations - before
    }

    @Test("each operation on the disk fails once, with much and with little memory", arguments: [nil, 3])
    func oneFails(cachePages: Int?) async throws {
        var refusals = 0
        let operations = try operations(1, cachePages: cachePages)
        // With little memory there are many more of them.
        for at in stride(from: 1, through: operations, by: cachePages == nil ? 1 : 7) {
            refusals += try await live(1, cachePages: cachePages) { .fail(at: $0 + at, count: 1, .device) }
        }
        #expect(refusals > 0)
    }

    @Test("from each operation on several fail", arguments: [3, 40]) func manyFail(count: Int) async throws {
        var refusals = 0
        for at in stride(from: 1, through: try operations(5), by: 7) {
            refusals += try await live(5) { .fail(at: $0 + at, count: count, .device) }
        }
        #expect(refusals > 0)
    }

    @Test("each write finds the disk full") func noSpaceOnce() async throws {
        var refusals = 0
        for at in stride(from: 1, through: try operations(6), by: 5) {
            refusals += try await live(6) { .fail(at: $0 + at, count: 25, .space) }
        }
        #expect(refusals > 0)
    }

    @Test("a disk that is full stays so until space returns", arguments: [0, 4_096, 30_000, 90_000])
    func full(room: Int) async throws {
        let machine = try Machine()
        let driver = StoreDriver(seed: 8)
        let keeper = try machine.start(checkpointPages: 1_000)
        let size = machine.disk.files.values.reduce(0) { $0 + $1.content.count }
        machine.disk.plan = .full(size + room)
        for _ in 0..<30 {
            await Task.yield()
            try driver.step(keeper)
        }
        #expect(driver.refusals > 0)
        #expect(keeper.lastFailure?.message == "database or disk is full")
        #expect(keeper.counters.failures == UInt64(driver.refusals))
        machine.disk.plan = .nothing
        let refusals = driver.refusals
        for _ in 0..<5 { try driver.step(keeper) }
        #expect(driver.refusals == refusals)
        #expect(keeper.lastFailure == nil)
        keeper.close()
        machine.disk.restart(.nothing)
        #expect(StoreModel.difference(try machine.look(), driver.kept) == nil)
    }

    @Test("a release whose transaction failed is done with the next") func releaseIsNotLost() throws {
        let machine = try Machine()
        let keeper = try machine.start()
        var call = RandomCall("standup", seed: 1)
        guard case .claimed(_, let claim)? = keeper.carryOut([.claim("standup")]).first else { throw Unexpected() }
        call.begin(epoch: claim.epoch)
        while call.isOccupied || call.state.position.seq == 0 { call.live(1) }
        _ = keeper.carryOut([.append(call.batch())])
        machine.disk.plan = .full(0)
        #expect(keeper.carryOut([.release("standup")]).isEmpty)
        #expect(keeper.counters.failures == 1)
        machine.disk.plan = .nothing
        #expect(keeper.carryOut([]).isEmpty)
        keeper.close()
        machine.disk.restart(.nothing)
        #expect(try machine.look().calls.isEmpty)
    }
}

/// What a test did not expect.
struct Unexpected: Error {}
