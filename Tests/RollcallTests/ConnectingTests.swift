import CallState
import RollcallProtocol
import Testing

@testable import Rollcall

/// From nothing to a complete join, and what ends it.
struct ConnectingTests {
    @Test func `R-1 R-8 R-10 preface, hello and join go out in one write, before anything has come`() throws {
        var client = CoreHarness()
        client.start()
        #expect(client.isConnecting)
        client.connect()
        let writes = client.effects.compactMap { if case .send(let bytes) = $0 { bytes } else { nil } }
        #expect(writes.count == 1)
        #expect(writes.first?.prefix(4) == [0x52, 0x43, 0x4C, 0x31])
        #expect(client.sent.count == 2)
        guard case .hello(let hello) = client.sent.first else { throw Missing("hello") }
        #expect(hello.minVersion == 1 && hello.maxVersion == 1)
        #expect(client.sentJoin?.uid == "ana")
    }

    @Test func `R-11 every connection of a client has the same instance`() {
        var client = CoreHarness()
        client.join(ScriptedCall())
        for _ in 0..<3 {
            client.lose()
            client.reconnect()
            guard case .hello(let hello) = client.sent.first else {
                Issue.record("no hello")
                return
            }
            #expect(hello.instance == CoreHarness.instance)
        }
    }

    @Test func `R-9 a version that was not asked for ends the join`() {
        var client = CoreHarness()
        client.start()
        client.connect()
        var welcome = Welcome()
        welcome.version = 2
        client.receive(.welcome(welcome))
        #expect(client.closeReason?.error?.code == .protocolViolation)
        #expect(client.isDisconnected)
    }

    @Test func `R-19 nothing is shown before the copy has reached J`() {
        var call = ScriptedCall()
        let early = call
        let delta = call.commit { $0.setTitle("later") }
        var client = CoreHarness()
        client.start()
        client.connect()
        // A snapshot from before J, as R-55 allows.
        client.receive([ScriptedCall.welcome, call.joined()] + early.snapshot())
        #expect(!client.isCompleted && !client.isChanged)
        client.receive(.delta(delta))
        #expect(client.isCompleted && client.isChanged)
        #expect(client.core.confirmed.position == call.state.position)
        #expect(client.isLive)
    }

    @Test func `R-51 R-54 a snapshot counts only when its last part is there`() {
        let call = ScriptedCall()
        let frames = [ScriptedCall.welcome, call.joined()] + call.snapshot(recordsPerPart: 1)
        var client = CoreHarness()
        client.start()
        client.connect()
        for frame in frames.dropLast() {
            client.receive(frame)
            #expect(!client.isCompleted)
            #expect(client.core.confirmed.peopleCount == 0)
        }
        client.receive([frames[frames.count - 1]])
        #expect(client.isCompleted)
        #expect(client.core.confirmed.digest == call.state.digest)
    }

    @Test func `R-4 the stream may be cut anywhere`() {
        var call = ScriptedCall()
        let snapshot = call.snapshot()
        let joined = call.joined()
        var frames = [ScriptedCall.welcome, joined] + snapshot
        for round in 0..<5 {
            frames.append(.delta(call.commit { $0.setTitle(ByteString("title \(round)")) }))
            frames.append(call.ping())
        }
        var bytes: [UInt8] = []
        for frame in frames { frame.encode(into: &bytes) }
        for size in [1, 2, 3, 5, 17, bytes.count] {
            var client = CoreHarness()
            client.start()
            client.connect()
            for begin in stride(from: 0, to: bytes.count, by: size) {
                client.receive(bytes: Array(bytes[begin..<min(begin + size, bytes.count)]))
            }
            #expect(client.core.confirmed.digest == call.state.digest)
            #expect(client.pongs.count == 5)
            #expect(client.resyncs.isEmpty)
        }
    }

    @Test func `R-5 bytes that are no frame end the connection, and the cause says where`() {
        var client = CoreHarness()
        client.join(ScriptedCall())
        client.receive(bytes: [0, 0, 0, 2, 0x0A, 0x7F])
        #expect(client.isDisconnected)
        guard case .reconnecting(attempt: 1, let cause) = client.connections.last else {
            Issue.record("not reconnecting")
            return
        }
        #expect(cause.code == .protocolViolation)
        #expect(cause.underlying is WireError)
    }

