/// The slot of each uid of a call: a hash table without the price of a general dictionary, since nearly every command
/// names somebody.
///
/// At most three quarters of the places are taken. Clients choose the uids: each process hashes them with a random key
/// that never leaves it, and without the key nobody can aim at one place. It is a multiplication and no SipHash;
/// whoever came to know the key could make a lookup take as long as there are people, and nothing worse. Nothing goes
/// through the table in its own order, which no two processes share.
@usableFromInline
struct UIDTable: Sendable {
    /// Of this process, from the seed with which the standard library guards its own tables.
    private static let secret = (
        UInt64(truncatingIfNeeded: "uids".hashValue) | 1, UInt64(truncatingIfNeeded: "more of uids".hashValue) | 1
    )

    private struct Entry {
        var uid: ByteString
        /// ``free`` where nobody is.
        var slot: Slot
    }

    /// No person has the slot of the call itself, which makes this the free place.
    private static let free = Slot.call

    /// A power of two.
    private var entries: ContiguousArray<Entry> = []
    private var shift: UInt64 = 64
    /// ``secret``, here because a lookup should not have to ask whether a static value is there yet.
    private let key: (UInt64, UInt64)
    /// The number of uids.
    private(set) var count = 0

    /// An empty table, whose hash has this process's key, or another one of which the first half is odd.
    init(key: (UInt64, UInt64)? = nil) {
        self.key = key ?? Self.secret
    }

    /// The slot of a uid; nil without one.
    ///
    /// O(1).
    @usableFromInline
    subscript(uid: ByteString) -> Slot? {
        get {
            if entries.isEmpty { return nil }
            let slot = entries[search(uid)].slot
            return slot == Self.free ? nil : slot
        }
        set {
            if let newValue { set(uid, newValue) } else { remove(uid) }
        }
    }

    /// The most places that a search for a uid that is there looks at; 0 without one.
    ///
    /// O(places).
    var longestProbe: Int {
        entries.indices.reduce(0) { longest, place in
            if entries[place].slot == Self.free { return longest }
            return max(longest, distance(from: home(entries[place].uid), to: place) + 1)
        }
    }

    /// Where the search for a uid begins.
    private func home(_ uid: ByteString) -> Int {
        Int(uid.keyedHash(key.0, key.1) >> shift)
    }

    /// The place that a uid has, or would get; there must be a free one.
    private func search(_ uid: ByteString) -> Int {
        var place = home(uid)
        while entries[place].slot != Self.free, entries[place].uid != uid { place = next(place) }
        return place
    }

    private func next(_ place: Int) -> Int { (place + 1) & (entries.count - 1) }

    private func distance(from home: Int, to place: Int) -> Int { (place - home) & (entries.count - 1) }

    private mutating func set(_ uid: ByteString, _ slot: Slot) {
        precondition(slot != Self.free, "the slot of a person")
        if count * 4 >= entries.count * 3 { grow() }
        let place = search(uid)
        if entries[place].slot == Self.free { count += 1 }
        entries[place] = Entry(uid: uid, slot: slot)
    }

    private mutating func remove(_ uid: ByteString) {
        if entries.isEmpty { return }
        var gap = search(uid)
        if entries[gap].slot == Self.free { return }
        count -= 1
        // What comes after and was pushed on by it moves back, so that no search ends too early.
        var place = next(gap)
        while entries[place].slot != Self.free {
            let wanted = home(entries[place].uid)
            if distance(from: wanted, to: place) >= distance(from: gap, to: place) {
                entries[gap] = entries[place]
                gap = place
            }
            place = next(place)
        }
        entries[gap] = Entry(uid: .empty, slot: Self.free)
        if count == 0 { forgetPlaces() }
    }

    /// A call that nobody is in any more may never have so many people again.
    private mutating func forgetPlaces() {
        entries = []
        shift = 64
    }

    private mutating func grow() {
        let old = entries
        let size = max(4, old.count * 2)
        entries = ContiguousArray(repeating: Entry(uid: .empty, slot: Self.free), count: size)
        shift = UInt64(64 - size.trailingZeroBitCount)
        count = 0
        for entry in old where entry.slot != Self.free { set(entry.uid, entry.slot) }
    }
}

extension ByteString {
    /// 64 bits of all bytes that nobody can aim at who does not know the key.
    @inline(__always)
    func keyedHash(_ first: UInt64, _ second: UInt64) -> UInt64 {
        switch storage {
        case .short(let one, let other): Self.fold(Self.fold(one ^ first, other ^ second), first)
        case .long(let bytes): Self.keyedHash(bytes.span, first, second)
        }
    }

    private static func keyedHash(_ bytes: Span<UInt8>, _ first: UInt64, _ second: UInt64) -> UInt64 {
        var hash = first ^ UInt64(bytes.count)
        var word: UInt64 = 0
        for index in bytes.indices {
            word = word &<< 8 | UInt64(bytes[index])
            guard index & 7 == 7 else { continue }
            hash = fold(hash ^ word, second)
            word = 0
        }
        return fold(fold(hash ^ word, second), first)
    }

    /// Both halves of a product as one.
    @inline(__always)
    private static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let product = one.multipliedFullWidth(by: other)
        return product.high ^ product.low
    }
}
