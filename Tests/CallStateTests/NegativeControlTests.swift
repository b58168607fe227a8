import Randomness
import Testing

@testable import CallState

/// Shows that the checkers of the laws can fail: each test plants a fault that must be found.
@Suite struct NegativeControlTests {
    @Test("R-59: a difference that forgets one field is found", arguments: Seeds.take(8))
    func forgottenFieldIsFound(seed: UInt64) throws {
        var history = RandomHistory(seed: seed, commits: 60)
        var tried = 0
        var found = 0
        for _ in 0..<200 {
            let end = 1 + history.random.below(history.states.count - 1)
            let begin = history.random.below(end)
            var copy = history.states[begin]
            let to = history.states[end]
            if copy.position.epoch != to.position.epoch || begin == 0 { continue }
            var diff = Diff()
            to.diff(from: copy.position.seq, into: &diff)
            guard let place = diff.forgettable(in: copy) else { continue }
            diff.forget(place)
            try copy.apply(diff, from: copy.position, to: to.position)
            tried += 1
            if Check.sameContent(copy, to) != nil { found += 1 }
        }
        #expect(tried > 10 && found == tried, "seed \(seed): \(found) of \(tried)")
    }

    @Test("R-64: a digest that forgets a removal is found", arguments: Seeds.take(8))
    func forgottenRemovalIsFound(seed: UInt64) {
        let states = RandomHistory(seed: seed, commits: 120).states
        var found = 0
        var removals = 0
        for (before, after) in zip(states, states.dropFirst()) {
            let gone = before.slots.filter { after.kind(of: $0) == nil }
            if gone.isEmpty { continue }
            removals += 1
            var broken = after
            for slot in gone { broken.totals.digest &+= before.digest(of: slot) }
            #expect(Check.digest(after) == nil)
            if Check.digest(broken) != nil { found += 1 }
        }
        #expect(removals > 0 && found == removals, "seed \(seed)")
    }

    @Test("R-60: a lost, doubled or swapped event is found", arguments: Seeds.take(8))
    func brokenEventsAreFound(seed: UInt64) {
        let states = RandomHistory(seed: seed, commits: 30).states
        var before = EventFold()
        for (old, new) in zip(states, states.dropFirst()) {
            let events = difference(old, new)
            for place in events.indices {
                var lost = before
                lost.take(Array(events[..<place] + events[(place + 1)...]))
                #expect(lost.compare(new) != nil, "seed \(seed): without \(events[place])")
                var doubled = before
                doubled.take(Array(events[...place] + events[place...]))
                #expect(doubled.compare(new) != nil, "seed \(seed): twice \(events[place])")
            }
            before.take(events)
            #expect(before.compare(new) == nil)
        }
    }

    @Test("a rollback that leaves a version behind is found")
    func brokenRollbackIsFound() {
        var state = RandomHistory(seed: 7, commits: 20).state
        let before = state
        state.beginCommit()
        state.setTitle("another title")
        state.journal.steps.removeAll()
        state.rollbackCommit()
        #expect(Check.identical(state, before) != nil)
    }
}

extension Diff {
    /// The place of a field of a record that `copy` has, so that it is no identity and no field of a newcomer.
    fileprivate func forgettable(in copy: CallState) -> Int? {
        for record in records where copy.kind(of: record.slot) == record.kind {
            for place in record.fields {
                let field = fields[place]
                let old =
                    field.key.isEmpty
                    ? copy.value(field.number, of: record.slot)
                    : copy.entry(field.number, key: field.key, of: record.slot).map { .bytes($0) }
                if old != field.value { return place }
            }
        }
        return nil
    }

    fileprivate mutating func forget(_ place: Int) {
        fields.remove(at: place)
        for index in records.indices {
            let range = records[index].fields
            let lower = range.lowerBound - (range.lowerBound > place ? 1 : 0)
            let upper = range.upperBound - (range.upperBound > place ? 1 : 0)
            records[index].fields = lower..<upper
        }
    }
}

extension CallState {
    fileprivate func digest(of slot: Slot) -> UInt64 {
        guard let index = liveIndex(slot) else { return 0 }
        var sum: UInt64 = 0
        for field in store[index].fields {
            if let value = field.value {
                sum &+= CallDigest.hash(slot: slot, field: field.number, key: field.key, value: value)
            }
        }
        return sum
    }
}
