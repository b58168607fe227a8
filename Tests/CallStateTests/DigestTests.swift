import CallState
import Testing

@Suite struct DigestTests {
    @Test("R-64 R-65: the terms of the specification's table")
    func terms() {
        let terms: [(Slot, UInt32, ByteString, FieldValue, UInt64)] = [
            (0, 1, "", .bytes(Array("m-1".utf8)), 0xd681_d9b9_6bdc_ab78),
            (2, 1, "", .bytes(Array("ana".utf8)), 0x60a5_9843_9eb7_11bb),
            (2, 5, "", .bytes(Hand(version: 3, at: 1000).encoded), 0x185f_c776_28f6_7f49),
            (2, 10, "lang", .bytes(Array("en".utf8)), 0x8684_8fec_606c_720f),
            (3, 4, "", .number(1), 0xf5be_32e5_dca2_8090),
            (3, 5, "", .number(0), 0x96fb_0ee1_b3af_f63e),
        ]
        var sum: UInt64 = 0
        for (slot, field, key, value, term) in terms {
            #expect(CallDigest.hash(slot: slot, field: field, key: key, value: value) == term)
            sum &+= term
        }
        #expect(sum == 0x62c5_0b27_2449_2559)
    }

    @Test("R-64: an empty call has digest 0; versions, kinds and tombstones are not in it")
    func whatIsNotInIt() throws {
        #expect(CallState().digest == 0)
        var state = CallState.meeting("ana")
        let before = state.digest
        state.commit { $0.setTitle("standup") }
        #expect(state.digest != before)
        state.commit { $0.setTitle("") }
        #expect(state.digest == before)
        state.commit { state in state.removePerson(state["ana"], at: 2000, reason: .left) }
        state.commit { $0.endMeeting(at: 2000) }
        #expect(state.digest == 0)
        #expect(state.tombstoneCount == 2)
        #expect(try state.copied().digest == 0)
    }

    @Test("R-66: a present field counts whatever its value, a cleared one does not")
    func presenceCounts() {
        var state = CallState()
        state.commit { $0.set(CallField.locked, of: .call, to: .number(0)) }
        #expect(state.digest == CallDigest.hash(slot: 0, field: CallField.locked, key: "", value: .number(0)))
        state.commit { $0.set(CallField.title, of: .call, to: .bytes([])) }
        let withTitle = state.digest
        state.commit { $0.clear(CallField.title, of: .call) }
        #expect(state.digest != withTitle)
        #expect(state.digest == CallDigest.hash(slot: 0, field: CallField.locked, key: "", value: .number(0)))
    }

    @Test("R-46: fields and kinds that are not known count like known ones")
    func unknownCounts() throws {
        var state = CallState.meeting("ana")
        state.commit { state in
            let slot = state.append(RecordKind(rawValue: 9))
            state.set(3, of: slot, to: .bytes([1, 2]))
            state.set(77, of: state["ana"], to: .number(300))
            state.setEntry(78, key: "k", of: .call, to: [9])
        }
        let copy = try state.copied()
        #expect(copy.digest == state.digest)
        #expect(copy.value(77, of: copy["ana"]) == .number(300))
        #expect(copy.entry(78, key: "k", of: .call) == [9])
        #expect(copy.kind(of: 4) == RecordKind(rawValue: 9))
        #expect(copy.value(3, of: 4) == .bytes([1, 2]))
    }
}
