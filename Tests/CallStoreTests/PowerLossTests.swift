import CallState
import Randomness
import Testing

@testable import CallStore

/// What was answered to be kept is kept when the power goes, at whatever operation on the disk, whatever of what was
/// not synced is left.
@Suite struct PowerLossTests {
    private static let groups = 7

    /// Lives until the groups are done or the power is gone; gives what must be on the disk.
    private func live(_ machine: Machine, _ driver: StoreDriver) {
        guard let keeper = try? machine.start() else { return }
        while driver.groups < Self.groups, !machine.disk.isOff {
            do { try driver.step(keeper) } catch { return }
        }
        keeper.close()
    }

    /// One of them with little memory, so that parts of a transaction are in the log before its end.
    private func cachePages(_ seed: UInt64) -> Int? { seed == 0 ? nil : 3 }

    private func operations(seed: UInt64) throws -> Int {
        let machine = try Machine(cachePages: cachePages(seed))
        live(machine, StoreDriver(seed: seed))
        return machine.disk.operations
    }

    @Test("every answer survives", arguments: 0..<2) func answersSurvive(seed: UInt64) async throws {
        let operations = try operations(seed: seed)
        #expect(operations > 100)
        var lostGroups = 0
        for at in stride(from: 1, through: operations, by: seed == 0 ? 1 : 3) {
            // Long work: others shall have their turn.
            await Task.yield()
            // Nothing is what a proof needs at each operation; of the others one or the other.
            for mode in [0, 1 + at % 2] {
                let machine = try Machine(cachePages: cachePages(seed))
                let driver = StoreDriver(seed: seed)
                machine.disk.plan = .powerOff(at: at)
                live(machine, driver)
                let survival: MemoryDisk.Survival =
                    switch mode {
                    case 0: .nothing
                    case 1: .everything
                    default: .some(SplitMix64(seed: seed &* 7_919 &+ UInt64(at)))
                    }
                machine.disk.restart(survival)
                let found: StoreModel
                do { found = try machine.look() } catch {
                    Issue.record("power off at \(at), mode \(mode): \(error)")
                    return
                }
                // The group that was on its way is there or not, but never a part of it.
                let fault = StoreModel.difference(found, driver.kept)
                if fault != nil, let other = StoreModel.difference(found, driver.next) {
                    Issue.record("power off at \(at), mode \(mode): \(fault ?? ""), and with the next group \(other)")
                    return
                }
                if fault == nil, driver.kept != driver.next { lostGroups += 1 }
                guard at % 16 == 0 else { continue }
                // It goes on, and no epoch comes twice.
                let keeper = try machine.start()
                driver.restart(found)
                for _ in 0..<3 { try driver.step(keeper) }
                #expect(driver.refusals <= 1)
            }
        }
        // Else nothing was ever at stake.
        #expect(lostGroups > 0)
    }

    @Test("a disk that loses what was synced is found out") func theProofHasTeeth() throws {
        // The same disk, with syncs that do nothing: it must not pass.
        let machine = try Machine()
        let driver = StoreDriver(seed: 1)
        machine.disk.syncsAreLies = true
        live(machine, driver)
        machine.disk.restart(.nothing)
        let found = try? machine.look()
        #expect(found != driver.kept)
    }

    @Test("also after the file was closed and opened many times", arguments: 0..<6)
    func manyStarts(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let machine = try Machine()
        let driver = StoreDriver(seed: seed)
        for _ in 0..<25 {
            await Task.yield()
            driver.restart(driver.kept)
            if let keeper = try? machine.start() {
                machine.disk.plan = .powerOff(at: machine.disk.operations + random.below(200))
                for _ in 0..<8 where !machine.disk.isOff { try driver.step(keeper) }
                if !machine.disk.isOff { keeper.close() }
            }
            machine.disk.restart(.some(SplitMix64(seed: random.next())))
            let found = try machine.look()
            if found != driver.kept { #expect(StoreModel.difference(found, driver.next) == nil) }
            driver.restart(found)
        }
    }
}
