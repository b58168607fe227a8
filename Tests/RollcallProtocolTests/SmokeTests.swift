import CallState
import RollcallProtocol
import Testing

@Test func pingAndAckComeBack() throws {
    for frame in [
        ServerFrame.ping(Ping(position: .zero, time: 5, digest: 0)),
        .ack(Ack(op: 300, code: .denied, position: Position(epoch: 1, seq: 2), text: "no", after: 7)),
    ] {
        var bytes: [UInt8] = []
        frame.encode(into: &bytes)
        #expect(try ServerFrame.decode(bytes.span.extracting(droppingFirst: 4)) == frame)
    }
}

@Test func aDeltaComesBack() throws {
    var state = CallState()
    state.beginEpoch(7)
    state.beginCommit()
    let person = state.append(.person)
    state.set(PersonField.uid, of: person, to: .bytes(Array("ana".utf8)))
    let device = state.append(.device)
    state.set(DeviceField.person, of: device, to: .number(UInt64(person)))
    state.set(DeviceField.device, of: device, to: .bytes(Array("d".utf8)))
    state.setEntry(PersonField.attributes, key: "k", of: person, to: Array(repeating: 3, count: 300))
    let changed = state.endCommit()
    #expect(changed)
    var diff = Diff()
    state.diff(from: 0, into: &diff)
    var bytes: [UInt8] = []
    ServerFrame.encodeDelta(
        diff,
        from: Position(epoch: 7, seq: 0),
        to: state.position,
        actor: device,
        op: 9,
        digest: 4,
        into: &bytes
    )
    guard case .delta(let delta) = try ServerFrame.decode(bytes.span.extracting(droppingFirst: 4)) else {
        Issue.record("no delta")
        return
    }
    #expect(delta.records == diff)
    #expect(delta.toEpoch == 7)
    #expect(delta.actor == device)
    var encoder = SnapshotEncoder()
    let snapshot = encoder.encode(state)
    #expect(snapshot.partRanges.count == 1)
    var splitter = FrameSplitter(maximumFrameLength: 70_000)
    var parts: [ServerFrame] = []
    try splitter.feed(snapshot.bytes.span) { frame in
        if let part = try? ServerFrame.decode(frame) { parts.append(part) }
        return .proceed
    }
    guard case .part(let part) = parts.first else {
        Issue.record("no part")
        return
    }
    #expect(part.end == SnapshotEnd(liveRecords: 4, digest: state.digest))
}
