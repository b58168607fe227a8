import CallState

extension Simulation {
    /// The relay itself has one state at each position, and its positions rise.
    mutating func checkTruth(_ session: Int, _ position: Position, _ digest: UInt64, after last: Position) {
        // A call that was freed begins anew.
        if position == .zero { return }
        watches[session].note(position, after: last)
        if position < last {
            fail(.positionsNeverGoBack, "the relay went from \(last) to \(position) in \(watches[session].session)")
        }
        if let known = truth.note(session, position, digest) {
            fail(.samePositionSameDigest, "the relay had \(known) at \(position), and now has \(digest)")
        }
    }

    /// A copy is what the relay was at its position.
    mutating func checkCopy(_ session: Int, _ state: CallState, of owner: Who) {
        if state.position == .zero { return }
        guard let digest = truth.digest(session, state.position) else {
            // Between two commits of one turn, where only who is sent away is shown anything.
            _ = truth.note(session, state.position, state.digest)
            return
        }
        if digest != state.digest {
            fail(
                .samePositionSameDigest,
                "\(name(of: owner)) has \(state.digest) at \(state.position), where the relay had \(digest)"
            )
        }
    }
}
