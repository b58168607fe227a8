import RollcallProtocol

// The planned stop: everybody is told to come back; the state stays as it is.
extension RelayCore {
    /// No client waits longer for a relay to come back than a day, in ms.
    private static let longestAbsence: UInt64 = 24 * 3600 * 1_000

    mutating func stopping(_ resumeAfter: UInt64) {
        guard stop == nil else { return }
        let resumeAfter = min(resumeAfter, Self.longestAbsence)
        let ends = now.monotonic + configuration.closeTimeout
        stop = Stop(resumeAfter: resumeAfter, ends: ends)
        deadlines.set(.stopping, at: ends)
        for index in connections.indices {
            switch connections[index].phase {
            case .free, .closing, .gone:
                continue
            case .opened, .greeted:
                close(index, goingAway(after: resumeAfter))
            case .attached:
                // Not detached: it gets the last frames of its call before it is told, and no Ping after that.
                connections[index].output.isPingDue = false
                send(.closed(goingAway(after: resumeAfter)), on: index)
                connections[index].phase = .closing
                connections[index].cutAt = ends
                wake(index, at: ends)
            }
        }
    }

    /// Come back after about so many ms: spread, so that not all come in the same instant.
    mutating func goingAway(after: UInt64) -> Refusal {
        Refusal(
            code: .goingAway,
            text: "the relay stops for now",
            advice: .after,
            after: after + random(upTo: after / 2)
        )
    }

    /// Those who have not taken their last bytes in time are cut.
    mutating func stopEnded() {
        for index in connections.indices where connections[index].phase != .free { cut(index) }
        tellStopped()
    }

    mutating func finishStop() {
        if connectionCount == 0 { tellStopped() }
    }

    private mutating func tellStopped() {
        guard stop?.isDone == false else { return }
        stop?.isDone = true
        effects.append(.stopped)
    }
}
