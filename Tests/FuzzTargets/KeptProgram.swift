import CallState

/// What a store hands back, damaged: it is refused with a reason, or is a state that can go on.
enum KeptProgram {
    static func run(_ bytes: [UInt8]) throws(FuzzFinding) {
        var choices = ChoiceReader(bytes)
        var state = CallState()
        var change = CallChange()
        for _ in 0..<choices.below(12) { _ = change.commit(to: &state, &choices) }
        var kept = KeptCall(state)
        for _ in 0..<choices.below(6) { damage(&kept, &choices) }
        // With its digest most damage would be found by that alone.
        kept.header.digest = nil

        var verdict = Verdict()
        do throws(KeptError) {
            var restored = try CallState(restoring: kept)
            check(restored, &verdict)
            // Near the ends of the numbers no relay can go on.
            let isLow = max(restored.position.epoch, restored.position.seq) < 1 << 52
            let goesOn = isLow && restored.nextSlot < 1 << 30
            while goesOn, !choices.isAtEnd, verdict.finding == nil {
                _ = change.commit(to: &restored, &choices)
                check(restored, &verdict)
            }
        } catch {
            verdict.require(!error.reason.isEmpty, "an error that says nothing")
        }
        try verdict.end()
    }

    private static func damage(_ kept: inout KeptCall, _ choices: inout ChoiceReader) {
        let slots = kept.records.keys.sorted()
        let slot = slots.isEmpty ? Slot(choices.byte()) : slots[choices.below(slots.count)]
        switch choices.below(9) {
        case 0: kept.header.position.seq = choices.number()
        case 1: kept.header.floor = choices.number()
        case 2: kept.header.nextSlot = Slot(truncatingIfNeeded: choices.number())
        case 3: kept.records[slot] = nil
        case 4: kept.records[slot] = KeptRecord(slot: slot, bytes: choices.take(Int(choices.byte())))
        case 5:
            let other = Slot(truncatingIfNeeded: choices.number())
            kept.records[other] = KeptRecord(slot: other, bytes: kept.records[slot]?.bytes ?? [])
        case 6: kept.records[slot]?.bytes += choices.take(1 + choices.below(16))
        default:
            guard var bytes = kept.records[slot]?.bytes, !bytes.isEmpty else { return }
            bytes[choices.below(min(bytes.count, 256))] ^= choices.byte()
            kept.records[slot]?.bytes = bytes
        }
    }

    /// A state that was restored is one that any receiver takes, and that can be kept again.
    private static func check(_ state: CallState, _ verdict: inout Verdict) {
        verdict.require(state.digest == state.recomputedDigest, "digest of a restored state")
        verdict.require(state.floor <= state.position.seq, "a floor above the head")
        verdict.require(difference(state, state).isEmpty, "a restored state differs from itself")
        var diff = Diff()
        state.diff(from: 0, into: &diff)
        var copy = CallState()
        do throws(ApplyError) {
            try copy.replace(with: diff, at: state.position)
            verdict.require(copy.digest == state.digest, "a copy of a restored state has another digest")
            verdict.require(copy.people == state.people, "a copy of a restored state has other people")
        } catch {
            verdict.fail("a restored state has no snapshot: \(error)")
        }
        do throws(KeptError) {
            let again = try CallState(restoring: KeptCall(state))
            verdict.require(again.restores(state), "a restored state is restored as another one")
        } catch {
            verdict.fail("a restored state can't be kept again: \(error)")
        }
    }
}

extension KeptCall {
    /// All of a state.
    init(_ state: CallState) {
        self.init()
        keep(state, from: 0, gone: [])
    }

    /// Takes in what has changed since `from`; gives where the state is.
    @discardableResult
    mutating func keep(_ state: CallState, from: UInt64, gone: [Slot]) -> UInt64 {
        var batch = CallBatch(session: "standup", from: from, header: KeptHeader(state))
        batch.gone = gone
        state.appendKept(since: from, to: &batch.records)
        apply(batch)
        return state.position.seq
    }
}

extension CallState {
    /// Whether this state makes the same differences as `other`.
    func restores(_ other: CallState) -> Bool {
        guard position == other.position, floor == other.floor, nextSlot == other.nextSlot, digest == other.digest,
            tombstoneCount == other.tombstoneCount, call == other.call, policy == other.policy, people == other.people
        else { return false }
        var mine = Diff()
        var theirs = Diff()
        let near = max(floor, position.seq < 8 ? 0 : position.seq - 8)
        for seq in [0, floor] + Array(near...position.seq) {
            diff(from: seq, into: &mine)
            other.diff(from: seq, into: &theirs)
            if mine != theirs { return false }
        }
        return true
    }
}
