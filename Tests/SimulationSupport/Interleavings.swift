/// Something that several parties do to a state, each in its own order, and all in any order.
package protocol Interleaved {
    /// One step of one party.
    associatedtype Action: Hashable

    /// The steps that can be done now; none is the end.
    var enabled: [Action] { get }

    /// Does one that is enabled.
    mutating func perform(_ action: Action)

    /// Whether two steps come to the same whatever their order, and neither makes the other possible or impossible.
    ///
    /// "No" is always safe: it only makes more orders differ.
    static func areIndependent(_ one: Action, _ other: Action) -> Bool
}

/// Every order of the steps of a state, each once but for orders that differ only in steps that do not meet.
///
/// A search in depth with sleep sets (Godefroid): a step that was tried first and meets nothing of what was done since
/// is not tried again.
package struct Interleavings<State: Interleaved> {
    /// What a search saw.
    package struct Count: Sendable {
        /// Orders that were followed to their end.
        package var orders = 0
        /// Steps that were done in all of them.
        package var steps = 0
    }

    private let begin: State
    private let most: Int

    /// The orders that lead on from `begin`.
    ///
    /// - Parameter most: More orders than that are an error of the test, which must have a smaller script.
    package init(from begin: State, most: Int = 20_000) {
        self.begin = begin
        self.most = most
    }

    /// There are more orders than a test can follow.
    package struct TooMany: Error, CustomStringConvertible {
        let most: Int
        package var description: String { "more than \(most) orders: the script is too long to follow all" }
    }

    /// Follows every order and shows its end.
    ///
    /// Nothing is sampled: what returns has seen all of them.
    @discardableResult
    package func forEach(_ body: (_ end: State, _ order: [State.Action]) throws -> Void) throws -> Count {
        var count = Count()
        var order: [State.Action] = []
        try follow(begin, asleep: [], &order, &count, body)
        return count
    }

    private func follow(
        _ state: State,
        asleep: Set<State.Action>,
        _ order: inout [State.Action],
        _ count: inout Count,
        _ body: (State, [State.Action]) throws -> Void
    ) throws {
        let enabled = state.enabled
        if enabled.isEmpty {
            count.orders += 1
            if count.orders > most { throw TooMany(most: most) }
            return try body(state, order)
        }
        var asleep = asleep
        for action in enabled where !asleep.contains(action) {
            var next = state
            next.perform(action)
            count.steps += 1
            order.append(action)
            let quiet = asleep.filter { State.areIndependent($0, action) }
            try follow(next, asleep: quiet, &order, &count, body)
            order.removeLast()
            asleep.insert(action)
        }
    }
}
