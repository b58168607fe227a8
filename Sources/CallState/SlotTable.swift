/// Where the record of each slot is: a hash table of small numbers, without the price of a general dictionary.
///
/// A slot is looked up at every access of a record, so this is the most read memory of a call. At most half of the
/// places are taken and each process spreads slots in its own way, so that a lookup needs one or two probes, also where
/// a peer chooses the slots. Nothing goes through the table in its own order, which no two processes share.
struct SlotTable {
    /// What slots are multiplied with: odd, so that nothing is lost, and not to be guessed by a peer.
    ///
    /// From the seed of the process, with which the standard library guards its own tables.
    private static let secret = UInt64(truncatingIfNeeded: "slots".hashValue) | 1

    /// A slot in the upper half and an index in the lower; no slot has the index -1, which makes this the free place.
    private static let free = UInt64(UInt32.max)

    /// A power of two; at most half of the places are taken.
    private var places: ContiguousArray<UInt64> = []
    private var shift: UInt32 = 64
    /// ``secret``, here because a lookup should not have to ask whether a static value is there yet.
    private let multiplier = Self.secret
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
        // One multiplication leaves equal strides equal, and some multipliers put them on few places: fold and do it
        // again.
        let product = UInt64(slot) &* multiplier
        return Int(((product ^ (product >> 32)) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(shift))
    }

    /// The most places that a search for a slot that is there looks at; 0 without one.
    ///
    /// O(places).
    var longestProbe: Int {
        places.indices.reduce(0) { longest, place in
            if places[place] == Self.free { return longest }
            let wanted = home(UInt32(truncatingIfNeeded: places[place] >> 32))
            return max(longest, ((place - wanted) & (places.count - 1)) + 1)
        }
    }

    /// The place that a slot has, or would get; there must be a free one.
    private func search(_ slot: Slot) -> Int {
        var place = home(slot)
        while places[place] != Self.free, UInt32(truncatingIfNeeded: places[place] >> 32) != slot {
            place = (place + 1) & (places.count - 1)
        }
        return place
    }

    private mutating func set(_ slot: Slot, _ index: Int32) {
        if count * 2 >= places.count { grow() }
        let place = search(slot)
        if places[place] == Self.free { count += 1 }
        places[place] = UInt64(slot) << 32 | UInt64(UInt32(bitPattern: index))
    }

    private mutating func remove(_ slot: Slot) {
        if places.isEmpty { return }
        var place = search(slot)
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
