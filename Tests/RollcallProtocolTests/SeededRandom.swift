import Foundation
import Randomness

/// Random values of the protocol that a seed repeats.
///
/// The seed is printed and can be given as ROLLCALL_SEED.
struct SeededRandom: RandomNumberGenerator {
    private var numbers: SplitMix64

    init(seed: UInt64) {
        numbers = SplitMix64(seed: seed)
    }

    mutating func next() -> UInt64 { numbers.next() }

    /// True in one of `count` cases.
    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// A number below `limit`, often one at an edge.
    mutating func number(through limit: UInt64 = .max) -> UInt64 {
        let edges: [UInt64] = [0, 1, 127, 128, 16383, 16384, 1 << 32, (1 << 53) - 1, .max]
        let value = oneIn(2) ? edges.randomElement(using: &self)! : next() >> UInt64.random(in: 0...63, using: &self)
        return limit == .max ? value : value % (limit + 1)
    }

    /// A number of 32 bits.
    mutating func number32() -> UInt32 { UInt32(number(through: UInt64(UInt32.max))) }

    /// The number of an enumeration's value, known or not.
    mutating func enumeration() -> UInt32 { [0, 1, 2, 3, 4, 5, 1000, UInt32(Int32.max)].randomElement(using: &self)! }

    /// Any bytes.
    mutating func bytes(_ count: ClosedRange<Int>) -> [UInt8] {
        let count = oneIn(3) ? count.lowerBound : Int.random(in: count, using: &self)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }

    /// Text of as many bytes as `count` says.
    mutating func text(_ count: ClosedRange<Int>) -> String {
        let letters = ["a", "Z", " ", "\u{0}", "\"", "\u{e9}", "e\u{301}", "\u{5d0}", "\u{65e5}", "\u{1f44b}"]
        var left = oneIn(3) ? count.upperBound : Int.random(in: count, using: &self)
        var text = ""
        while left > 0 {
            let letter = letters.randomElement(using: &self)!
            let fits = letter.utf8.count <= left
            text += fits ? letter : "x"
            left -= fits ? letter.utf8.count : 1
        }
        return text
    }

    /// The seed of this run.
    static let seed: UInt64 = {
        let given = ProcessInfo.processInfo.environment["ROLLCALL_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0..<1 << 32)
        print("RollcallProtocolTests: ROLLCALL_SEED=\(seed)")
        return seed
    }()
}
