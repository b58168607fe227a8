/// What one step draws from: a number, stretched.
///
/// Faster than the standard library's ranges, which a simulation asks millions of times.
struct Draw: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    /// A number from 0 up to `bound`, not counting it; `bound` is 1 or more.
    mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: ((next() >> 33) &* UInt64(bound)) >> 31) }

    /// A number from 0 up to `bound`, not counting it.
    mutating func below(_ bound: UInt64) -> UInt64 { bound == 0 ? 0 : next() % bound }

    /// True once in `count` times.
    mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

    /// True in so many of a hundred times.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// One of some, each as likely.
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}
