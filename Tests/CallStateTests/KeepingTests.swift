import Randomness
import Testing

@testable import CallState

/// What a store is given of a state, and the state that comes back.
@Suite struct KeepingTests {
    /// A call as a store keeps it that gets a batch after some of the commits only.
    private struct Store {
        var kept = KeptCall()
        var seq: UInt64 = 0

        mutating func keep(_ history: inout RandomHistory) {
            keep(history.state, gone: history.forgotten)
            history.forgotten = []
        }

        mutating func keep(_ state: CallState, gone: [Slot] = []) {
            var batch = CallBatch(session: "standup", from: seq, header: KeptHeader(state))
            batch.gone = gone
            state.appendKept(since: seq, to: &batch.records)
            kept.apply(batch)
            seq = state.position.seq
        }
    }

    @Test("a restored state makes the same differences from every position as the one that was kept", arguments: 0..<60)
    func restoredIsTheSame(seed: UInt64) throws {
        var history = RandomHistory(seed: seed, commits: 0, dropsTombstones: seed % 2 == 0)
        var random = SplitMix64(seed: seed)
        var store = Store()
        for _ in 0..<120 {
            history.step()
            guard random.oneIn(3) else { continue }
            store.keep(&history)
            let restored = try CallState(restoring: store.kept)
            #expect(Check.restored(restored, history.state) == nil)
        }
    }

    @Test("a restored state goes on as the one that was kept does", arguments: 0..<20)
    func restoredGoesOn(seed: UInt64) throws {
        var history = RandomHistory(seed: seed, commits: 80, dropsTombstones: true)
        var store = Store()
        store.keep(&history)
        var restored = history
        restored.state = try CallState(restoring: store.kept)
        for _ in 0..<60 {
            history.step()
            restored.step()
            #expect(Check.restored(restored.state, history.state) == nil)
        }
    }

    @Test("damage is found and named, or makes a state that is whole", arguments: 0..<40)
    func damaged(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var store = Store()
        store.keep(RandomHistory(seed: seed, commits: 60).state)
        for _ in 0..<50 {
            var kept = store.kept
            guard let slot = kept.records.keys.sorted().randomElement(using: &random) else { return }
            var bytes = kept.records[slot]!.bytes
            switch random.below(4) {
            case 0 where !bytes.isEmpty: bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8))
            case 1: bytes.removeLast(min(bytes.count, 1 + random.below(4)))
            case 2: kept.records[slot] = nil
            default: kept.header.nextSlot = Slot(random.below(20))
            }
            kept.records[slot]?.bytes = bytes
            if let state = try? CallState(restoring: kept) {
                #expect(Check.structure(state) == nil)
                #expect(state.digest == state.recomputedDigest)
            }
        }
    }

    @Test("each fault of what was kept is named with its slot")
    func faults() throws {
        var state = CallState.meeting("ana", "bo")
        state.commit { $0.removePerson($0.personSlots[1], at: 5, reason: .left) }
        var store = Store()
        store.keep(state)
        func fault(_ change: (inout KeptCall) -> Void) -> String {
            var kept = store.kept
            change(&kept)
            do {
                _ = try CallState(restoring: kept)
                return "none"
            } catch {
                return "\(error)"
            }
        }
        #expect(fault { _ in } == "none")
        #expect(fault { $0.header.floor = 900 } == "the floor is above the head")
        #expect(fault { $0.header.nextSlot = 3 } == "slot 3: the slot was never given")
        #expect(fault { $0.header.position.seq = 1 << 53 }.hasPrefix("no call gets as far as"))
        #expect(fault { $0.header.position.epoch = .max }.hasPrefix("no call gets as far as"))
        #expect(
            fault {
                $0 = KeptCall(); $0.header.nextSlot = 1
            }.hasPrefix("the next slot is 1")
        )
        #expect(fault { $0.header.position.seq = 1 }.hasSuffix("a version is above the head"))
        #expect(fault { $0.records[2]!.bytes = [0xFF] } == "slot 2: the kept record can't be read")
        #expect(fault { $0.records[2]!.bytes += [0x70, 1] } == "slot 2: field 14 of the kept record is not known")
        #expect(fault { $0.header.digest = 1 } == "the digest is another one")
        #expect(fault { $0.records[2] = nil } == "slot 3: the device's person is missing")
        // No copy would ever be told of such a field.
        var person = try StoredRecord(#require(store.kept.records[2]))
        person.fields[0].version = 0
        #expect(fault { $0.records[2] = person.kept } == "slot 2: field 1 is older than its call")
    }
}

extension Check {
    /// Whether a restored state can be told from the one that was kept: records changed by one commit may have changed
    /// places in the order of versions, which nobody sees.
    static func restored(_ one: CallState, _ other: CallState) -> String? {
        if one.position != other.position { return "positions" }
        if one.floor != other.floor { return "floors" }
        if one.nextSlot != other.nextSlot { return "next slots" }
        if one.tombstoneCount != other.tombstoneCount { return "tombstones" }
        var mine = Diff()
        var theirs = Diff()
        for seq in [0] + Array(one.floor...one.position.seq) {
            one.diff(from: seq, into: &mine)
            other.diff(from: seq, into: &theirs)
            if mine != theirs { return "differences from \(seq)" }
        }
        return structure(one) ?? digest(one) ?? sameContent(one, other)
    }
}
