import Randomness
import Testing

@testable import CallState

/// The laws of the state, over random histories.
@Suite struct LawTests {
    @Test(
        "R-40 R-59 R-58: a difference from S, applied at any L from S on, ends in the state at its end",
        arguments: Seeds.take(12)
    )
    func differencesEndInTheSameState(seed: UInt64) {
        var history = RandomHistory(seed: seed, commits: 70)
        var diff = Diff()
        for _ in 0..<250 {
            let end = history.random.below(history.states.count)
            let middle = history.random.below(end + 1)
            let begin = history.random.below(middle + 1)
            let (from, to) = (history.states[begin].position, history.states[end])
            var copy = history.states[middle]
            if copy.position.epoch != from.epoch || (from.seq == 0 && middle > 0) { continue }
            to.diff(from: from.seq, into: &diff)
            #expect(throws: Never.self) { try copy.apply(diff, from: from, to: to.position) }
            #expect(copy.position == to.position || copy.position == history.states[middle].position)
            if let fault = Check.sameContent(copy, to) ?? Check.structure(copy) ?? Check.digest(copy) {
                Issue.record(
                    "seed \(seed), from \(from) at \(history.states[middle].position) to \(to.position): \(fault)"
                )
                return
            }
        }
    }

    @Test("R-40: every S, L and end of a short history", arguments: Seeds.take(6))
    func allDifferencesOfShortHistories(seed: UInt64) throws {
        let states = RandomHistory(seed: seed, commits: 16).states
        var diff = Diff()
        for end in 1..<states.count {
            for begin in 1...end {
                states[end].diff(from: states[begin].position.seq, into: &diff)
                for middle in begin...end where states[middle].position.epoch == states[begin].position.epoch {
                    var copy = states[middle]
                    try copy.apply(diff, from: states[begin].position, to: states[end].position)
                    #expect(Check.sameContent(copy, states[end]) == nil, "seed \(seed), \(begin) \(middle) \(end)")
                }
            }
        }
    }

    @Test("R-54 R-55 R-30: a copy that follows by deltas and snapshots is the relay's state", arguments: Seeds.take(12))
    func copiesFollow(seed: UInt64) throws {
        var history = RandomHistory(seed: seed, commits: 90, dropsTombstones: true)
        var copy = CallState()
        var fold = EventFold()
        var diff = Diff()
        var next = 0
        while next < history.states.count - 1 {
            next = min(history.states.count - 1, next + 1 + history.random.below(4))
            let state = history.states[next]
            let before = copy
            let mine = copy.position
            if mine.epoch == state.position.epoch, mine.seq >= state.floor, mine.seq > 0, !history.random.oneIn(9) {
                state.diff(from: mine.seq, into: &diff)
                #expect(try copy.apply(diff, from: mine, to: state.position) == .applied)
            } else {
                state.diff(from: 0, into: &diff)
                try copy.replace(with: diff, at: state.position)
                #expect(copy.tombstoneCount == diff.records.count { $0.kind == .removed })
            }
            if history.random.oneIn(5) { copy.dropTombstones(through: copy.position.seq) }
            fold.take(difference(before, copy))
            let fault =
                Check.sameContent(copy, state) ?? Check.structure(copy) ?? Check.digest(copy) ?? fold.compare(copy)
            #expect(fault == nil, "seed \(seed) at \(state.position)")
            #expect(copy.liveRecordCount == state.liveRecordCount)
            if fault != nil { return }
        }
    }

    @Test("R-64: the digest kept in steps is the digest worked out anew", arguments: Seeds.take(12))
    func digestInSteps(seed: UInt64) {
        for state in RandomHistory(seed: seed, commits: 80, dropsTombstones: true).states {
            #expect(Check.digest(state) == nil, "seed \(seed) at \(state.position)")
            #expect(Check.structure(state) == nil, "seed \(seed) at \(state.position)")
        }
    }

    @Test("R-60: events over any partition of a history end in the same state", arguments: Seeds.take(12))
    func eventsEndInTheSameState(seed: UInt64) {
        var history = RandomHistory(seed: seed, commits: 90, dropsTombstones: seed % 2 == 0)
        for stride in [1, 2, 5, 20] {
            var fold = EventFold()
            var at = 0
            while at < history.states.count - 1 {
                let next = min(history.states.count - 1, at + 1 + history.random.below(stride))
                fold.take(difference(history.states[at], history.states[next]))
                at = next
                if let fault = fold.compare(history.states[at]) {
                    Issue.record("seed \(seed), stride \(stride), at \(history.states[at].position): \(fault)")
                    return
                }
            }
        }
    }

