import CallState
import RollcallProtocol
import Testing

@testable import Rollcall

/// Deltas, snapshots and pings against the copy: the apply rule, line by line.
struct ApplyRuleTests {
    var call = ScriptedCall()
    var client = CoreHarness()

    init() {
        client.join(call)
    }

    @Test mutating func `R-58 a delta from the copy's position is applied`() {
        let delta = call.commit { $0.setTitle("plans") }
        client.receive(.delta(delta))
        #expect(client.core.snapshot.title == "plans")
        #expect(client.core.confirmed.position == call.state.position)
        #expect(client.isChanged && client.resyncs.isEmpty)
    }

    @Test mutating func `R-58 line 2 a delta from another epoch asks for a snapshot`() {
        var delta = call.commit { $0.setTitle("plans") }
        delta.fromEpoch = 4
        client.receive(.delta(delta))
        #expect(client.resyncs.map(\.reason) == [.epoch])
        #expect(!client.isChanged)
    }

    @Test mutating func `R-58 line 3 a delta that ends at or below the copy is ignored`() {
        let first = call.commit { $0.setTitle("one") }
        let second = call.commit { $0.setTitle("two") }
        client.receive(.delta(first), .delta(second))
        client.forget()
        client.receive(.delta(first), .delta(second))
        #expect(client.core.snapshot.title == "two")
        #expect(!client.isChanged && client.resyncs.isEmpty)
    }

    @Test mutating func `R-58 line 4 a delta that begins above the copy asks for a snapshot`() {
        _ = call.commit { $0.setTitle("one") }
        let second = call.commit { $0.setTitle("two") }
        client.receive(.delta(second))
        #expect(client.resyncs.map(\.reason) == [.gap])
        #expect(client.resyncs.first?.position == Position(epoch: 5, seq: 1))
        #expect(client.core.snapshot.title == "")
    }

    @Test mutating func `R-58 a merged delta that begins below the copy is applied`() {
        let start = call.state.position
        let first = call.commit { $0.setTitle("one") }
        client.receive(.delta(first))
        _ = call.commit { $0.setTitle("two") }
        client.receive(.delta(call.delta(from: start)))
        #expect(client.core.snapshot.title == "two")
        #expect(client.resyncs.isEmpty)
        #expect(client.core.confirmed.digest == call.state.digest)
    }

    @Test mutating func `R-58 line 5 a change of an unknown slot asks for a snapshot and changes nothing`() {
        var diff = Diff()
        diff.fields = [
            .init(number: CallField.title, value: .bytes([65])),
            .init(number: DeviceField.audioMuted, value: .number(0)),
        ]
        diff.records = [
            .init(slot: 0, kind: .call, fields: 0..<1), .init(slot: 77, kind: .device, fields: 1..<2),
        ]
        client.receive(.delta(Delta(toSeq: 2, records: diff)))
        #expect(client.resyncs.map(\.reason) == [.unknownSlot])
        #expect(client.core.snapshot.title == "")
        #expect(client.core.confirmed.position.seq == 1)
    }

    @Test mutating func `R-45 R-58 line 5 a changed identity asks for a snapshot`() {
        var diff = Diff()
        diff.fields = [.init(number: PersonField.uid, value: .bytes([65]))]
        diff.records = [.init(slot: call.ben, kind: .person, fields: 0..<1)]
        client.receive(.delta(Delta(toSeq: 2, records: diff)))
        #expect(client.resyncs.map(\.reason) == [.invalid])
    }

    @Test mutating func `R-44 a tombstone of an unknown slot is ignored`() {
        var diff = Diff()
        diff.records = [.init(slot: 77, kind: .removed, removal: .init(at: 1, reason: .left), fields: 0..<0)]
        client.receive(.delta(Delta(toSeq: 2, records: diff)))
        #expect(client.resyncs.isEmpty)
        #expect(client.core.confirmed.position.seq == 2)
    }

    @Test mutating func `R-58 line 7 R-67 a wrong digest in a delta asks for a snapshot`() {
        var delta = call.commit { $0.setTitle("plans") }
        delta.digest = call.state.digest
        client.receive(.delta(delta))
        #expect(client.resyncs.isEmpty)
        delta = call.commit { $0.setTitle("more") }
        delta.digest = 1
        client.receive(.delta(delta))
        #expect(client.resyncs.map(\.reason) == [.digest])
    }

    @Test mutating func `R-57 omitted positions are those of the frames before`() {
        var delta = call.commit { $0.setTitle("plans") }
        delta.toEpoch = nil
        delta.fromSeq = nil
        delta.fromEpoch = nil
        client.receive(.delta(delta))
        #expect(client.core.confirmed.position == Position(epoch: 5, seq: 2))
        #expect(client.resyncs.isEmpty)
    }

