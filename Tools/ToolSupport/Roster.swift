package import CallState

/// A call as people read it: a pure function of the state.
package struct Roster: Hashable, Sendable {
    /// A person in the call.
    package struct Row: Hashable, Sendable {
        /// The person, as the state has it.
        package var person: Person
        /// What people call the person: the name, with the uid where that says more.
        package var label: String
        /// Facts over all devices of the person.
        package var facts: Aggregate
        /// Place in the queue of hands, from 1; nil with the hand down.
        package var handPlace: Int?
    }

    /// The session id.
    package var session: ByteString
    /// Where in the call's history this is.
    package var position: Position
    /// The digest there.
    package var digest: UInt64
    /// The call record.
    package var call: CallRecord
    /// The policy.
    package var policy: CallPolicy
    /// The people, in order of joining.
    package var rows: [Row]

    /// The roster of a state.
    package init(session: ByteString, state: CallState) {
        self.session = session
        position = state.position
        digest = state.digest
        call = state.call
        policy = state.policy
        let queue = HandQueue(state)
        rows = state.people.map { person in
            Row(
                person: person,
                label: personLabel(uid: person.uid, name: person.name),
                facts: person.aggregate,
                handPlace: queue.place(of: person)
            )
        }
    }

    /// What people call the person in `slot`; nil when nobody has it.
    package func label(of slot: Slot?) -> String? {
        rows.first { $0.person.slot == slot }?.label
    }

    /// The uid of the person in `slot`; nil when nobody has it.
    package func uid(of slot: Slot?) -> String? {
        rows.first { $0.person.slot == slot }?.person.uid.string
    }
}

/// The raised hands of a state, in order.
struct HandQueue {
    private var places: [Slot: Int] = [:]

    init(_ state: CallState) {
        for (index, person) in state.raisedHands.enumerated() { places[person.slot] = index + 1 }
    }

    func place(of person: Person) -> Int? { places[person.slot] }
}

/// What people call a person: the uid; the name first where it says more than the uid.
package func personLabel(uid: ByteString, name: ByteString) -> String {
    if name.isEmpty || name.string.lowercased() == uid.string.lowercased() { return uid.string }
    return "\(name) (\(uid))"
}

/// A place in a queue: `1st`, `2nd`, `3rd`, `11th`.
package func ordinal(_ place: Int) -> String {
    let suffix =
        switch (place % 100, place % 10) {
        case (11...13, _): "th"
        case (_, 1): "st"
        case (_, 2): "nd"
        case (_, 3): "rd"
        default: "th"
        }
    return "\(place)\(suffix)"
}
