import CallState
import Testing

@Suite struct TombstoneTests {
    @Test("R-44: a removed record is told with time and reason, and dropped in order")
    func recordsOrder() {
        var state = CallState.meeting("ana", "ben", "chloe")
        state.commit { state in state.removePerson(state["ben"], at: 2000, reason: .lost) }
        state.commit { state in state.removePerson(state["ana"], at: 3000, reason: .removed) }
        #expect(state.tombstoneCount == 4 && state.oldestTombstone == 2)
        #expect(state.removal(of: 4) == Diff.Removal(at: 2000, reason: .lost))
        #expect(state.removal(of: 2) == Diff.Removal(at: 3000, reason: .removed))
        #expect(state.removal(of: 6) == nil)
        #expect(state.diff(from: 1).records.map(\.kind) == [.removed, .removed, .removed, .removed])
        #expect(state.diff(from: 2).records.map(\.slot) == [2, 3])

        state.dropTombstones(through: 1)
        #expect(state.floor == 0 && state.tombstoneCount == 4)
        state.dropTombstones(through: 2)
        #expect(state.floor == 2 && state.tombstoneCount == 2 && state.removal(of: 4) == nil)
        #expect(state.diff(from: 2).records.map(\.slot) == [2, 3])
        state.dropTombstones(through: 100)
        #expect(state.floor == 3 && state.tombstoneCount == 0 && state.oldestTombstone == nil)
        state.dropTombstones(through: 200)
        #expect(state.floor == 3, "nothing was there to drop")
        #expect(state.diff(from: 3).isEmpty)
    }

    @Test("R-43 R-44: a removed entry is told, dropped, and none any more when set again")
    func entries() {
        var state = CallState.meeting("ana")
        let ana = state["ana"]
        state.commit { $0.setAttribute("a", of: ana, to: [1]) }
        state.commit { $0.setAttribute("b", of: ana, to: [2]) }
        state.commit { $0.setAttribute("a", of: ana, to: nil) }
        state.commit { $0.setAttribute("b", of: ana, to: nil) }
        #expect(state.tombstoneCount == 2)
        #expect(state.diff(from: 3).fields(of: ana) == [.entry(10, "a", nil), .entry(10, "b", nil)])
        #expect(state.diff(from: 0).fields(of: ana)?.contains { $0.value == nil } == false)

        state.commit { $0.setAttribute("a", of: ana, to: [3]) }
        #expect(state.tombstoneCount == 1)
        state.dropTombstones(through: 4)
        #expect(state.floor == 0, "the entry that was set again is no tombstone")
        #expect(state.entry(10, key: "a", of: ana) == [3])
        state.dropTombstones(through: 5)
        #expect(state.floor == 5 && state.tombstoneCount == 0)
        #expect(state.entries(10, of: ana) == [AttributeValue(key: "a", value: [3])])
    }

    @Test("R-44: the entries of a removed record go with it")
    func entriesOfTheRemoved() {
        var state = CallState.meeting("ana", "ben")
        state.commit { state in state.setAttribute("a", of: state["ben"], to: [1]) }
        state.commit { state in state.setAttribute("a", of: state["ben"], to: nil) }
        #expect(state.tombstoneCount == 1)
        state.commit { state in state.removePerson(state["ben"], at: 0, reason: .left) }
        #expect(state.tombstoneCount == 2)
        state.dropTombstones(through: 3)
        #expect(state.floor == 0)
        state.dropTombstones(through: 4)
        #expect(state.floor == 4 && state.tombstoneCount == 0)
    }

    @Test("many tombstones are dropped in turn, and slots go on")
    func many() {
        var state = CallState.meeting("ana")
        for round in 0..<300 {
            state.commit { $0.join("ben") }
            state.commit { state in state.removePerson(state["ben"], at: 0, reason: .left) }
            if round > 10 { state.dropTombstones(through: state.position.seq - 20) }
        }
        #expect(state.tombstoneCount == 20 && state.nextSlot == 604)
        #expect(state.floor == state.position.seq - 20)
        #expect(state.diff(from: state.floor).records.count == 20)
    }

    @Test("R-44: an entry removed twice is held by its last removal")
    func entryRemovedTwice() {
        var state = CallState.meeting("ana")
        for value in [[1], nil, [2], nil] as [[UInt8]?] {
            state.commit { $0.setAttribute("a", of: 2, to: value) }
        }
        #expect(state.tombstoneCount == 1)
        state.dropTombstones(through: 4)
        #expect(state.tombstoneCount == 1 && state.floor == 0)
        #expect(state.diff(from: 4).fields(of: 2) == [.entry(10, "a", nil)])
        state.dropTombstones(through: 5)
        #expect(state.tombstoneCount == 0 && state.floor == 5)
    }

    @Test("R-69: a rollback leaves no tombstone behind")
    func rollback() {
        var state = CallState.meeting("ana", "ben")
        state.commit { $0.setAttribute("a", of: 2, to: [1]) }
        state.beginCommit()
        state.removePerson(4, at: 0, reason: .left)
        state.setAttribute("a", of: 2, to: nil)
        state.rollbackCommit()
        #expect(state.tombstoneCount == 0 && state.oldestTombstone == nil)
        state.dropTombstones(through: 100)
        #expect(state.floor == 0 && state.personSlot(uid: "ben") == 4 && state.entry(10, key: "a", of: 2) == [1])
    }
}
