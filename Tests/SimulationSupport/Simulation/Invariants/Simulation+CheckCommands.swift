import CallState
import RelayCore
import Rollcall
import RollcallProtocol

extension Simulation {
    /// The stamp of a seat's last command, as the relay's state has it.
    func shownStamp(of seat: Int) -> UInt64? {
        let plan = seats[seat].plan
        let key = seats[seat].stampKey
        return relay.withState(of: plan.session) { state -> UInt64? in
            state.personSlot(uid: plan.uid).flatMap { state.entry(PersonField.attributes, key: key, of: $0) }
                .flatMap { Stamp.number(of: $0) }
        } ?? nil
    }

    /// The relay has had a command: it is done once.
    mutating func checkStamp(_ stamp: Stamp, of seat: Int, before: UInt64?) {
        seats[seat].asked[CommandToken(stamp.number)]?.isSent = true
        guard isRelayUp else { return }
        let uid = seats[seat].plan.uid
        let isThere = relay.withState(of: seats[seat].plan.session) { $0.personSlot(uid: uid) != nil }
        if isThere != true {
            // It took its sender out, or the answer did: what it left went along.
            seats[seat].applied[stamp.number] = Seat.Applied(
                position: .zero,
                meeting: .empty,
                person: 0,
                mayBeLost: true
            )
            return
        }
        guard shownStamp(of: seat) == stamp.number, before != stamp.number else { return }
        let isDoubtful = stamp.number <= seats[seat].lastBeforeRewind
        let applied = relay.withState(of: seats[seat].plan.session) { state in
            Seat.Applied(
                position: state.position,
                meeting: state.text(CallField.meetingID, of: .call),
                person: state.personSlot(uid: uid) ?? 0,
                mayBeLost: isDoubtful
            )
        }
        guard let applied else { return }
        if let known = seats[seat].applied[stamp.number], !known.mayBeLost {
            return fail(
                .commandsApplyOnce,
                "command \(stamp.number) of \(name(seat)) was applied at \(known.position) and at \(applied.position)"
            )
        }
        seats[seat].applied[stamp.number] = applied
    }

    /// A command is answered: what is acknowledged is in the copy, what is refused did not happen.
    mutating func finished(_ token: CommandToken, _ result: Result<Position, RollcallError>, _ seat: Int) {
        guard let asked = seats[seat].asked.removeValue(forKey: token), !asked.isRewound, !seats[seat].isTwin,
            !seats[seat].isShared
        else { return }
        switch result {
        case .success(let position):
            checkAcknowledgementIsKept(position, seat)
            checkAcknowledged(asked, at: position, seat)
        case .failure(let error):
            let refused = (5_000..<6_000).contains(error.code.rawValue)
            guard refused, error.code != .tooOld, error.code != .expired else { return }
            if let known = seats[seat].applied[asked.stamp], !known.mayBeLost {
                fail(
                    .commandsApplyOnce,
                    "command \(asked.stamp) of \(name(seat)) was applied at \(known.position) and refused: \(error.message)"
                )
            }
        }
    }

    private mutating func checkAcknowledged(_ asked: Seat.Asked, at position: Position, _ seat: Int) {
        guard asked.isSent, let state = seats[seat].core?.confirmed else { return }
        if state.position < position {
            return fail(.acknowledgedIsKept, "\(name(seat)) was told of \(position) while it was at \(state.position)")
        }
        guard let applied = seats[seat].applied[asked.stamp] else {
            return fail(.acknowledgedIsKept, "command \(asked.stamp) of \(name(seat)) is acknowledged and was not done")
        }
        // Who left, or whose meeting ended, takes along what was said; and `async` promises nothing through a crash.
        guard !applied.mayBeLost, state.text(CallField.meetingID, of: .call) == applied.meeting,
            state.personSlot(uid: seats[seat].plan.uid) == applied.person
        else { return }
        let shown = state.entry(PersonField.attributes, key: seats[seat].stampKey, of: applied.person)
            .flatMap { Stamp.number(of: $0) }
        if shown ?? 0 < asked.stamp {
            fail(
                .acknowledgedIsKept,
                "command \(asked.stamp) of \(name(seat)), done at \(applied.position), is not there at \(state.position): "
                    + "the last one is \(shown ?? 0)"
            )
        }
    }
}
