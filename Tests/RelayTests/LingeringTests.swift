import RelayCore
import Testing

@testable import Relay

@Suite struct LingeringTests {
    private func id(_ number: Int) -> ConnectionID { ConnectionID(index: UInt32(number), generation: 1) }

    @Test func theyAreDueInTheOrderOfTheirGoodbyes() {
        var lingering = Lingering()
        #expect(lingering.nextDeadline == nil)
        lingering.append(id(1), until: 10)
        lingering.append(id(2), until: 10)
        lingering.append(id(3), until: 12)
        #expect(lingering.nextDeadline == 10)
        #expect(lingering.popFirst(dueAt: 9) == nil)
        #expect(lingering.popFirst(dueAt: 11) == id(1))
        #expect(lingering.popFirst(dueAt: 11) == id(2))
        #expect(lingering.popFirst(dueAt: 11) == nil)
        #expect(lingering.nextDeadline == 12)
        #expect(lingering.popFirst(dueAt: 12) == id(3))
        #expect(lingering.nextDeadline == nil)
    }

    @Test func thoseThatAreGoneWakeNobody() {
        var lingering = Lingering()
        for number in 0..<10 { lingering.append(id(number), until: UInt64(number)) }
        lingering.dropFirst { $0.index < 4 || $0.index == 7 }
        #expect(lingering.nextDeadline == 4)
        lingering.dropFirst { _ in true }
        #expect(lingering.nextDeadline == nil)
        #expect(lingering.placeCount == 0)
    }

    @Test func underAnEndlessStreamOfGoodbyesTheListStaysShort() {
        var lingering = Lingering()
        var longest = 0
        for moment in 0..<UInt64(100_000) {
            lingering.append(id(Int(moment)), until: moment + 50)
            while lingering.popFirst(dueAt: moment) != nil {}
            longest = max(longest, lingering.placeCount)
        }
        #expect(longest <= 256)
        #expect(lingering.nextDeadline == 100_000)
    }
}
