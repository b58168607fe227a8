/// Where the record of each slot is: a hash table of small numbers, without the price of a general dictionary.
///
/// A slot is looked up at every access of a record, so this is the most read memory of a call. Slots are given in order,
/// so that most lookups need one probe.
struct SlotTable {
    /// A slot in the upper half and an index in the lower; no slot has the index -1, which makes this the free place.
    private static let free = UInt64(UInt32.max)

    /// A power of two; at most half of the places are taken.
    private var places: ContiguousArray<UInt64> = []
    private var shift: UInt32 = 64
    /// The number of slots.
    private(set) var count = 0

    /// The index of the record in `slot`; nil without one.
    ///
    /// O(1).
    subscript(slot: Slot) -> Int32? {
        get {
            if places.isEmpty { return nil }
            var place = home(slot)
            while true {
                let entry = places[place]
                if entry == Self.free { return nil }
                if UInt32(truncatingIfNeeded: entry >> 32) == slot { return Int32(truncatingIfNeeded: entry) }
                place = (place + 1) & (places.count - 1)
            }
        }
        set {
            if let newValue { set(slot, newValue) } else { remove(slot) }
        }
    }

    /// Where the search for a slot begins.
    private func home(_ slot: Slot) -> Int {
        // Fibonacci hashing: neighbours in number are apart, and a stride of a power of two does no harm.
        Int((UInt64(slot) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(shift))
    }

    private mutating func set(_ slot: Slot, _ index: Int32) {
        if count * 2 >= places.count { grow() }
        var place = home(slot)
        while places[place] != Self.free, UInt32(truncatingIfNeeded: places[place] >> 32) != slot {
            place = (place + 1) & (places.count - 1)
        }
        if places[place] == Self.free { count += 1 }
        places[place] = UInt64(slot) << 32 | UInt64(UInt32(bitPattern: index))
    }

    private mutating func remove(_ slot: Slot) {
        if places.isEmpty { return }
        var place = home(slot)
        while places[place] != Self.free, UInt32(truncatingIfNeeded: places[place] >> 32) != slot {
            place = (place + 1) & (places.count - 1)
        }
        if places[place] == Self.free { return }
        count -= 1
        // What comes after and was pushed on by it moves back, so that no search ends too early.
        var gap = place
        while true {
            place = (place + 1) & (places.count - 1)
            let entry = places[place]
            if entry == Self.free { break }
            let wanted = home(UInt32(truncatingIfNeeded: entry >> 32))
            if (place - wanted) & (places.count - 1) >= (place - gap) & (places.count - 1) {
                places[gap] = entry
                gap = place
            }
        }
        places[gap] = Self.free
    }

    private mutating func grow() {
        let old = places
        let size = max(8, old.count * 2)
        places = ContiguousArray(repeating: Self.free, count: size)
        shift = UInt32(64 - size.trailingZeroBitCount)
        count = 0
        for entry in old where entry != Self.free {
            set(UInt32(truncatingIfNeeded: entry >> 32), Int32(truncatingIfNeeded: entry))
        }
    }
}
