import Testing

@testable import RelayCore

@Suite("Rates")
struct RateUnitTests {
    @Test("A bucket gives its burst at once, then as much as comes in, and tells when there is enough")
    func bucket() {
        let rate = Rate(perSecond: 10, burst: 3)
        var bucket = TokenBucket()
        for _ in 0..<3 { #expect(bucket.take(1, of: rate, at: 1_000) == nil) }
        #expect(bucket.take(1, of: rate, at: 1_000) == 100)
        #expect(bucket.take(1, of: rate, at: 1_099) == 1)
        #expect(bucket.take(1, of: rate, at: 1_100) == nil)
        #expect(bucket.take(1, of: rate, at: 1_150) == 50)
        // An earlier time is none.
        #expect(bucket.take(1, of: rate, at: 500) == 50)
        #expect(bucket.take(2, of: rate, at: 1_200) == 100)
        // A rest fills it, and no more than that.
        for _ in 0..<3 { #expect(bucket.take(1, of: rate, at: 100_000) == nil) }
        #expect(bucket.take(1, of: rate, at: 100_000) == 100)
    }

    @Test("What is charged and not there is owed; more than the burst is there when the bucket is full")
    func debt() {
        let rate = Rate(perSecond: 1_000, burst: 10)
        var bucket = TokenBucket()
        bucket.charge(15, of: rate, at: 0)
        #expect(bucket.wait(for: 0, of: rate, at: 0) == 5)
        #expect(bucket.wait(for: 1, of: rate, at: 0) == 6)
        #expect(bucket.wait(for: 99, of: rate, at: 0) == 15)
        #expect(bucket.take(99, of: rate, at: 15) == nil)
        #expect(bucket.wait(for: 0, of: rate, at: 15) == 89)
    }

    @Test("Extreme rates and times are no trap")
    func extremes() {
        var bucket = TokenBucket()
        let fast = Rate(perSecond: .max, burst: .max)
        #expect(fast == Rate(perSecond: Rate.maximum, burst: Rate.maximum))
        bucket.charge(.max, of: fast, at: .max)
        #expect(bucket.wait(for: .max, of: fast, at: .max) == 1_000)
        let none = Rate(perSecond: -1, burst: -1)
        #expect(none == .unlimited)
        #expect(bucket.take(.max, of: none, at: 0) == nil)
        var slow = TokenBucket()
        for round in 0..<1_000 { slow.charge(Rate.maximum, of: Rate(perSecond: 1, burst: 1), at: UInt64(round)) }
        #expect(slow.wait(for: 1, of: Rate(perSecond: 1, burst: 1), at: .max) == 0)
    }

    @Test("Over any time no more is taken than the burst and what came in", arguments: [1, 7, 250, 1_000, 3_333])
    func bound(perSecond: Int) {
        let rate = Rate(perSecond: perSecond, burst: 20)
        var bucket = TokenBucket()
        var taken = 0
        for now in 0..<10_000 as Range<UInt64> {
            while bucket.take(1, of: rate, at: now) == nil { taken += 1 }
            #expect(taken <= 20 + perSecond * Int(now) / 1_000)
        }
        #expect(taken >= 20 + perSecond * 9_999 / 1_000 - 1)
    }

    @Test("R-125: joins that are too many are called back one behind the other, and those who resume come first")
    func gate() {
        let rate = Rate(perSecond: 100, burst: 40)
        var gate = JoinGate()
        var admitted = 0
        while gate.admit(isResume: false, at: rate, now: 0) == nil { admitted += 1 }
        #expect(admitted == 20)
        var resumed = 0
        while gate.admit(isResume: true, at: rate, now: 0) == nil { resumed += 1 }
        #expect(resumed == 20)
        // Two were sent away so far.
        let waits = (0..<100).map { _ in gate.admit(isResume: false, at: rate, now: 0) ?? 0 }
        #expect(waits == (0..<100).map { 530 + 10 * UInt64($0) })
        // Later the times that were given away have come.
        #expect(gate.admit(isResume: true, at: rate, now: 10_000) == nil)
        #expect(gate.admit(isResume: true, at: .unlimited, now: 10_000) == nil)
        #expect(gate.admit(isResume: true, at: rate, now: .max) == nil)
    }
}
