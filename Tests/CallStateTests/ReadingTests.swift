import CallState
import Testing

@Suite struct ReadingTests {
    @Test("R-16: identities are equal only if their bytes are")
    func identitiesAreBytes() {
        let composed = ByteString("\u{e9}")
        let decomposed = ByteString("e\u{301}")
        #expect(composed.string == decomposed.string && composed != decomposed)
        var state = CallState.meeting("ana")
        state.commit { state in
            state.join(composed)
            state.join(decomposed)
        }
        #expect(state.peopleCount == 3 && state[composed] != state[decomposed])
        #expect(ByteString("b") < "ba" && ByteString("Z") < "a" && ByteString.empty.isEmpty && composed.count == 2)
        #expect("\(ByteString([0xff]))" == "\u{fffd}")
    }

    @Test("R-36: positions compare by epoch, then by seq")
    func positions() {
        #expect(Position(epoch: 1, seq: 99) < Position(epoch: 2, seq: 1))
        #expect(Position(epoch: 2, seq: 1) < Position(epoch: 2, seq: 2))
        #expect("\(Position(epoch: 2, seq: 41))" == "2.41" && Position.zero == Position(epoch: 0, seq: 0))
    }

    @Test("what is not there reads as nothing")
    func nothing() {
        let state = CallState.meeting("ana")
        #expect(state.person(3) == nil && state.device(2) == nil && state.person(99) == nil && state.device(99) == nil)
        #expect(
            state.deviceSlot(of: 99, id: "x") == nil && state.deviceSlots(of: 99) == [] && state.kind(of: 99) == nil
        )
        #expect(state.value(1, of: 99) == nil && state.number(1, of: 2) == nil && !state.flag(9, of: 99))
        #expect(state.entry(10, key: "k", of: 2) == nil && state.entry(10, key: "k", of: 99) == nil)
        #expect(state.entries(10, of: 99).isEmpty && state.version(of: 99) == nil && state.removal(of: 99) == nil)
    }

    @Test("a copied state is not changed by what happens to the original")
    func valueSemantics() {
        var uids: [ByteString] = []
        var state = CallState.meeting()
        for number in 0..<100 {
            uids.append(ByteString("u\(number)"))
            state.commit { $0.join(uids[number]) }
        }
        let copy = state
        state.commit { state in
            for uid in uids { state.setName("changed", of: state[uid]) }
            state.removePerson(state["u7"], at: 1, reason: .left)
        }
        #expect(copy.people.allSatisfy { $0.name.isEmpty } && copy.peopleCount == 100 && copy["u7"] == 16)
        #expect(copy.digest == copy.recomputedDigest && state.digest == state.recomputedDigest)
    }
}
