import CallState
import RelayCore

// What is looked at whenever the relay has done something.

extension Simulation {
    /// After each input: the state at its new position is the truth about that position.
    mutating func truthfully() {
        for watch in watches.indices {
            let known = watches[watch].position
            let seen = relay.withState(of: watches[watch].session) { state in
                (position: state.position, digest: state.position == known ? 0 : state.digest)
            }
            guard let seen else {
                watches[watch].callIsGone()
                continue
            }
            guard seen.position != known else { continue }
            watches[watch].position = seen.position
            checkTruth(watch, seen.position, seen.digest, after: known)
        }
    }

    /// After each turn.
    mutating func checkAfterTurn() {
        for watch in watches.indices {
            if watches[watch].position != watches[watch].judged {
                watches[watch].judged = watches[watch].position
                watchLosses(watch)
                checkHands(watch)
                checkAttachments(watch)
                noteState(watch)
            }
            checkGhosts(watch)
            noteTick(watch)
        }
        checkMemory()
        checkSilence()
    }

    /// Counts ticks that gather something, and their ends.
    private mutating func noteTick(_ watch: Int) {
        let gathers = relay.hasGathered(watches[watch].session)
        guard gathers != watches[watch].gathers else { return }
        watches[watch].gathers = gathers
        mark(gathers ? .gathered : .gatheredTold)
    }

    /// Counts what only the state shows.
    private mutating func noteState(_ watch: Int) {
        let seen = relay.withState(of: watches[watch].session) { state in
            (floor: state.floor, dominant: state.number(CallField.dominantSpeaker, of: .call) != nil)
        }
        guard let seen else { return }
        if seen.floor > watches[watch].tombstoneFloor {
            watches[watch].tombstoneFloor = seen.floor
            mark(.tombstonesDropped)
        }
        if seen.dominant { mark(.dominantSpeakerElected) }
        if !watches[watch].hands.isEmpty { mark(.handRaised) }
    }
}