    @Test mutating func `R-57 the epoch is remembered also from a frame that is ignored`() {
        // The call goes on in epoch 6; the client ignores the delta that says so, since it waits for a snapshot.
        client.resync()
        let old = call.state.position
        call.state.beginEpoch(6)
        var across = call.commit { $0.setTitle("six") }
        across.fromEpoch = old.epoch
        client.receive(.delta(across))
        #expect(client.core.confirmed.position == old)
        client.receive(call.snapshot(.requested))
        var next = call.commit { $0.setTitle("seven") }
        next.toEpoch = nil
        next.fromSeq = nil
        next.fromEpoch = nil
        client.receive(.delta(next))
        #expect(client.core.confirmed.position == Position(epoch: 6, seq: 3))

        // Without a snapshot in between: only the ignored frame names the epoch.
        var other = CoreHarness()
        let begin = ScriptedCall()
        other.join(begin)
        other.resync()
        other.receive(.delta(across))
        #expect(other.core.streamEpoch == 6)
    }

    @Test mutating func `R-57 a delta to seq zero is no trap`() {
        client.receive(.delta(Delta(toSeq: 0, records: Diff())))
        #expect(client.resyncs.count <= 1)
    }

    @Test mutating func `R-54 a snapshot below the copy is accepted and replaces it`() {
        let old = call
        client.receive(.delta(call.commit { $0.setTitle("gone") }))
        client.receive(old.snapshot(.lagged))
        #expect(client.core.confirmed.position == old.state.position)
        #expect(client.core.snapshot.title == "")
        #expect(client.isChanged)
    }

    @Test mutating func `R-54 the old copy stays readable while a snapshot comes`() {
        client.receive(.delta(call.commit { $0.setTitle("kept") }))
        client.forget()
        let parts = call.snapshot(.lagged, recordsPerPart: 1)
        for frame in parts.dropLast() {
            client.receive(frame)
            #expect(client.core.snapshot.title == "kept")
            #expect(client.core.snapshot.peopleCount == 2)
            #expect(!client.isChanged)
        }
    }

    @Test mutating func `R-54 of two snapshots the newer cancels the older`() {
        let old = call.snapshot(.requested, recordsPerPart: 1)
        _ = call.commit { $0.setTitle("new") }
        client.receive(Array(old.dropLast()))
        client.receive(call.snapshot(.requested, recordsPerPart: 1))
        #expect(client.core.snapshot.title == "new")
        #expect(client.resyncs.isEmpty)
        #expect(client.core.confirmed.digest == call.state.digest)
    }

    @Test mutating func `R-52 a snapshot with a wrong count or digest is not taken`() {
        client.receive(.delta(call.commit { $0.setTitle("mine") }))
        for wrong in [
            SnapshotEnd(liveRecords: call.end.liveRecords + 1, digest: call.end.digest),
            SnapshotEnd(liveRecords: call.end.liveRecords, digest: call.end.digest &+ 1),
        ] {
            var frames = call.snapshot(.lagged, recordsPerPart: 100)
            guard case .part(var part) = frames[1] else {
                Issue.record("no part")
                return
            }
            part.end = wrong
            frames[1] = .part(part)
            client.forget()
            client.receive(frames)
            #expect(client.resyncs.map(\.reason) == [.digest])
            #expect(!client.isChanged)
            client.receive(call.snapshot(.requested))
        }
    }

    @Test mutating func `R-52 a snapshot that breaks a rule of records is not taken`() {
        var diff = Diff()
        diff.fields = [.init(number: DeviceField.audioMuted, value: .number(0))]
        diff.records = [.init(slot: 9, kind: .device, fields: 0..<1)]
        client.receive(
            .snapshot(SnapshotHead(position: Position(epoch: 5, seq: 9), reason: .lagged)),
            .part(SnapshotPart(records: diff, end: SnapshotEnd(liveRecords: 3, digest: 0)))
        )
        #expect(client.resyncs.map(\.reason) == [.invalid])
        #expect(client.core.confirmed.position.seq == 1)
    }

    @Test mutating func `R-53 while a snapshot comes a ping is answered but not compared, and a delta ignored`() {
        let parts = call.snapshot(.lagged, recordsPerPart: 1)
        client.receive(parts[0])
        client.receive(.ping(Ping(position: Position(epoch: 5, seq: 40), time: 3, digest: 1)))
        #expect(client.pongs.map(\.time) == [3])
        #expect(client.resyncs.isEmpty)
        var later = call
        client.receive(.delta(later.commit { $0.setTitle("in between") }))
        #expect(client.core.snapshot.title == "")
        #expect(client.resyncs.isEmpty)
    }

    @Test mutating func `R-56 tombstones in a snapshot do not count`() {
        let ben = call.ben
        _ = call.commit { $0.removePerson(ben, at: 2_000, reason: .left) }
        #expect(call.state.tombstoneCount > 0)
        client.receive(call.snapshot(.lagged, recordsPerPart: 1))
        #expect(client.resyncs.isEmpty)
        #expect(client.core.snapshot.people.map(\.uid) == ["ana"])
    }

