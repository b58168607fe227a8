/// An input made something happen that never may.
package struct FuzzFinding: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Keeps the first thing that went wrong, so that a program of inputs can be judged on its way without a throw in every
/// line.
struct Verdict {
    private(set) var finding: FuzzFinding?

    /// Notes `text` unless `condition` holds or something was noted before.
    mutating func require(_ condition: @autoclosure () -> Bool, _ text: @autoclosure () -> String) {
        if finding == nil, !condition() { finding = FuzzFinding(text()) }
    }

    /// Notes `text` unless something was noted before.
    mutating func fail(_ text: @autoclosure () -> String) {
        if finding == nil { finding = FuzzFinding(text()) }
    }

    /// Throws what was noted.
    func end() throws(FuzzFinding) {
        if let finding { throw finding }
    }
}
