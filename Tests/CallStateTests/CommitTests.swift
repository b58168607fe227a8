import CallState
import Testing

@Suite struct CommitTests {
    @Test("R-37: a commit raises seq by one; what changes nothing makes none")
    func commitsCount() {
        var state = CallState.meeting("ana")
        #expect(state.position == Position(epoch: 1, seq: 1))
        #expect(state.commitVersion == 2)
        #expect(!state.isInCommit)
        #expect(state.commit { $0.setTitle("standup") } == true)
        #expect(state.commit { $0.setTitle("standup") } == false)
        #expect(state.commit { _ in } == false)
        #expect(state.position.seq == 2)
    }

    @Test("R-37: a commit that changes everything back makes none and leaves no trace")
    func backAndForth() {
        var state = CallState.meeting("ana")
        let made = state.commit { state in
            state.setTitle("standup")
            state.setCallAttribute("k", to: [1])
            state.setCallAttribute("k", to: nil)
            state.setTitle("")
        }
        #expect(!made && state.position.seq == 1)
        #expect(state.tombstoneCount == 0)
        #expect(state.diff(from: 1).isEmpty)
    }

    @Test("R-37: a person who came and went in one commit leaves a tombstone")
    func comeAndGone() {
        var state = CallState.meeting("ana")
        let made = state.commit { state in
            state.join("ben")
            state.removePerson(state["ben"], at: 1, reason: .left)
        }
        #expect(made && state.tombstoneCount == 2 && state.peopleCount == 1)
        #expect(state.diff(from: 1).records.map(\.slot) == [4, 5])
    }

    @Test("R-38: an epoch leaves seq, slots and versions as they are")
    func epochs() {
        var state = CallState.meeting("ana")
        let before = state.diff(from: 0)
        state.beginEpoch(5)
        #expect(state.position == Position(epoch: 5, seq: 1))
        #expect(state.diff(from: 0) == before && state.version(of: 2) == 1)
    }

    @Test("R-73: setting what is so already is no change")
    func noChange() {
        var state = CallState.meeting("ana")
        state.beginCommit()
        #expect(state.set(CallField.title, of: .call, to: .bytes([65])) == true)
        #expect(state.set(CallField.title, of: .call, to: .bytes([65])) == false)
        #expect(state.clear(CallField.title, of: .call) == true)
        #expect(state.clear(CallField.title, of: .call) == false)
        #expect(state.clear(CallField.spotlight, of: .call) == false)
        #expect(state.setEntry(CallField.attributes, key: "k", of: .call, to: []) == .done)
        #expect(state.setEntry(CallField.attributes, key: "k", of: .call, to: []) == .none)
        #expect(state.setEntry(CallField.attributes, key: "k", of: .call, to: nil) == .done)
        #expect(state.setEntry(CallField.attributes, key: "k", of: .call, to: nil) == .none)
        #expect(state.setEntry(CallField.attributes, key: "never", of: .call, to: nil) == .none)
        state.rollbackCommit()
        #expect(state.position.seq == 1 && state.tombstoneCount == 0)
    }

    @Test("misuse stops the program instead of damaging a call")
    func misuse() async {
        await #expect(processExitsWith: .failure) { CallState().diff(from: 0, below: 1) }
        await #expect(processExitsWith: .failure) {
            var state = CallState()
            state.set(1, of: .call, to: .number(1))
        }
        await #expect(processExitsWith: .failure) {
            var state = CallState()
            state.commit { $0.remove(.call, at: 0, reason: .left) }
        }
        await #expect(processExitsWith: .failure) {
            var state = CallState.meeting("ana")
            state.commit { _ = $0.addPerson(uid: "ana", at: 0) }
        }
    }
}

extension CallState {
    /// Makes a difference from below the floor.
    fileprivate func diff(from seq: UInt64, below floor: UInt64) {
        var state = CallState.meeting("ana")
        for _ in 0...floor {
            state.commit { $0.join("ben") }
            state.commit { state in state.removePerson(state["ben"], at: 0, reason: .left) }
        }
        state.dropTombstones(through: state.position.seq)
        _ = state.diff(from: 1)
    }

    @Test("R-80: an entry more than a field may have is not set; others still change, and room comes with a removal")
    func entryLimit() {
        var state = CallState()
        state.beginCommit()
        for key in ["a", "b"] as [ByteString] {
            #expect(state.setCallAttribute(key, to: [1], atMost: 2) == .done)
        }
        #expect(state.setCallAttribute("c", to: [1], atMost: 2) == .full)
        #expect(state.setCallAttribute("c", to: nil, atMost: 2) == .none)
        #expect(state.setCallAttribute("b", to: [2], atMost: 2) == .done)
        #expect(state.setCallAttribute("b", to: [2], atMost: 0) == .none)
        #expect(state.setCallAttribute("a", to: nil, atMost: 0) == .done)
        // The memory of an entry that was removed is none.
        #expect(state.setCallAttribute("c", to: [], atMost: 2) == .done)
        #expect(state.setCallAttribute("a", to: [1], atMost: 2) == .full)
        #expect(state.endCommit() == true)
        #expect(state.call.attributes.map(\.key) == ["b", "c"])
    }
}
