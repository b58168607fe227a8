import CallState
import Randomness
import Rollcall
import RollcallProtocol
import Traces

/// Behaves badly towards a relay and notes what it gets for it.
///
/// It runs in a process of its own, so that its descriptors and its time are not those of the well-behaved client.
struct HostileGenerator {
    let hostile: HostileCase
    let address: Address
    let session: String
    let times: HostileTimes
    let seed: UInt64

    /// Plays the case.
    func run() throws -> HostileOutcome {
        switch hostile {
        case .noPreface: try single([], endsWithin: times.hello)
        case .wrongPreface: try single(Array("GET / HTTP/1.1\r\nHost: relay\r\n\r\n".utf8), endsWithin: .zero)
        case .hugeFrame: try single(BareBytes.preface + [255, 255, 255, 255, 8, 1], endsWithin: .zero)
        case .halfHello:
            try single(BareBytes.preface + hello.prefix(hello.count / 2), endsWithin: times.hello)
        case .halfFrame: try halfFrame()
        case .garbage: try garbage()
        case .crowd:
            try HostileCrowd(address: address, count: hostile.connections, wait: times.hello + times.margin).run()
        case .deaf: try deaf()
        }
    }

    private var hello: [UInt8] {
        var bytes: [UInt8] = []
        ClientFrame.hello(Hello(clientName: "hostile", instance: BareBytes.instance)).encode(into: &bytes)
        return bytes
    }

    private func single(_ bytes: [UInt8], endsWithin time: Duration) throws -> HostileOutcome {
        let connection = try BareConnection(address)
        var outcome = HostileOutcome()
        let start = ContinuousClock.now
        try connection.socket.write(bytes, before: .in(.seconds(5)))
        outcome.count(try Self.end(of: connection, before: start + time + times.margin))
        outcome.seconds = (ContinuousClock.now - start).inSeconds
        return outcome
    }

    private func halfFrame() throws -> HostileOutcome {
        let connection = try BareConnection(address)
        try connection.socket.write(BareBytes.preface + hello, before: .in(.seconds(5)))
        let welcome = try connection.wait(for: "Welcome", before: .in(.seconds(5))) { received in
            if case .welcome(let welcome) = received.frame { welcome } else { nil }
        }
        var join: [UInt8] = []
        ClientFrame.join(Join(session: "nowhere", uid: "half", device: "half")).encode(into: &join)
        var outcome = HostileOutcome()
        let start = ContinuousClock.now
        try connection.socket.write(Array(join.prefix(join.count / 2)), before: .in(.seconds(5)))
        let patience = Duration.milliseconds(Int64(clamping: welcome.deadAfter)) + times.margin
        outcome.count(try Self.end(of: connection, before: start + patience))
        outcome.seconds = (ContinuousClock.now - start).inSeconds
        return outcome
    }

    private func garbage() throws -> HostileOutcome {
        var random = SplitMix64(seed: seed)
        var outcome = HostileOutcome(notes: ["seed \(seed)"])
        let start = ContinuousClock.now
        for _ in 0..<hostile.connections {
            let connection = try BareConnection(address)
            // No field has wire type 7: such a frame is never legal, whatever follows.
            let noise =
                [UInt8(random.below(32) << 3 | 7)] + (0..<random.below(2000)).map { _ in UInt8(random.below(256)) }
            try connection.socket.write(BareBytes.preface + hello + BareBytes.frame(noise), before: .in(.seconds(5)))
            outcome.count(try Self.end(of: connection, before: .in(times.margin)))
        }
        outcome.seconds = (ContinuousClock.now - start).inSeconds
        return outcome
    }

    /// Joins the busy call as an observer, then takes nothing until the relay must have given it up, then looks.
    private func deaf() throws -> HostileOutcome {
        var join = Join(session: ByteString(session), uid: "deaf", device: "deaf")
        join.mode = .observer
        let attendance = try BareAttendance(address, join, receiveBuffer: 4096)
        var outcome = HostileOutcome()
        let start = ContinuousClock.now
        // The call needs a moment to fill what the kernel keeps; only then the relay's time begins.
        let patience = start + times.stall + times.margin
        while .now < patience, !attendance.connection.socket.isHungUp {
            attendance.connection.socket.pause(.milliseconds(50))
            // It is not silent, which would be another fault: it answers pings that it can't have read.
            let pong = ClientFrame.pong(Pong(position: attendance.copy.position, time: 0))
            do { try attendance.connection.send(pong, before: .in(.seconds(1))) } catch { break }
        }
        let gaveUp = (ContinuousClock.now - start).inSeconds
        attendance.connection.answersPings = false
        // What was in the kernel's buffers still comes; behind it the connection must be over.
        outcome.count(try Self.end(of: attendance.connection, before: .in(.seconds(5))))
        outcome.seconds = gaveUp
        return outcome
    }

    /// Reads to the end of a connection and says how it was.
    static func end(of connection: BareConnection, before deadline: ContinuousClock.Instant) throws -> String {
        while true {
            switch try connection.next(before: deadline) {
            case .frame(let received):
                if case .closed(let refusal) = received.frame { return HostileOutcome.closed(refusal.code) }
                // A living connection sends for ever; the deadline counts while bytes come, too.
                if .now >= deadline { return HostileOutcome.alive }
            case .timeout: return HostileOutcome.alive
            case .ended(let how): return "\(HostileOutcome.ended) (\(how))"
            }
        }
    }
}

extension HostileOutcome {
    /// Notes one end.
    mutating func count(_ end: String) { ends[end, default: 0] += 1 }
}

extension Duration {
    /// As a number of seconds.
    var inSeconds: Double { self / .seconds(1) }
}
