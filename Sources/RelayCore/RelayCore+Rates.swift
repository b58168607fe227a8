import CallState
import RollcallProtocol

// What keeps one client's haste from costing the others: rates of commands, of frames and of joins.
//
// Whoever has the admin right is as good as the relay's operator and has none of these limits.
extension RelayCore {
    // MARK: Commands

    /// How long a command must wait, and a sentence for who sent it; nil when it may be done now.
    mutating func excess(of command: Command, on index: Int, in call: Int) -> (wait: UInt64, text: String)? {
        guard !rightsRule(index).isAdmin else { return nil }
        let count = max(1, command.settings.count)
        let (own, all) = (configuration.commandRate, configuration.callCommandRate)
        let wait = connections[index].commands.wait(for: count, of: own, at: now.monotonic)
        if wait > 0 {
            let text = "too many commands: \(own.perSecond) settings a second are taken, and \(own.burst) at once"
            return (wait, text)
        }
        let callWait = calls[call]!.commands.wait(for: count, of: all, at: now.monotonic)
        if callWait > 0 {
            let text = "too many commands in this call: \(all.perSecond) settings a second are taken from all"
            // Many may be told at once.
            return (callWait + random(upTo: callWait), text)
        }
        connections[index].commands.charge(count, of: own, at: now.monotonic)
        calls[call]!.commands.charge(count, of: all, at: now.monotonic)
        return nil
    }

    // MARK: Frames

    /// Counts a frame that came; a connection that sends too many is read more slowly.
    ///
    /// What its kernel then holds holds back the peer, and costs nobody else anything.
    mutating func countFrame(_ frame: ClientFrame, on index: Int) {
        let rate = configuration.frameRate
        guard rate.isLimited, !rightsRule(index).isAdmin else { return }
        connections[index].frames.charge(frame.weight, of: rate, at: now.monotonic)
        guard connections[index].readableAt <= now.monotonic,
            connections[index].frames.wait(for: 0, of: rate, at: now.monotonic) > 0,
            connections[index].phase == .greeted || connections[index].phase == .attached
        else { return }
        pauseReading(index)
        delayReading(index)
    }

    /// Not read before a part of the burst is there again, so that it is not stopped and read on for each frame.
    private mutating func delayReading(_ index: Int) {
        let rate = configuration.frameRate
        let wait = connections[index].frames.wait(for: max(1, rate.burst / 8), of: rate, at: now.monotonic)
        connections[index].readableAt = now.monotonic + wait
        wake(index, at: connections[index].readableAt)
    }

    /// Reads a connection on whose time has come.
    mutating func lookAtRate(of index: Int) {
        guard connections[index].readableAt > 0 else { return }
        guard connections[index].readableAt <= now.monotonic else {
            return wake(index, at: connections[index].readableAt)
        }
        // What was read already when reading stopped came later, and is owed too.
        delayReading(index)
        guard connections[index].readableAt <= now.monotonic else { return }
        connections[index].readableAt = 0
        resumeReading(index)
    }

    // MARK: Reading

    /// Stops reading a connection; the reason is noted elsewhere, for ``resumeReading(_:)``.
    mutating func pauseReading(_ index: Int) {
        guard !connections[index].isPaused else { return }
        connections[index].isPaused = true
        effects.append(.pauseReading(name(index)))
    }

    /// Reads on, unless there is another reason not to.
    mutating func resumeReading(_ index: Int) {
        guard connections[index].isPaused, connections[index].readableAt == 0, connections[index].waitingFrames == 0,
            connections[index].output.answers < configuration.maximumUnsentAnswers,
            connections[index].phase == .greeted || connections[index].phase == .attached
        else { return }
        connections[index].isPaused = false
        // The clock of silence stood meanwhile.
        connections[index].heardAt = now.monotonic - standstill
        effects.append(.resumeReading(name(index)))
    }

    // MARK: Joins

    /// Whether a Join comes in now; else it was told when to come back.
    mutating func admits(_ join: Join, on index: Int) -> Bool {
        // One that waited for the store was let in before it waited.
        guard !connections[index].hasPassedGate, !rightsRule(index).isAdmin else { return true }
        let rate = place.share(of: configuration.joinRate)
        if let wait = joinGate.admit(isResume: join.resume != nil, at: rate, now: now.monotonic) {
            let text = "too many join at once: the relay lets \(configuration.joinRate.perSecond) in a second"
            close(index, overload(text, after: wait))
            return false
        }
        connections[index].hasPassedGate = true
        return true
    }

    /// Come back after about so many ms: spread, so that not all come in the same instant.
    mutating func overload(_ text: String, after: UInt64) -> Refusal {
        Refusal(code: .overload, text: text, advice: .after, after: after + random(upTo: after / 2))
    }
}

extension ClientFrame {
    /// What it weighs among the frames that a connection may send: a question has an answer, which may be long.
    fileprivate var weight: Int {
        switch self {
        case .peek, .list, .inspect, .attendance: 10
        case .hello, .join, .command, .speaking, .pong, .resync, .leave, .authenticate: 1
        }
    }
}
