import RelayCore
import Rollcall

// How time passes.

extension Simulation {
    /// Time passes; whoever is due is told.
    mutating func pass(_ milliseconds: UInt64) {
        clock += milliseconds
        trace.mix(clock)
        if trace.isRecorded { trace.note("  now \(clock)") }
        if isRelayUp {
            let now = relayNow.monotonic
            if let due = relay.nextDeadline, due <= now {
                // The rules take a turn that comes so late for one in which the relay did not run.
                if now - due >= 500 {
                    standstill += clock - relayRanAt
                    mark(.relayStandstill)
                }
                relayTurn { $0.apply(.tick) }
            }
        } else if clock >= restartAt {
            startRelay()
        }
        for seat in seats.indices {
            guard let due = seats[seat].core?.nextDeadline, due <= seats[seat].time(at: clock) else { continue }
            tick(seat)
        }
    }

    /// How long it is until somebody is due.
    func untilNextDeadline(atMost longest: UInt64) -> UInt64 {
        var wait = longest
        if isRelayUp, let due = relay.nextDeadline {
            let now = relayNow.monotonic
            wait = min(wait, due > now ? due - now : 1)
        }
        for seat in seats {
            guard let due = seat.core?.nextDeadline else { continue }
            let now = seat.time(at: clock)
            wait = min(wait, due > now ? due - now : 1)
        }
        for link in active {
            for held in [links[link].heldUp, links[link].heldDown] where held > clock {
                wait = min(wait, held - clock)
            }
        }
        return wait
    }

    /// So long that whoever is not heard meanwhile is given up.
    mutating func waitLong() {
        let longest = settings.relay.deadAfter + settings.relay.grace
        if draw.oneIn(3) { return pass(1 + draw.below(longest)) }
        // Step by step, as it is when everybody runs but the network does not.
        let end = clock + 1 + draw.below(longest)
        while clock < end, violation == nil {
            pass(min(untilNextDeadline(atMost: 4_000), end - clock))
            if draw.oneIn(2) { deliverSomethingToRelay() }
            if draw.oneIn(2) { deliverSomethingToClient() }
        }
    }

    /// Somebody sets the wall clock; nothing that is promised depends on it.
    mutating func setClock() {
        let change = 1 + draw.below(100_000 as UInt64)
        if draw.oneIn(2) {
            wallOffset += change
            mark(.clockForward)
        } else {
            wallOffset -= change
            mark(.clockBack)
        }
    }
}