    @Test func `R-3 a frame that claims more than a megabyte ends the connection at its length`() {
        var client = CoreHarness()
        client.join(ScriptedCall())
        client.receive(bytes: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(client.isDisconnected)
        #expect(!client.isLive)
    }

    @Test func `R-7 frames that the client does not know or need are ignored`() {
        var client = CoreHarness()
        client.join(ScriptedCall())
        client.receive(
            .notice(code: Code(rawValue: 1_999), text: "something new"),
            .error(Refusal(code: .forbidden, text: "no"), request: 3),
            .calls(request: 1, [], more: false),
            .connections(request: 1, [], more: false)
        )
        // Field 40 with an empty message.
        client.receive(bytes: [0, 0, 0, 3, 0xC2, 0x02, 0x00])
        #expect(client.isLive)
        #expect(client.effects.isEmpty)
    }

    @Test func `R-10 the relay's own dead-after holds, within what is believable`() {
        for (told, believed) in [(UInt64(40_000), UInt64(40_000)), (1, 1_000), (.max, 600_000), (0, 25_000)] {
            var client = CoreHarness()
            client.start()
            client.connect()
            var welcome = Welcome()
            welcome.deadAfter = told
            client.receive(.welcome(welcome))
            let call = ScriptedCall()
            client.receive([call.joined()] + call.snapshot())
            #expect(client.core.nextDeadline == client.now + believed)
        }
    }

    @Test func `R-15 a refused join ends with the relay's own words`() {
        var client = CoreHarness()
        client.start()
        client.connect()
        client.receive(ScriptedCall.welcome, .closed(Refusal(code: .locked, text: "the call is locked")))
        let error = client.closeReason?.error
        #expect(error?.code == .locked)
        #expect(error?.message == "the call is locked")
    }

    @Test func `a relay that can't be reached fails the first join at once`() {
        var client = CoreHarness()
        client.start()
        client.lose(.unreachable)
        #expect(client.closeReason?.error?.code == .unreachable)
        #expect(client.core.nextDeadline == nil)
    }

    @Test func `a first join that may try again does`() {
        var client = CoreHarness { $0.reconnect.retriesFirstJoin = true }
        client.start()
        client.lose(.unreachable)
        #expect(client.closeReason == nil)
        // Nobody has the call yet who could be told that it reconnects.
        #expect(client.connections.isEmpty)
        client.forget()
        client.passTime()
        #expect(client.isConnecting)
        let call = ScriptedCall()
        client.connect()
        client.receive([ScriptedCall.welcome, call.joined()] + call.snapshot())
        #expect(client.isCompleted)
    }

    @Test func `a relay that never answers the join is given up`() {
        var client = CoreHarness { $0.handshakeTimeout = 3_000 }
        client.start()
        client.connect()
        client.receive(ScriptedCall.welcome)
        client.tick(at: client.now + 2_999)
        #expect(client.closeReason == nil)
        client.tick(at: client.now + 1)
        #expect(client.closeReason?.error?.code == .timedOut)
        #expect(client.isDisconnected)
    }

    @Test func `frames out of order end the connection`() {
        let call = ScriptedCall()
        for frames in [[call.joined()], [ScriptedCall.welcome, ScriptedCall.welcome]] {
            var client = CoreHarness()
            client.start()
            client.connect()
            client.receive(frames)
            #expect(client.closeReason?.error?.code == .protocolViolation)
        }
        var client = CoreHarness()
        client.join(call)
        client.receive(call.joined())
        #expect(client.isDisconnected)
    }

    @Test func `records before the join was accepted count for nothing`() {
        var call = ScriptedCall()
        var client = CoreHarness()
        client.start()
        client.connect()
        client.receive([ScriptedCall.welcome] + call.snapshot())
        client.receive(.delta(call.commit { $0.setTitle("t") }), call.ping())
        #expect(client.core.confirmed.position == .zero)
        #expect(client.resyncs.isEmpty)
        // The ping is answered nevertheless, by a copy that has nothing.
        #expect(client.pongs.map(\.position) == [.zero])
    }

    @Test func `R-25 an observer of an empty call is complete with an empty snapshot`() {
        var client = CoreHarness(mode: .observer)
        client.start()
        client.connect()
        var joined = Joined()
        joined.outcome = .observer
        joined.follows = .snapshot
        client.receive(
            ScriptedCall.welcome,
            .joined(joined),
            .snapshot(SnapshotHead(position: .zero, reason: .join)),
            .part(SnapshotPart(records: Diff(), end: SnapshotEnd(liveRecords: 2, digest: 0)))
        )
        #expect(client.isCompleted)
        #expect(client.sentJoin?.mode == .observer)
        #expect(client.sentJoin?.audioMuted == true || client.sentJoin?.audioMuted == nil)
        #expect(client.core.snapshot.me == nil)
    }
}

/// Something that a test needs and did not find.
struct Missing: Error {
    let what: String
    init(_ what: String) { self.what = what }
}
