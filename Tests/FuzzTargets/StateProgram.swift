import CallState
import RollcallProtocol

/// A call that lives a life of commits, with copies that fall behind and are brought up to date by frames.
///
/// Held is: a commit raises the position by one or changes nothing; the digest is that of the records; a copy at or
/// above the floor that gets the difference, one that gets the snapshot, and one that a store gives back equal the
/// state.
enum StateProgram {
    static func run(_ bytes: [UInt8]) throws(FuzzFinding) {
        var choices = ChoiceReader(bytes)
        var world = StateWorld()
        while !choices.isAtEnd, world.verdict.finding == nil { world.step(&choices) }
        world.end()
        try world.verdict.end()
    }
}

private struct StateWorld {
    var verdict = Verdict()
    var state = CallState()
    var change = CallChange()
    /// Copies at older positions, the oldest first.
    var copies: [CallState] = []
    /// What a store has of it, up to which seq, and the slots that it has to forget.
    var kept = KeptCall()
    var keptSeq: UInt64 = 0
    var gone: [Slot] = []

    mutating func step(_ choices: inout ChoiceReader) {
        switch choices.below(8) {
        case 0: keepCopy()
        case 1: bringUp(choices.below(4))
        case 2: drop(choices.below(8))
        case 3: keep()
        default: commit(&choices)
        }
    }

    /// Every copy gets what it lacks.
    mutating func end() {
        while !copies.isEmpty, verdict.finding == nil { bringUp(0) }
        checkSnapshot()
        keep()
    }

    private mutating func commit(_ choices: inout ChoiceReader) {
        let before = state
        let hasChanged = change.commit(to: &state, &choices)
        verdict.require(state.digest == state.recomputedDigest, "digest at \(state.position)")
        verdict.require(state.nextSlot >= before.nextSlot, "slots fell to \(state.nextSlot) at \(state.position)")
        if hasChanged {
            verdict.require(state.position.seq == before.position.seq + 1, "\(before.position) to \(state.position)")
        } else {
            verdict.require(state.position.seq == before.position.seq, "nothing changed at \(state.position)")
            verdict.require(state.digest == before.digest, "a digest that nothing changed, at \(state.position)")
            verdict.require(state.people == before.people, "people that nothing changed, at \(state.position)")
        }
        verdict.require(difference(state, state).isEmpty, "a state differs from itself")
    }

    private mutating func keepCopy() {
        guard copies.count < 4, state.position.seq > 0 else { return }
        copies.append(state)
    }

    /// Tombstones are dropped up to a little behind the head.
    private mutating func drop(_ held: Int) {
        guard state.position.seq > UInt64(held) else { return }
        let (digest, people) = (state.digest, state.people)
        state.dropTombstones(through: state.position.seq - UInt64(held)) { gone.append($0) }
        verdict.require(state.digest == digest && state.people == people, "dropping tombstones changes the call")
        verdict.require(state.floor <= state.position.seq, "a floor above the head")
    }

    /// A store gets what has changed, and a relay that starts anew gets it back.
    private mutating func keep() {
        keptSeq = kept.keep(state, from: keptSeq, gone: gone)
        gone = []
        do throws(KeptError) {
            let restored = try CallState(restoring: kept)
            verdict.require(restored.restores(state), "another state is restored at \(state.position)")
        } catch {
            verdict.fail("what is kept at \(state.position) is no state: \(error)")
        }
    }

    /// A copy gets the difference as a frame, and is gone.
    private mutating func bringUp(_ choice: Int) {
        guard !copies.isEmpty else { return }
        var copy = copies.remove(at: choice % copies.count)
        guard copy.position.seq >= state.floor, copy.position != state.position else { return }
        let events = difference(copy, state)
        var diff = Diff()
        state.diff(from: copy.position.seq, into: &diff)
        var bytes: [UInt8] = []
        ServerFrame.encodeDelta(diff, from: copy.position, to: state.position, digest: state.digest, into: &bytes)
        do {
            guard case .delta(let delta) = try ServerFrame.decode(bytes.span.extracting(droppingFirst: 4)) else {
                return verdict.fail("a delta is read as another frame")
            }
            verdict.require(delta.records == diff, "\(diff) is read as \(delta.records)")
            try copy.apply(delta.records, from: copy.position, to: state.position)
        } catch {
            return verdict.fail("the difference from \(copy.position) to \(state.position): \(error)")
        }
        compare(copy, "a copy at \(state.position)")
        // The events that a copy tells are those that its relay would: they come from the states alone.
        verdict.require(events.isEmpty || copy.digest == state.digest, "events of another state")
    }

    private mutating func checkSnapshot() {
        let encoder = SnapshotEncoder(maximumPartLength: 600)
        let encoded = encoder.encode(state)
        var records = Diff()
        var end: SnapshotEnd?
        for range in encoded.partRanges {
            let message = encoded.bytes.span.extracting(range).extracting(droppingFirst: 4)
            let part: SnapshotPart
            do {
                guard case .part(let read) = try ServerFrame.decode(message) else {
                    return verdict.fail("a part of a snapshot is read as another frame")
                }
                part = read
            } catch {
                return verdict.fail("a part of a snapshot can't be read: \(error)")
            }
            records.append(part.records)
            verdict.require(end == nil, "a part after the last one")
            end = part.end
        }
        var copy = CallState()
        do {
            try copy.replace(with: records, at: state.position)
        } catch {
            return verdict.fail("the snapshot at \(state.position): \(error)")
        }
        compare(copy, "the snapshot at \(state.position)")
        verdict.require(end?.digest == state.digest, "the snapshot's own digest")
        verdict.require(end?.liveRecords == UInt64(state.liveRecordCount), "the snapshot's own count")
    }

    private mutating func compare(_ copy: CallState, _ what: String) {
        verdict.require(copy.position == state.position, "\(what) is at \(copy.position)")
        verdict.require(copy.digest == state.digest, "\(what) has another digest")
        verdict.require(copy.recomputedDigest == state.digest, "\(what) has other records")
        verdict.require(copy.people == state.people, "\(what) has other people")
        verdict.require(copy.call == state.call && copy.policy == state.policy, "\(what) has another call or policy")
        verdict.require(difference(copy, state).isEmpty, "\(what) differs")
    }
}

extension Diff {
    /// Adds the records of the next part.
    mutating func append(_ part: Diff) {
        for record in part.records {
            let begin = fields.count
            fields.append(contentsOf: part.fields[record.fields])
            records.append(
                Record(slot: record.slot, kind: record.kind, removal: record.removal, fields: begin..<fields.count)
            )
        }
    }
}
