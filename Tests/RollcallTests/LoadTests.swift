import CallState
import RollcallProtocol
import Testing

@testable import Rollcall

/// What a client does when the relay, or its own line, has too much to do.
struct LoadTests {
    var call = ScriptedCall()
    var client = CoreHarness()

    init() {
        client.join(call)
    }

    private var lags: [Bool] {
        client.effects.compactMap { if case .lagging(let isLagging) = $0 { isLagging } else { nil } }
    }

    @Test mutating func `R-126 the app hears once that it is behind and once that it has caught up`() {
        let behind = ServerFrame.notice(code: .lagging, text: "behind")
        let caughtUp = ServerFrame.notice(code: .caughtUp, text: "caught up")
        client.receive(caughtUp)
        #expect(lags.isEmpty && !client.core.isLagging)
        client.receive(behind, behind)
        #expect(lags == [true] && client.core.isLagging)
        client.receive(.notice(code: Code(rawValue: 1_999), text: "something new"))
        #expect(client.core.isLagging && client.isLive)
        client.receive(caughtUp, caughtUp)
        #expect(lags == [true, false] && !client.core.isLagging)
    }

    @Test mutating func `R-126 a new connection is not behind`() {
        client.receive(.notice(code: .lagging, text: "behind"))
        client.lose()
        #expect(!client.core.isLagging)
        client.reconnect()
        // Out of order, before the Join is accepted: about nothing.
        client.receive(ScriptedCall.welcome, .notice(code: .lagging, text: "behind"))
        #expect(!client.core.isLagging)
        client.receive(call.joined(.resumed, follows: .nothing))
        #expect(client.isLive && !client.core.isLagging)
    }

    @Test func `R-98 R-125 a thousand clients that lost one relay come back spread over the whole time`() {
        let advice = Refusal(code: .overload, text: "too many", advice: .after, after: 2_000)
        for (cause, range) in [(nil, 250...500), (advice, 2_250...2_500)] as [(Refusal?, ClosedRange<UInt64>)] {
            var waits: [UInt64] = []
            for seed in 1...1_000 as ClosedRange<UInt64> {
                var client = CoreHarness(seed: seed)
                client.join(call)
                if let cause { client.receive(.closed(cause)) } else { client.lose() }
                waits.append((client.core.nextDeadline ?? 0) - client.now)
            }
            #expect(waits.allSatisfy(range.contains))
            // Ten even parts of the time: each has about a tenth of them.
            for part in 0..<10 as Range<UInt64> {
                let begin = range.lowerBound + part * 25
                #expect((60...150).contains(waits.count { (begin..<begin + 25).contains($0) }), "from \(begin) ms")
            }
        }
    }

    @Test func `R-125 the first join tells the app when to come back, or does so itself`() throws {
        let busy = ServerFrame.closed(Refusal(code: .overload, text: "too many", advice: .after, after: 3_000))
        var client = CoreHarness()
        client.start()
        client.connect()
        client.receive(busy)
        let error = try #require(client.closeReason?.error)
        #expect(error.code == .overload && error.retryAfter == .seconds(3))
        var patient = CoreHarness { $0.reconnect.retriesFirstJoin = true }
        patient.start()
        patient.connect()
        patient.receive(busy)
        #expect(patient.closeReason == nil)
        #expect((3_250...3_500).contains((patient.core.nextDeadline ?? 0) - patient.now))
        patient.reconnect()
        patient.receive([ScriptedCall.welcome, call.joined()] + call.snapshot())
        #expect(patient.isLive)
    }

    @Test mutating func `R-123 a command above the rate fails with the time to wait, and its value is rolled back`() {
        let token = client.command(Setting(.handRaised(true)))
        #expect(client.core.snapshot.me?.hand != nil)
        client.receive(
            .ack(Ack(op: 1, code: .rate, position: call.state.position, text: "too many commands", after: 100))
        )
        #expect(client.failure(of: token)?.code == .rate)
        #expect(client.failure(of: token)?.retryAfter == .milliseconds(100))
        #expect(client.core.snapshot.me?.hand == nil)
        #expect(client.isLive)
    }
}
