import Randomness
import Testing

@testable import CallState

@Suite("Slot table")
struct SlotTableTests {
    @Test("holds what a dictionary holds, whatever is added and removed", arguments: 0..<20)
    func agreesWithADictionary(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var table = SlotTable()
        var dictionary: [Slot: Int32] = [:]
        // Few different slots, so that they meet; with a stride, which many hashes can't bear.
        let stride = Slot([1, 2, 64, 1 << 20][seed % 4])
        for step in 0..<4_000 {
            let slot = Slot(random.next() % 300) &* stride
            let index = Int32(step)
            if random.next() % 3 == 0 {
                table[slot] = nil
                dictionary[slot] = nil
            } else {
                table[slot] = index
                dictionary[slot] = index
            }
            #expect(table.count == dictionary.count)
            #expect(table[slot] == dictionary[slot])
        }
        for slot in (0..<300).map({ Slot($0) &* stride }) {
            #expect(table[slot] == dictionary[slot], "slot \(slot)")
        }
    }

    @Test("has every slot of a call in which people came and went in order")
    func slotsInOrder() {
        var table = SlotTable()
        for slot in Slot(0)..<10_000 {
            table[slot] = Int32(slot)
            if slot >= 100 { table[slot - 100] = nil }
        }
        #expect(table.count == 100)
        #expect((0..<9_900).allSatisfy { table[Slot($0)] == nil })
        #expect((9_900..<10_000).allSatisfy { table[Slot($0)] == Int32($0) })
    }

    @Test("an empty one has nothing, and the highest slot is like any other")
    func extremes() {
        var table = SlotTable()
        #expect(table[0] == nil)
        table[.max] = 7
        #expect(table[.max] == 7 && table[0] == nil)
        table[.max] = nil
        #expect(table[.max] == nil && table.count == 0)
    }

    @Test("slots that a peer has chosen need few probes, and slots in order too")
    func chosenSlots() {
        // Multiples of a Fibonacci number, which one multiplication by the golden ratio puts on two places.
        let chosen = (1...1_500 as ClosedRange<Slot>).map { $0 * 2_178_309 }
        let goldenRatio: UInt64 = 0x9E37_79B9_7F4A_7C15
        #expect(Set(chosen.map { (UInt64($0) &* goldenRatio) >> (64 - 12) }).count <= 2)
        for slots in [chosen, Array(1...1_500), (0..<1_500).map { $0 << 20 }] {
            var table = SlotTable()
            #expect(table.longestProbe == 0)
            for slot in slots { table[slot] = 1 }
            // Slots at random need about 15.
            #expect((1..<100).contains(table.longestProbe), "\(table.longestProbe) probes")
        }
    }
}
