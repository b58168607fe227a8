import CallState
import RollcallProtocol

// Who does not take what the call has to say as fast as it says it, and is told so.
extension RelayCore {
    /// Whether a receiver whose join is out has missed whole turns, and how: the frames that it lacks are not held any
    /// more (`lacking` is nil), are many, are of many turns, or it is known to be slow.
    ///
    /// Counted in turns and bytes, never in time. What such a receiver lacks is merged: that is never more than the
    /// frames are, and what waits for it in the system stays little.
    ///
    /// `mutating`, since the relay is then read where it is; else all of it is copied for each delivery.
    mutating func isBehind(_ index: Int, in call: Int, lacking: Int?) -> Bool {
        let cursor = connections[index].cursor
        guard connections[index].isUnsentLimited, cursor.epoch == calls[call]!.ringEpoch,
            cursor.seq < calls[call]!.turnBegin
        else { return false }
        guard let lacking else { return true }
        if connections[index].isLagging || lacking > configuration.maximumSlice { return true }
        // Not that much, but for long: a slow line shows before much waits for it.
        guard lacking > configuration.leastSlice else { return false }
        return calls[call]!.ring.frames(from: cursor.seq) > configuration.maximumMissedTurns
    }

    /// The receiver gets merged differences from now on, and is told so once.
    mutating func fallsBehind(_ index: Int, _ writer: inout Writer) {
        connections[index].calmAt = 0
        guard !connections[index].isLagging else { return }
        connections[index].isLagging = true
        let text = "this connection takes changes more slowly than they come: it gets their sum from time to time"
        writer.gather(.notice(code: .lagging, text: text))
        // What the system holds for it can't be merged any more.
        effects.append(.limitUnsent(name(index), isBehind: true))
    }

    /// The receiver has taken all that there was: if it goes on like that, it has caught up.
    mutating func isAtEase(_ index: Int) {
        guard connections[index].isLagging, connections[index].calmAt == 0, connections[index].isReader,
            connections[index].inFlight == 0, let call = call(of: index),
            connections[index].cursor == calls[call]!.shownPosition
        else { return }
        connections[index].calmAt = now.monotonic + configuration.caughtUpAfter
        wake(index, at: connections[index].calmAt)
    }

    /// Tells a receiver that has missed no turn for a time that it has caught up.
    mutating func lookAtLag(of index: Int) {
        guard connections[index].calmAt > 0 else { return }
        guard connections[index].calmAt <= now.monotonic else { return wake(index, at: connections[index].calmAt) }
        connections[index].calmAt = 0
        // One that has missed turns since, and does not even take their sum, is told nothing.
        guard connections[index].isReader, let call = call(of: index),
            connections[index].cursor.seq >= calls[call]!.turnBegin
        else { return }
        connections[index].isLagging = false
        send(.notice(code: .caughtUp, text: "this connection takes changes as fast as they come again"), on: index)
        effects.append(.limitUnsent(name(index), isBehind: false))
    }
}
