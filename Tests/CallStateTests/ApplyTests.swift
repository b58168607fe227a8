import Testing

@testable import CallState

/// What a copy does with differences, the right ones and those of a peer that breaks the rules.
@Suite struct ApplyTests {
    private let at = Position(epoch: 1, seq: 1)
    private let next = Position(epoch: 1, seq: 2)

    private func copy() throws -> CallState { try CallState.meeting("ana", "ben").copied() }

    /// The error of applying `diff` to ana and ben; the copy must be as before.
    private func refusal(_ diff: Diff) throws -> ApplyError? {
        var copy = try copy()
        let before = copy
        do {
            try copy.apply(diff, from: at, to: next)
            return nil
        } catch {
            #expect(Check.identical(copy, before) == nil, "half applied")
            return error
        }
    }

    private func expectInvalid(_ diff: Diff, at slot: Slot, _ comment: Comment) throws {
        guard case .invalid(slot, _)? = try refusal(diff) else {
            Issue.record("not refused: \(comment)")
            return
        }
    }

    @Test("R-58 step 2: a difference from another epoch")
    func otherEpoch() throws {
        var copy = try copy()
        #expect(throws: ApplyError.epoch) {
            try copy.apply(Diff(), from: Position(epoch: 2, seq: 1), to: Position(epoch: 2, seq: 2))
        }
        #expect(throws: ApplyError.epoch) { try copy.apply(Diff(), from: .zero, to: Position(epoch: 1, seq: 9)) }
    }

    @Test("R-58 step 3: the past is ignored, and nothing goes back")
    func past() throws {
        var copy = try copy()
        let past = Diff.of((0, .call, [.text(CallField.title, "old")]))
        #expect(try copy.apply(past, from: at, to: at) == .ignored)
        #expect(copy.call.title.isEmpty && copy.position == at)
        #expect(throws: ApplyError.epoch) { try copy.apply(Diff(), from: at, to: Position(epoch: 0, seq: 9)) }
        #expect(throws: ApplyError.epoch) { try copy.apply(Diff(), from: at, to: Position(epoch: 2, seq: 0)) }
        #expect(try copy.apply(Diff(), from: at, to: Position(epoch: 2, seq: 1)) == .applied)
        #expect(copy.position == Position(epoch: 2, seq: 1))
    }

    @Test("R-58 step 4: a gap")
    func gap() throws {
        var copy = try copy()
        #expect(throws: ApplyError.gap) { try copy.apply(Diff(), from: next, to: Position(epoch: 1, seq: 3)) }
    }

    @Test("the highest number of 32 bits is no slot, of whatever kind: a state counts one further")
    func highestSlot() throws {
        var tombstone = Diff()
        tombstone.addTombstone(.max)
        let person = Diff.of((.max, .person, [.text(PersonField.uid, "x")]))
        let device = Diff.of((.max, .device, [.number(DeviceField.person, 2), .text(DeviceField.device, "x")]))
        let later = Diff.of((.max, RecordKind(rawValue: 14), []))
        for diff in [tombstone, person, device, later] {
            try expectInvalid(diff, at: .max, "a change")
            var copy = try copy()
            let before = copy
            #expect(throws: ApplyError.self) { try copy.replace(with: diff, at: next) }
            #expect(Check.identical(copy, before) == nil)
        }
        // One below is a slot like any other, and the last.
        var last = Diff()
        last.addTombstone(.max - 1)
        var copy = try copy()
        try copy.replace(with: last, at: next)
        #expect(copy.nextSlot == .max)
    }

    @Test("R-58 step 5: a change of a record that the copy does not have")
    func unknownSlot() throws {
        #expect(try refusal(.of((9, .person, [.text(2, "name")]))) == .unknownSlot(9))
        #expect(try refusal(.of((9, .device, [.number(1, 2)]))) == .unknownSlot(9))
        #expect(try refusal(.of((9, .device, [.text(2, "phone")]))) == .unknownSlot(9))
        #expect(try refusal(.of((9, .person, [.cleared(1)]))) == .unknownSlot(9))
        #expect(try refusal(.of((9, RecordKind(rawValue: 6), [.number(1, 1)]))) == nil)
        #expect(try refusal(.of((9, .person, [.text(1, "chloe")]))) == nil)
    }

    @Test("R-44 R-58 step 5: a tombstone of an unknown slot is ignored")
    func unknownTombstone() throws {
        var copy = try copy()
        var diff = Diff()
        diff.addTombstone(40)
        #expect(try copy.apply(diff, from: at, to: next) == .applied)
        #expect(copy.tombstoneCount == 0 && copy.position == next)
    }

    @Test("R-45 R-58 step 5: identities never change, and nobody is in twice")
    func identities() throws {
        try expectInvalid(.of((2, .person, [.text(1, "eve")])), at: 2, "another uid")
        try expectInvalid(.of((2, .person, [.cleared(1)])), at: 2, "no uid")
        try expectInvalid(.of((3, .device, [.number(1, 4)])), at: 3, "another person")
        try expectInvalid(.of((3, .device, [.text(2, "phone")])), at: 3, "another device")
        #expect(try refusal(.of((2, .person, [.text(1, "ana")]))) == nil)
        try expectInvalid(.of((9, .person, [.text(1, "ana")])), at: 9, "a uid that is there")
        try expectInvalid(.of((8, .person, [.text(1, "x")]), (9, .person, [.text(1, "x")])), at: 9, "a uid twice")
        let laptop = [Diff.Field.number(1, 2), .text(2, "laptop")]
        try expectInvalid(.of((9, .device, laptop)), at: 9, "a device that is there")
        let phone = [Diff.Field.number(1, 2), .text(2, "phone")]
        try expectInvalid(.of((8, .device, phone), (9, .device, phone)), at: 9, "a device twice")
        #expect(try refusal(.of((8, .device, phone))) == nil)
    }

    @Test("R-45: who comes back under the same uid in one difference is another appearance")
    func sameUIDAgain() throws {
        var copy = try copy()
        var diff = Diff()
        diff.addTombstone(2)
        diff.addTombstone(3)
        diff.add(6, .person, [.text(1, "ana")])
        diff.add(7, .device, [.number(1, 6), .text(2, "laptop")])
        try copy.apply(diff, from: at, to: next)
        #expect(copy["ana"] == 6 && copy.deviceSlots(of: 6) == [7] && Check.structure(copy) == nil)
        var device = Diff()
        device.addTombstone(7)
        device.add(8, .device, [.number(1, 6), .text(2, "laptop")])
        try copy.apply(device, from: next, to: Position(epoch: 1, seq: 3))
        #expect(copy.deviceSlots(of: 6) == [8])
    }

    @Test("R-45 R-58 step 5: no device without its person")
    func orphans() throws {
        try expectInvalid(.of((9, .device, [.number(1, 7), .text(2, "p")])), at: 9, "no such person")
        try expectInvalid(.of((9, .device, [.number(1, 3), .text(2, "p")])), at: 9, "a device as person")
        try expectInvalid(.of((9, .device, [.number(1, 0), .text(2, "p")])), at: 9, "the call as person")
        try expectInvalid(.of((9, .device, [.number(1, 12), .text(2, "p")])), at: 9, "a person that comes later")
        var gone = Diff()
        gone.addTombstone(2)
        try expectInvalid(gone, at: 3, "the device stays without its person")
        gone.add(9, .device, [.number(1, 2), .text(2, "p")])
        try expectInvalid(gone, at: 9, "a new device of a person who goes")
        var whole = Diff()
        whole.addTombstone(2)
        whole.addTombstone(3)
        #expect(try refusal(whole) == nil)
    }

    @Test("R-39 R-58 step 5: kinds and slots")
    func kinds() throws {
        try expectInvalid(.of((2, .device, [])), at: 2, "a person becomes a device")
        try expectInvalid(.of((0, .policy, [])), at: 0, "the policy in the call's slot")
        try expectInvalid(.of((1, .call, [])), at: 1, "the call in the policy's slot")
        try expectInvalid(.of((0, .person, [.text(1, "x")])), at: 0, "a person in the call's slot")
        try expectInvalid(.of((9, .call, [])), at: 9, "a second call")
        try expectInvalid(.of((9, RecordKind(rawValue: 1), [])), at: 9, "no kind")
        try expectInvalid(.of((9, RecordKind(rawValue: 99), [])), at: 9, "no kind")
        try expectInvalid(.of((9, .removed, [])), at: 9, "a tombstone without a time")
        try expectInvalid(.of((.max, .person, [.text(1, "x")])), at: .max, "the last slot")
        var call = Diff()
        call.addTombstone(0)
        try expectInvalid(call, at: 0, "the call is removed")
    }

    @Test("R-39: a slot is not used again")
    func usedSlot() throws {
        var copy = try copy()
        var gone = Diff()
        gone.addTombstone(4)
        gone.addTombstone(5)
        try copy.apply(gone, from: at, to: next)
        #expect(throws: ApplyError.invalid(4, "the slot was used before")) {
            try copy.apply(.of((4, .person, [.text(1, "eve")])), from: next, to: Position(epoch: 1, seq: 3))
        }
        try copy.apply(gone, from: next, to: Position(epoch: 1, seq: 3))
        #expect(copy.tombstoneCount == 2)
    }

    @Test("R-59 R-43: order, keys and shapes of fields")
    func fields() throws {
        try expectInvalid(.of((4, .person, []), (2, .person, [])), at: 2, "slots go back")
        try expectInvalid(.of((2, .person, []), (2, .person, [])), at: 2, "a slot twice")
        try expectInvalid(.of((2, .person, [.text(3, "a"), .text(2, "n")])), at: 2, "fields go back")
        try expectInvalid(.of((2, .person, [.entry(10, "b", []), .entry(10, "a", [])])), at: 2, "keys go back")
        try expectInvalid(.of((2, .person, [.text(2, "n"), .text(2, "n")])), at: 2, "a field twice")
        try expectInvalid(.of((2, .person, [.number(0, 1)])), at: 2, "field 0")
        try expectInvalid(.of((2, .person, [.text(10, "x")])), at: 2, "an attribute without a key")
        try expectInvalid(.of((2, .person, [.entry(2, "k", [])])), at: 2, "a name with a key")
        try expectInvalid(.of((2, .person, [.number(2, 1)])), at: 2, "a number as name")
        try expectInvalid(.of((3, .device, [.text(4, "x")])), at: 3, "a text as flag")
        try expectInvalid(.of((3, .device, [.number(4, 2)])), at: 3, "2 as flag")
        try expectInvalid(.of((2, .person, [.number(4, 1 << 32)])), at: 2, "an enumeration above 32 bits")
        try expectInvalid(.of((0, .call, [.number(5, 1 << 32)])), at: 0, "a slot above 32 bits")
        try expectInvalid(.of((2, .person, [.text(5, "\u{7}")])), at: 2, "a broken hand")
        try expectInvalid(.of((2, .person, [.text(8, "\u{7}")])), at: 2, "a broken request")
        try expectInvalid(.of((0, .call, [.text(4, "\u{7}")])), at: 0, "a broken recording")
        try expectInvalid(.of((0, .call, [.text(6, "\u{7}")])), at: 0, "a broken list")
        try expectInvalid(.of((0, .call, [.text(2, "x")])), at: 0, "a text as time")
        var ranges = Diff()
        ranges.records.append(.init(slot: 2, kind: .person, fields: 0..<3))
        try expectInvalid(ranges, at: 2, "fields that are not there")
        var body = Diff.of((2, .person, [.text(2, "n")]))
        body.records[0].removal = .init(at: 1, reason: .left)
        try expectInvalid(body, at: 2, "a tombstone with a body")
    }

    @Test("R-41 R-42: a field is set whatever its value, replaced whole, or cleared")
    func replacement() throws {
        var copy = try copy()
        let list = SlotList([2, 4]).encoded
        let first = Diff.of((0, .call, [.text(3, "t"), .init(number: 6, value: .bytes(list)), .number(7, 1)]))
        try copy.apply(first, from: at, to: next)
        #expect(copy.call.spotlight == [2, 4] && copy.call.isLocked && copy.call.title == "t")
        let second = Diff.of(
            (0, .call, [.cleared(3), .init(number: 6, value: .bytes(SlotList([4]).encoded)), .number(7, 0)])
        )
        try copy.apply(second, from: next, to: Position(epoch: 1, seq: 3))
        #expect(copy.call.spotlight == [4] && copy.value(7, of: .call) == .number(0))
        #expect(copy.value(3, of: .call) == nil && copy.call.title.isEmpty)
    }

    @Test("R-54 R-56: a snapshot replaces everything, whole or not at all")
    func snapshots() throws {
        var copy = try copy()
        let before = copy
        #expect(throws: ApplyError.invalid(0, "0 is no field")) {
            try copy.replace(with: .of((0, .call, [.number(0, 1)])), at: next)
        }
        #expect(Check.identical(copy, before) == nil)

        var snapshot = Diff.of((0, .call, [.text(1, "m-2")]), (1, .policy, []))
        snapshot.addTombstone(7)
        snapshot.add(8, .person, [.text(1, "zoe")])
        snapshot.add(9, .device, [.number(1, 8), .text(2, "p")])
        let back = Position(epoch: 1, seq: 0)
        try copy.replace(with: snapshot, at: back)
        #expect(copy.position == back && copy.personSlots == [8] && copy.liveRecordCount == 4)
        #expect(copy.tombstoneCount == 1 && copy.removal(of: 7)?.reason == .left && copy.nextSlot == 10)
        #expect(copy.floor == 0 && Check.structure(copy) == nil)
        try copy.replace(with: snapshot, at: next)
        #expect(copy.floor == next.seq, "what was removed before a snapshot is not known")
        try copy.replace(with: Diff(), at: .zero)
        #expect(copy.digest == 0 && copy.liveRecordCount == 2)
    }

    @Test("records that come out of order of slot find their place")
    func lowerSlots() throws {
        var copy = CallState()
        try copy.replace(with: .of((9, .person, [.text(1, "zoe")])), at: at)
        try copy.apply(.of((5, .person, [.text(1, "amy")])), from: at, to: next)
        let devices = Diff.of(
            (7, .device, [.number(1, 5), .text(2, "a")]),
            (12, .device, [.number(1, 5), .text(2, "c")])
        )
        try copy.apply(devices, from: next, to: Position(epoch: 1, seq: 3))
        let another = Diff.of((6, .device, [.number(1, 5), .text(2, "b")]))
        try copy.apply(another, from: Position(epoch: 1, seq: 3), to: Position(epoch: 1, seq: 4))
        #expect(copy.slots == [0, 1, 5, 6, 7, 9, 12] && copy.deviceSlots(of: 5) == [6, 7, 12])
        #expect(Check.structure(copy) == nil)
    }
}
