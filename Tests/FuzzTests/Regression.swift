import FuzzTargets
import Testing

/// An input that has found something, and what.
struct Regression: Sendable, CustomTestStringConvertible {
    var target: FuzzTarget
    /// What went wrong.
    var what: String
    /// The input in hexadecimal digits.
    var hex: String

    var testDescription: String { "\(target.rawValue): \(what)" }

    /// Every one so far.
    static let all: [Regression] = [
        Regression(target: .splitter, what: "a stream with a forbidden length went on", hex: "0a"),
        Regression(target: .kept, what: "a call whose next slot is the call's own", hex: "000300800003c90003c9"),
        Regression(
            target: .kept,
            what: "a field of before the first commit, which no difference has",
            hex: "0101000000000000014f7074696f6e616c00dc084101ffffff"
        ),
    ]
}
