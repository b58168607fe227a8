import CallState
import RollcallProtocol
import Testing

@testable import Rollcall

/// Addresses, errors, durations and timers.
struct ValueTests {
    @Test func `addresses are read and written in the same way`() throws {
        let texts = [
            "unix:/run/rollcall.sock", "unix:relative", "tcp:localhost:7420", "tcp:10.0.0.1:0", "tcp:[::1]:65535",
        ]
        for text in texts { #expect("\(try Address.parse(text))" == text) }
        #expect(try Address.parse("tcp:[::1]:7420") == .tcp("::1", 7_420))
    }

    @Test func `an address that can't be is refused, with the reason`() {
        let bad = [
            ("", "must start"), ("http://x", "must start"), ("unix:", "path is missing"),
            ("tcp:host", "port is missing"), ("tcp:host:70000", "port must be"), ("tcp:host:", "port must be"),
            ("tcp:host:+7420", "port must be"), ("tcp::7420", "host is missing"), ("tcp:::1:7420", "brackets"),
            ("tcp:[host]:1", "IPv6"), ("tcp:[::1]7420", "port is missing"),
            ("unix:" + String(repeating: "x", count: 104), "103 bytes"), ("unix:a\0b", "NUL"), ("tcp:a\0b:1", "NUL"),
        ]
        for (text, reason) in bad {
            #expect { try Address.parse(text) } throws: { error in
                let error = error as? RollcallError
                return error?.code == .invalidAddress && error?.message.contains(reason) == true
            }
        }
    }

    @Test func `an error is safe to show and complete to debug`() {
        let cause = SystemError(number: 2, function: "connect", text: "no such file")
        let error = RollcallError(
            code: .unreachable,
            message: "two\nlines \u{1B}[31m",
            place: "standup as ana",
            underlying: cause
        )
        #expect("\(error)" == "two\\nlines \\u{1B}[31m" || !"\(error)".unicodeScalars.contains { $0.value < 32 })
        #expect(!"\(error)".contains("standup"))
        #expect(error.debugDescription.contains("standup as ana"))
        #expect(error.debugDescription.contains("connect: no such file (errno 2)"))
        #expect(RollcallError(Refusal(code: .limit, text: ""), place: "").message.contains("4009"))
        #expect(RollcallError(Ack(op: 1, code: .full, position: .zero), place: "").message.contains("5008"))
    }

    @Test func `durations become milliseconds within what the wire carries`() {
        #expect(Duration.seconds(2).milliseconds == 2_000)
        #expect(Duration.milliseconds(1_500).milliseconds == 1_500)
        #expect(Duration.seconds(-1).milliseconds == 0)
        #expect(Duration.nanoseconds(-1).milliseconds == 0)
        #expect(Duration(secondsComponent: .max, attosecondsComponent: 0).milliseconds > 1 << 52)
        #expect(Duration(milliseconds: .max) == .milliseconds(Int64.max))
    }

    @Test func `timers fire in order, once, and not before their latest deadline`() {
        var queue = TimerQueue()
        var actions: [@Sendable () -> Void] = []
        for id in 1...5 as ClosedRange<UInt64> {
            queue.add(id) {}
            queue.set(id, to: 100 - id * 10)
        }
        #expect(queue.next == 50 && queue.armed == 5)
        queue.set(5, to: 200)
        queue.takeDue(at: 60, into: &actions)
        #expect(actions.count == 1)
        #expect(queue.armed == 4)
        queue.set(3, to: nil)
        queue.remove(2)
        queue.takeDue(at: 150, into: &actions)
        #expect(actions.count == 2)
        queue.takeDue(at: 200, into: &actions)
        #expect(actions.count == 3)
        #expect(queue.next == nil && queue.armed == 0)
        queue.set(99, to: 5)
        #expect(queue.next == nil)
        queue.set(1, to: 300)
        queue.set(1, to: 250)
        #expect(queue.next == 250)
        queue.takeDue(at: 300, into: &actions)
        #expect(actions.count == 4)
    }
}

extension SocketTests {
    /// The thread that does the waiting.
    struct ReactorTests {
        @Test func `the reactor works over poll as well as over the system's own`() async throws {
            let reactor = SocketReactor(makePoller: { PollPoller() })
            let listener = try TestListener.unix()
            defer { listener.close() }
            let stream = SocketStream(listener.address, reactor: reactor)
            let probe = StreamProbe()
            stream.connect(timeout: 5_000, handler: probe)
            let peer = try #require(await onThread { listener.accept() })
            stream.send(FrameSplitter.preface)
            peer.send(bytes: [1, 2, 3])
            await probe.waitForBytes(3)
            stream.setReading(false)
            stream.setReading(true)
            peer.close()
            await probe.waitForLoss()
            #expect(await probe.isConnected)
            while reactor.isRunning { await Task.yield() }
        }

        @Test func `without a poller nothing connects and nothing hangs`() async {
            let reactor = SocketReactor(makePoller: { nil })
            #expect(reactor.add(0, NoSource(), .reading) == nil)
            #expect(!reactor.isRunning)
            let probe = StreamProbe()
            let stream = SocketStream(.unix("/nowhere/rollcall.sock"), reactor: reactor)
            stream.connect(timeout: 1_000, handler: probe)
            await probe.waitForLoss(afterConnecting: false)
        }
    }
}

private final class NoSource: ReactorSource {
    func ready(_ readiness: Readiness, buffer: UnsafeMutableRawBufferPointer) {}
}

/// Watches a stream for a test.
private actor StreamProbe: TransportHandler {
    var isConnected = false
    private var bytes = 0
    private var isLost = false

    private func connected() { isConnected = true }
    private func received(_ count: Int) { bytes += count }
    private func lost() { isLost = true }

    func waitForBytes(_ count: Int) async { while bytes < count { await Task.yield() } }
    func waitForLoss(afterConnecting: Bool = true) async {
        while !isLost || isConnected != afterConnecting { await Task.yield() }
    }

    nonisolated func transportConnected(_ transport: any Transport) { Task { await self.connected() } }
    nonisolated func transport(_ transport: any Transport, received bytes: Span<UInt8>) {
        let count = bytes.count
        Task { await self.received(count) }
    }
    nonisolated func transport(_ transport: any Transport, lost cause: RollcallError) { Task { await self.lost() } }
}
