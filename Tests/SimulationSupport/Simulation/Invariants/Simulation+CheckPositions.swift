import CallState
import RollcallProtocol

extension Simulation {
    /// A copy goes on from where it is.
    ///
    /// Observers are shown a call that has not begun when the one before was freed, or lost with its relay.
    mutating func checkMonotone(from old: Position, to new: Position, of owner: Who) {
        if new == .zero, isObserver(owner) { return }
        if new < old { fail(.positionsNeverGoBack, "\(name(of: owner)) went from \(old) to \(new)") }
    }

    /// A position that was never issued is not answered by a difference.
    mutating func checkPosition(offeredBy join: Join, _ joined: Joined) {
        guard joined.follows != .snapshot, let resume = join.resume, resume.position != .zero,
            let session = number(of: join.session)
        else { return }
        guard let digest = truth.digest(session, resume.position) else {
            if watches[session].had(resume.position), resume.position.seq > 0 { return }
            return fail(
                .issuedPositionsOnly,
                "\(join.uid)/\(join.device) came with \(resume.position), which was never issued, and was not sent a snapshot"
            )
        }
        if joined.follows == .nothing, digest != resume.digest {
            fail(
                .issuedPositionsOnly,
                "\(join.uid)/\(join.device) came with a wrong digest of the head, and got nothing"
            )
        }
    }
}
