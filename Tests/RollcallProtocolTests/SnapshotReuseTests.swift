import CallState
import Randomness
import RollcallProtocol
import Testing

/// Records straight from a state: the same bytes as through a difference, and as in a snapshot made of an earlier one.
struct SnapshotReuseTests {
    /// A call that changes by chance: people come, go, and change things, and tombstones are dropped.
    private struct ChangingCall {
        var state = CallState()
        var random: SplitMix64
        private var people: [Slot] = []
        private var count = 0

        init(seed: UInt64) {
            random = SplitMix64(seed: seed)
            state.beginEpoch(7)
        }

        mutating func commit() {
            state.beginCommit()
            for _ in 0..<Int.random(in: 1...4, using: &random) { change() }
            _ = state.endCommit()
            if Int.random(in: 0..<20, using: &random) == 0 {
                state.dropTombstones(through: UInt64.random(in: 0...state.position.seq, using: &random))
            }
        }

        private mutating func change() {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...3: bringIn()
            case 4:
                guard let place = people.indices.randomElement(using: &random) else { return }
                state.removePerson(people.remove(at: place), at: 9, reason: .lost)
            case 5:
                state.set(CallField.title, of: .call, to: .bytes(bytes(upTo: 200)))
            case 6:
                let value: [UInt8]? = Bool.random(using: &random) ? bytes(upTo: 300) : nil
                guard let person = people.randomElement(using: &random) else { return }
                state.setEntry(PersonField.attributes, key: key(), of: person, to: value)
            default:
                guard let person = people.randomElement(using: &random) else { return }
                if Bool.random(using: &random) {
                    state.set(PersonField.name, of: person, to: .bytes(bytes(upTo: 40)))
                } else {
                    state.clear(PersonField.name, of: person)
                }
                for device in state.deviceSlots(of: person) {
                    state.set(DeviceField.audioMuted, of: device, to: .number(UInt64.random(in: 0...1, using: &random)))
                }
            }
        }

        private mutating func bringIn() {
            count += 1
            let person = state.append(.person)
            state.set(PersonField.uid, of: person, to: .bytes(Array("uid-\(count)".utf8)))
            let device = state.append(.device)
            state.set(DeviceField.person, of: device, to: .number(UInt64(person)))
            state.set(DeviceField.device, of: device, to: .bytes(Array("d".utf8)))
            people.append(person)
        }

        private mutating func key() -> ByteString {
            // Some fit into a value, and some do not.
            let number = Int.random(in: 0..<3, using: &random)
            return ByteString("\(number)" + String(repeating: "k", count: number * 12))
        }

        private mutating func bytes(upTo most: Int) -> [UInt8] {
            [UInt8](repeating: 0x61, count: Int.random(in: 0...most, using: &random))
        }
    }

    @Test("R-51: a snapshot made of an earlier one has the bytes of one made from nothing", arguments: 0..<12)
    func reuse(seed: UInt64) throws {
        let encoder = SnapshotEncoder(maximumPartLength: [300, 1_000, 20_000][Int(seed % 3)])
        var call = ChangingCall(seed: seed)
        for _ in 0..<60 { call.commit() }
        var known = encoder.encode(call.state)
        for _ in 0..<40 {
            for _ in 0..<Int.random(in: 0...8, using: &call.random) { call.commit() }
            let made = encoder.encode(call.state, from: known)
            let whole = encoder.encode(call.state)
            try #require(made.bytes == whole.bytes)
            #expect(made.partRanges == whole.partRanges)
            #expect(made.position == call.state.position)
            // Sometimes an older one is all there is.
            if Bool.random(using: &call.random) { known = made }
        }
    }

    @Test("R-51: a part that an earlier snapshot has whole stays at its limit when records before it grow or go")
    func boundaries() throws {
        let encoder = SnapshotEncoder(maximumPartLength: 400)
        var call = ChangingCall(seed: 3)
        for _ in 0..<200 { call.commit() }
        let known = encoder.encode(call.state)
        #expect(known.partRanges.count > 10)
        call.state.beginCommit()
        call.state.set(CallField.title, of: .call, to: .bytes([UInt8](repeating: 0x61, count: 256)))
        _ = call.state.endCommit()
        let made = encoder.encode(call.state, from: known)
        #expect(made.bytes == encoder.encode(call.state).bytes)
        #expect(made.partRanges.allSatisfy { $0.count <= 400 })
    }

    @Test("R-57, R-59: a delta straight from the state is that of its difference", arguments: 0..<6)
    func deltas(seed: UInt64) {
        var call = ChangingCall(seed: seed)
        var diff = Diff()
        for _ in 0..<80 {
            call.commit()
            let head = call.state.position
            let from = Position(epoch: 7, seq: UInt64.random(in: call.state.floor...head.seq, using: &call.random))
            call.state.diff(from: from.seq, into: &diff)
            var slots: [Slot] = []
            call.state.findSlots(changedSince: from.seq, into: &slots)
            #expect(slots == diff.records.map(\.slot))
            var expected: [UInt8] = []
            ServerFrame.encodeDelta(diff, from: from, to: head, actor: 5, op: 9, digest: 11, into: &expected)
            var bytes: [UInt8] = []
            ServerFrame.encodeDelta(of: call.state, in: slots, from: from, actor: 5, op: 9, digest: 11, into: &bytes)
            #expect(bytes == expected)
        }
    }

    @Test("R-51, R-56: a snapshot has what the difference from nothing has")
    func whole() throws {
        var call = ChangingCall(seed: 21)
        for _ in 0..<100 { call.commit() }
        var diff = Diff()
        call.state.diff(from: 0, into: &diff)
        let snapshot = SnapshotEncoder().encode(call.state)
        guard case .part(let part) = try ServerFrame.decode(snapshot.bytes.span.extracting(droppingFirst: 4)) else {
            Issue.record("no part")
            return
        }
        #expect(snapshot.partRanges.count == 1)
        #expect(part.records == diff)
    }
}
