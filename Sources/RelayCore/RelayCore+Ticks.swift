import CallState

// What a call has to say is encoded at the end of each turn; when its readers are told is another question. Whoever has
// something else to be told meanwhile gets it with that: nothing that is said to one connection waits.
extension RelayCore {
    /// Tells the readers of a call what was encoded, or lets that wait for the end of the call's tick.
    mutating func tellReaders(of call: Int) {
        guard calls[call]!.tells(by: configuration.tickRule, at: now.monotonic) else { return wakeForTick(of: call) }
        let (first, rest) = calls[call]!.readersInTurn()
        turn.told += first
        turn.told += rest
    }

    /// One deadline for all that is gathered in a tick.
    private mutating func wakeForTick(of call: Int) {
        let due = calls[call]!.tick.ends
        guard due < calls[call]!.tickWake else { return }
        calls[call]!.tickWake = due
        deadlines.set(.tick(calls[call]!.id), at: due)
    }

    /// A tick has ended, in which something was gathered: the end of this turn tells it.
    mutating func tickHasEnded(in id: CallID, at instant: UInt64) {
        guard let call = index(of: id), calls[call]!.tickWake == instant else { return }
        calls[call]!.tickWake = .max
        if calls[call]!.hasGathered { listChanged(call) }
    }
}

extension Call {
    /// All readers, in two pieces, beginning with another one each time: nobody shall be the last one always.
    fileprivate mutating func readersInTurn() -> (ArraySlice<Int>, ArraySlice<Int>) {
        let begin = firstTold < readers.count ? firstTold : 0
        firstTold = begin + 1
        return (readers[begin...], readers[..<begin])
    }

    /// Whether something was encoded that waits for the end of a tick.
    var hasGathered: Bool { ring.end != told }

    /// Whether the readers are told now what was encoded; what does not come from the ring never waits.
    mutating func tells(by rule: Tick.Rule, at now: UInt64) -> Bool {
        guard hasGathered else { return true }
        guard tick.tells(ring.range(from: told)?.count, to: readers.count, at: now, by: rule) else { return false }
        turnBegin = told
        told = ring.end
        return true
    }

    /// Whether a reader lacks no more than what waits for the end of a tick anyway.
    mutating func isTold(_ cursor: Position) -> Bool {
        cursor.epoch == ringEpoch && shownPosition.epoch == ringEpoch && cursor.seq >= told
    }
}

extension RelayConfiguration {
    /// What is set about ticks.
    var tickRule: Tick.Rule { Tick.Rule(length: tick, writes: maximumTickWrites, bytes: maximumTickBytes) }
}
