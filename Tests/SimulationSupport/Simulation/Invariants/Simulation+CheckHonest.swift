import CallState
import Rollcall
import RollcallProtocol

extension Simulation {
    /// An honest client's frames are legal.
    mutating func checkHonestFrames(of link: Int, _ failure: WireError) {
        if case .attacker = links[link].owner { return mark(.malformedSent) }
        fail(.honestClientsNeverResync, "\(links[link].owner) sent what the relay can't read: \(failure)")
    }

    /// Nobody whose network lost nothing asks for a snapshot, but out of a whim; and nobody asks for one again while
    /// the first is on its way.
    mutating func checkResync(_ resync: Resync, of link: Int) {
        guard case .seat(let seat) = links[link].owner, resync.reason != .unspecified else { return }
        links[link].resyncs += 1
        if links[link].resyncs > 1 + links[link].snapshotsAfterJoin {
            let text = "\(name(seat)) asked again at \(resync.position), and no snapshot has begun since it asked"
            return fail(.resyncAsksOnce, text)
        }
        if links[link].hasLost { return }
        fail(
            .honestClientsNeverResync,
            "\(name(seat)) asked for a snapshot at \(resync.position), reason \(resync.reason.rawValue)"
        )
    }

    /// Nobody honest is told to have broken the protocol, nor sees it broken.
    mutating func checkCause(_ cause: RollcallError, _ seat: Int) {
        let bad: [UInt32] = [
            RollcallError.Code.protocolViolation.rawValue, Code.badFrame.rawValue, Code.badPreface.rawValue,
            Code.outOfOrder.rawValue, Code.badRequest.rawValue, Code.unsupported.rawValue,
        ]
        guard bad.contains(cause.code.rawValue), !seats[seat].hasLost else { return }
        fail(.honestClientsNeverResync, "\(name(seat)) was sent away: \(cause.code.rawValue) \(cause.message)")
    }

    /// After everything that a client does: its copy is a state that the relay had, and a later one than before.
    mutating func checkSeat(_ seat: Int) {
        guard let state = seats[seat].core?.confirmed, let session = number(of: seats[seat].plan.session) else {
            return
        }
        if state.position == seats[seat].reached, state.digest == seats[seat].reachedDigest { return }
        checkMonotone(from: seats[seat].reached, to: state.position, of: .seat(seat))
        checkCopy(session, state, of: .seat(seat))
        checkShown(session, state.position, to: .seat(seat))
        seats[seat].reached = state.position
        seats[seat].reachedDigest = state.digest
        if trace.isRecorded { trace.note("  \(name(seat)) is at \(state.position)") }
    }
}