    @Test mutating func `R-63 one resync at a time: deltas and pings wait for the snapshot`() {
        _ = call.commit { $0.setTitle("one") }
        client.receive(.delta(call.commit { $0.setTitle("two") }))
        client.receive(.delta(call.commit { $0.setTitle("three") }), call.ping())
        client.resync()
        #expect(client.resyncs.count == 1)
        #expect(client.pongs.count == 1)
        client.receive(call.snapshot(.requested))
        #expect(client.core.snapshot.title == "three")
        client.receive(.delta(call.commit { $0.setTitle("four") }))
        #expect(client.core.snapshot.title == "four")
        #expect(client.resyncs.count == 1)
    }

    @Test mutating func `R-63 three snapshots in a row that do not help end the connection`() {
        var frames = call.snapshot(.requested, recordsPerPart: 100)
        guard case .part(var part) = frames[1] else {
            Issue.record("no part")
            return
        }
        part.end = SnapshotEnd(liveRecords: 1, digest: 1)
        frames[1] = .part(part)
        client.resync()
        client.forget()
        for tries in 1...2 {
            client.receive(frames)
            #expect(client.resyncs.count == tries)
            #expect(!client.isDisconnected)
        }
        client.receive(frames)
        #expect(client.isDisconnected)
        guard case .reconnecting(attempt: 1, let cause) = client.connections.last else {
            Issue.record("not reconnecting")
            return
        }
        #expect(cause.code == .protocolViolation)
        // The copy is not to be trusted: the next join has no position.
        client.reconnect()
        #expect(client.sentJoin?.resume?.position == .zero)
        #expect(client.sentJoin?.resume?.secret == call.secret)
    }

    @Test mutating func `R-63 a right snapshot begins the counting anew`() {
        for _ in 0..<10 {
            client.resync()
            client.receive(call.snapshot(.requested))
        }
        #expect(client.isLive)
        #expect(!client.isDisconnected)
    }

    @Test mutating func `R-63 a resync that is never answered ends the connection`() {
        client.resync()
        for _ in 0..<6 {
            client.now += 5_000
            client.receive(call.ping())
            client.tick(at: client.now)
        }
        #expect(client.isDisconnected)
    }

    @Test mutating func `R-99 a ping is answered with its time and the copy's position`() {
        client.receive(call.ping(time: 1_234))
        #expect(client.pongs == [Pong(position: call.state.position, time: 1_234)])
        client.receive(.ping(Ping(position: nil, time: 5)))
        #expect(client.pongs.map(\.time) == [1_234, 5])
        #expect(client.resyncs.isEmpty)
    }

    @Test mutating func `R-100 a ping above the copy asks for a snapshot`() {
        client.receive(.ping(Ping(position: Position(epoch: 5, seq: 2), time: 1)))
        #expect(client.resyncs.map(\.reason) == [.ahead])
    }

    @Test mutating func `R-36 R-100 a ping of a higher epoch is above, whatever its seq`() {
        client.receive(.ping(Ping(position: Position(epoch: 6, seq: 0), time: 1)))
        #expect(client.resyncs.map(\.reason) == [.ahead])
    }

    @Test mutating func `R-100 an equal ping with another digest asks for a snapshot`() {
        client.receive(.ping(Ping(position: call.state.position, time: 1, digest: call.state.digest)))
        #expect(client.resyncs.isEmpty)
        client.receive(.ping(Ping(position: call.state.position, time: 1, digest: call.state.digest &+ 1)))
        #expect(client.resyncs.map(\.reason) == [.digest])
    }

    @Test mutating func `R-100 a ping below the copy is ignored`() {
        let old = call.state.position
        client.receive(.delta(call.commit { $0.setTitle("t") }))
        client.receive(.ping(Ping(position: old, time: 1, digest: 77)))
        #expect(client.resyncs.isEmpty)
    }

    @Test mutating func `R-107 a snapshot that answers a peek is not the copy's`() {
        var other = ScriptedCall(epoch: 9)
        _ = other.commit { $0.setTitle("another call") }
        var frames = other.snapshot(.requested)
        frames[0] = .snapshot(SnapshotHead(position: other.state.position, reason: .requested, request: 4))
        client.receive(frames)
        #expect(client.core.confirmed.position == call.state.position)
        #expect(client.isLive)
    }

    @Test mutating func `R-93 an observer goes on to the next meeting by a snapshot`() {
        var client = CoreHarness(mode: .observer)
        client.start()
        client.connect()
        client.receive([ScriptedCall.welcome, call.joined(.observer)] + call.snapshot())
        #expect(client.isLive)
        let next = ScriptedCall(epoch: 6)
        client.receive(next.snapshot(.epoch))
        #expect(client.core.confirmed.position == next.state.position)
        #expect(client.resyncs.isEmpty)
    }

    @Test func `R-19 a join that says nothing follows, to a client that has nothing, asks for a snapshot`() {
        let call = ScriptedCall()
        var client = CoreHarness()
        client.start()
        client.connect()
        client.receive(ScriptedCall.welcome, call.joined(follows: .nothing))
        #expect(client.resyncs.map(\.reason) == [.gap])
        #expect(client.resyncs.first?.position == .zero)
        #expect(!client.isCompleted)
        client.receive(call.snapshot(.requested))
        #expect(client.isCompleted)
    }
}