    @Test("R-60: the difference by versions is the difference by everybody", arguments: Seeds.take(12))
    func fastDifferenceIsFullDifference(seed: UInt64) {
        var history = RandomHistory(seed: seed, commits: 80, dropsTombstones: true)
        var steps = 0
        for _ in 0..<200 {
            let end = history.random.below(history.states.count)
            let old = history.states[history.random.below(end + 1)]
            let new = history.states[end]
            guard new.isStep(from: old) else { continue }
            steps += 1
            let fast = difference(old, new, byVersion: true)
            #expect(fast == difference(old, new, byVersion: false), "seed \(seed), \(old.position) to \(new.position)")
        }
        #expect(steps > 20)
    }

    @Test("R-37 R-69: a rollback restores everything", arguments: Seeds.take(12))
    func rollbackRestoresEverything(seed: UInt64) {
        var history = RandomHistory(seed: seed, commits: 40, dropsTombstones: true)
        var twin = history
        for _ in 0..<30 {
            let before = history.state
            history.state.beginCommit()
            for _ in 0..<(1 + history.random.below(12)) { history.change() }
            history.state.rollbackCommit()
            let fault = Check.identical(history.state, before) ?? Check.structure(history.state)
            #expect(fault == nil, "seed \(seed)")
            // A state that rolled back goes on exactly as one that never tried.
            twin = history
            twin.state = before
            history.state.beginCommit()
            history.change()
            _ = history.state.endCommit()
            twin.state.beginCommit()
            twin.change()
            _ = twin.state.endCommit()
            #expect(Check.identical(history.state, twin.state) == nil, "seed \(seed)")
        }
    }

    @Test(
        "R-92: a leave clears hand, screen share, dominant speaker and spotlight in one commit",
        arguments: Seeds.take(12)
    )
    func leaveClears(seed: UInt64) {
        for state in RandomHistory(seed: seed, commits: 80).states {
            let people = Set(state.personSlots)
            #expect(state.call.dominantSpeaker.map { people.contains($0) } ?? true, "seed \(seed) at \(state.position)")
            #expect(people.isSuperset(of: state.call.spotlight), "seed \(seed) at \(state.position)")
            #expect(state.people.allSatisfy { !$0.devices.isEmpty }, "seed \(seed) at \(state.position)")
            #expect(state.deviceSlots.allSatisfy { people.contains(state.owner(of: $0) ?? 0) })
        }
    }

    @Test("R-82 R-83 R-78 R-79 R-84: what the policy and the locks forbid is in no state", arguments: Seeds.take(12))
    func forbiddenIsNowhere(seed: UInt64) {
        for state in RandomHistory(seed: seed, commits: 80).states {
            let policy = state.policy
            let devices = state.people.flatMap(\.devices)
            if policy.standingMute { #expect(devices.allSatisfy { $0.isAudioMuted }) }
            if policy.standingCameraOff { #expect(devices.allSatisfy { $0.isVideoPaused }) }
            if policy.presenters == .one { #expect(devices.count { $0.isPresenting } <= 1) }
            if !policy.handsEnabled { #expect(state.raisedHands.isEmpty) }
            for person in state.people {
                if person.isAudioLocked { #expect(person.aggregate.isAudioMuted) }
                if person.isVideoLocked { #expect(person.aggregate.isVideoPaused) }
                if person.unmuteRequest != nil { #expect(person.aggregate.isAudioMuted) }
            }
        }
    }

    @Test("R-93: an empty call has no field", arguments: Seeds.take(12))
    func emptyCallHasNoField(seed: UInt64) {
        for state in RandomHistory(seed: seed, commits: 60).states where state.call.meetingID == nil {
            #expect(state.people.isEmpty && state.call == CallState().call && state.policy == CallState().policy)
        }
    }

    @Test("R-39: slots rise and are never used again", arguments: Seeds.take(12))
    func slotsAreNeverUsedAgain(seed: UInt64) {
        var owners: [Slot: ByteString] = [:]
        var next: Slot = .firstFree
        for state in RandomHistory(seed: seed, commits: 80).states {
            #expect(state.nextSlot >= next)
            next = state.nextSlot
            for person in state.people {
                let first = owners[person.slot, default: person.uid]
                #expect(first == person.uid, "seed \(seed)")
                owners[person.slot] = person.uid
                #expect(person.devices.allSatisfy { $0.slot > person.slot })
            }
        }
    }
}
