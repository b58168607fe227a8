import CallState
import RollcallProtocol
import Testing

/// The codec against the official protobuf runtime, byte for byte.
@Suite(.enabled(if: Oracle.isAvailable, "python3-protobuf or protobuf-compiler is missing"))
struct OracleTests {
    @Test("R-6: the official runtime and this codec write the same bytes, in both directions")
    func sameBytesBothWays() throws {
        let seed = SeededRandom.seed
        var random = SeededRandom(seed: seed)
        var frames: [(direction: String, bytes: [UInt8])] = []
        for _ in 0..<10_000 {
            if random.oneIn(2) {
                frames.append(("client", random.clientFrame().message))
            } else {
                frames.append(("server", random.serverFrame().message))
            }
        }
        let answer = try Oracle.ask(frames, seed: seed, count: 10_000)
        for (frame, verdict) in zip(frames, answer.verdicts) where verdict != "same" {
            Issue.record("seed \(seed): \(frame.direction) \(frame.bytes.hex): \(verdict)")
        }
        for frame in answer.frames {
            do {
                let again = try recoded(frame.bytes, from: frame.direction)
                if again != frame.bytes {
                    Issue.record("seed \(seed): \(frame.direction) \(frame.bytes.hex) became \(again.hex)")
                }
            } catch {
                Issue.record("seed \(seed): \(frame.direction) \(frame.bytes.hex): \(error)")
            }
        }
        #expect(answer.frames.count == 10_000)
    }

    @Test func theOracleCanFail() throws {
        let zeroWritten: [UInt8] = [0x52, 0x02, 0x08, 0x00]
        let cut: [UInt8] = [0x52, 0x02, 0x08]
        let answer = try Oracle.ask([("client", zeroWritten), ("client", cut)], seed: 1, count: 0)
        #expect(answer.verdicts[0] == "differs 5200")
        #expect(answer.verdicts[1].hasPrefix("error"))
    }

    @Test func theVectorsAreWhatTheOfficialRuntimeWrites() throws {
        let (status, output) = try Oracle.run("oracle_vectors.py", ["--check"], input: "")
        #expect(status == 0, "\(output)")
    }

    @Test func everyFrameComesBackAsTheSameValue() throws {
        var random = SeededRandom(seed: SeededRandom.seed &+ 1)
        for _ in 0..<3_000 {
            let client = random.clientFrame()
            #expect(try ClientFrame.decode(client.message.span) == client)
            #expect(throws: Never.self) { try client.check() }
            let server = random.serverFrame()
            #expect(try ServerFrame.decode(server.message.span) == server)
        }
    }

    @Test func aDeltaIsDecodedIntoAUsedValue() throws {
        var random = SeededRandom(seed: SeededRandom.seed &+ 2)
        var used = Delta(toSeq: 0, records: Diff())
        for _ in 0..<500 {
            let delta = random.delta()
            #expect(try ServerFrame.decodeDelta(ServerFrame.delta(delta).message.span, into: &used))
            #expect(used == delta)
        }
        let before = used
        #expect(
            try ServerFrame.decodeDelta(ServerFrame.ping(Ping(position: nil, time: 1)).message.span, into: &used)
                == false
        )
        #expect(used == before)
    }
}

/// The bytes that come out when `bytes` are decoded and encoded again.
func recoded(_ bytes: [UInt8], from direction: String) throws(WireError) -> [UInt8] {
    if direction == "client" {
        try ClientFrame.decode(bytes.span).message
    } else {
        try ServerFrame.decode(bytes.span).message
    }
}

extension ClientFrame {
    /// The encoded message without its length.
    var message: [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return Array(bytes.dropFirst(4))
    }
}

extension ServerFrame {
    /// The encoded message without its length.
    var message: [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return Array(bytes.dropFirst(4))
    }
}
