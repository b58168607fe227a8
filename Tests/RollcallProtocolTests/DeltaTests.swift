import CallState
import RollcallProtocol
import Testing

/// Deltas straight from a difference, and what they leave out.
struct DeltaTests {
    private let unmuted: Diff = {
        var diff = Diff()
        diff.fields = [Diff.Field(number: DeviceField.audioMuted, value: .number(0))]
        diff.records = [.init(slot: 3, kind: .device, fields: 0..<1)]
        return diff
    }()

    private func delta(
        from: (UInt64, UInt64),
        to: (UInt64, UInt64),
        omitsEpoch: Bool = false,
        actor: Slot? = nil,
        op: UInt64 = 0,
        digest: UInt64? = nil
    ) throws -> Delta {
        var bytes: [UInt8] = [1, 2, 3]
        ServerFrame.encodeDelta(
            unmuted,
            from: Position(epoch: from.0, seq: from.1),
            to: Position(epoch: to.0, seq: to.1),
            omitsEpoch: omitsEpoch,
            actor: actor,
            op: op,
            digest: digest,
            into: &bytes
        )
        #expect(Array(bytes.prefix(3)) == [1, 2, 3])
        guard case .delta(let delta) = try ServerFrame.decode(bytes.span.extracting(droppingFirst: 7)) else {
            throw WireError(code: .missing, field: "ServerFrame.delta", offset: 0, detail: "no delta")
        }
        #expect(delta.records == unmuted)
        var again: [UInt8] = [1, 2, 3]
        ServerFrame.delta(delta).encode(into: &again)
        #expect(again == bytes)
        return delta
    }

    @Test("R-57: what follows from the rest is left out of a delta's positions")
    func positions() throws {
        let next = try delta(from: (7, 41), to: (7, 42))
        #expect((next.toEpoch, next.toSeq, next.fromEpoch, next.fromSeq) == (7, 42, nil, nil))
        let shared = try delta(from: (7, 41), to: (7, 42), omitsEpoch: true)
        #expect((shared.toEpoch, shared.toSeq, shared.fromEpoch, shared.fromSeq) == (nil, 42, nil, nil))
        let merged = try delta(from: (7, 40), to: (7, 42))
        #expect((merged.toEpoch, merged.toSeq, merged.fromEpoch, merged.fromSeq) == (7, 42, nil, 40))
        let across = try delta(from: (6, 41), to: (7, 42))
        #expect((across.toEpoch, across.toSeq, across.fromEpoch, across.fromSeq) == (7, 42, 6, 41))
        let first = try delta(from: (7, 0), to: (7, 1))
        #expect((first.toEpoch, first.toSeq, first.fromEpoch, first.fromSeq) == (7, 1, nil, nil))
    }

    @Test("R-57: an omitted number reads as nil, not as zero")
    func omitted() throws {
        guard case .delta(let delta) = try ServerFrame.decode([0x2A, 0x06, 0x08, 0x2A, 0x10, 0x00, 0x18, 0x00].span)
        else {
            Issue.record("no delta")
            return
        }
        #expect(delta.toSeq == 42)
        #expect(delta.toEpoch == nil)
        #expect(delta.fromSeq == nil)
        #expect(delta.fromEpoch == nil)
    }

    @Test("R-61, R-67: actor 0, no actor, op and digest are told apart")
    func cause() throws {
        #expect(try delta(from: (7, 41), to: (7, 42)).actor == nil)
        let told = try delta(from: (7, 41), to: (7, 42), actor: 0, op: 9, digest: 0)
        #expect(told.actor == 0)
        #expect(told.op == 9)
        #expect(told.digest == 0)
        #expect(try delta(from: (7, 41), to: (7, 42)).digest == nil)
    }

    @Test("R-41, R-43: false, cleared and removed are three things")
    func presence() throws {
        var diff = Diff()
        diff.fields = [
            Diff.Field(number: PersonField.hand, value: nil),
            Diff.Field(number: PersonField.audioLocked, value: .number(0)),
            Diff.Field(number: PersonField.attributes, key: "a", value: nil),
            Diff.Field(number: PersonField.attributes, key: "b", value: .bytes([])),
        ]
        diff.records = [.init(slot: 2, kind: .person, fields: 0..<4)]
        let message = ServerFrame.delta(Delta(toSeq: 1, records: diff)).message
        #expect(message.hex == "2a1f08012a1b080222023000" + "7a0105" + "820105080a120161" + "820107080a1201621a00")
        #expect(try ServerFrame.decode(message.span) == .delta(Delta(toSeq: 1, records: diff)))
    }
}
