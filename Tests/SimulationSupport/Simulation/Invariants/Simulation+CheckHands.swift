import CallState
import RelayCore

extension Simulation {
    /// A hand that stays up keeps its place: the version at which it went up.
    mutating func checkHands(_ watch: Int) {
        let hands = relay.withState(of: watches[watch].session) { state -> [(person: Slot, version: UInt64)] in
            var hands: [(person: Slot, version: UInt64)] = []
            for person in state.personSlots {
                guard case .bytes(let bytes)? = state.value(PersonField.hand, of: person),
                    let hand = Hand(encoded: bytes)
                else { continue }
                hands.append((person, hand.version))
            }
            return hands
        }
        let old = watches[watch].hands
        watches[watch].hands = hands ?? []
        guard let hands, !old.isEmpty else { return }
        let kept = old.filter { known in hands.contains { $0.person == known.person } }
        for known in kept {
            guard let new = hands.first(where: { $0.person == known.person }), new.version < known.version else {
                continue
            }
            return fail(.handOrder, "the hand of \(known.person) went back from \(known.version) to \(new.version)")
        }
        let order = kept.sorted { $0.version < $1.version }.map(\.person)
        // Who lowered it and raised it again in one turn has a new place, behind all others.
        let same = hands.filter { hand in kept.contains { $0.person == hand.person && $0.version == hand.version } }
        let after = same.sorted { $0.version < $1.version }.map(\.person)
        if order.filter({ after.contains($0) }) != after { fail(.handOrder, "the queue was \(order) and is \(after)") }
    }
}
