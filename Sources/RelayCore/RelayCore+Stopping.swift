import CallState
import RollcallProtocol

// The planned stop: everybody is told to come back; the state stays as it is.
extension RelayCore {
    /// No client waits longer for a relay to come back than a day, in ms.
    private static let longestAbsence: UInt64 = 24 * 3600 * 1_000

    /// Begins the stop: `resumeAfter` is when clients shall come back, in ms.
    mutating func stopping(_ resumeAfter: UInt64) {
        guard stop == nil else { return }
        let resumeAfter = min(resumeAfter, Self.longestAbsence)
        let ends = now.monotonic + configuration.closeTimeout
        stop = Stop(resumeAfter: resumeAfter, ends: ends)
        deadlines.set(.stopping, at: ends)
        for call in calls.indices where calls[call] != nil { keepLast(of: call) }
        for index in connections.indices {
            switch connections[index].phase {
            case .free, .closing, .gone:
                continue
            case .opened, .greeted:
                close(index, goingAway(after: resumeAfter))
            case .attached:
                // Not detached: it gets the last frames of its call before it is told, and no Ping after that.
                connections[index].output.isPingDue = false
                sayGoingAway(to: index, after: resumeAfter)
                connections[index].phase = .closing
                cutLater(index)
            }
        }
    }

    /// The last batch of a call says that nothing is missing.
    private mutating func keepLast(of call: Int) {
        guard calls[call]!.keeping.isOwned, calls[call]!.isOccupied else { return }
        calls[call]!.tell(now.wall)
        mark(call)
    }

    /// With a store that everything waits for, after what waits; but whoever waits for a store that can't keep anything
    /// is told without that.
    private mutating func sayGoingAway(to index: Int, after: UInt64) {
        guard let call = call(of: index), needs(of: call) > 0 else {
            return _ = send(.closed(goingAway(after: after)), on: index)
        }
        if refusesChanges(call) { return endUnkept(index) }
        var bytes: [UInt8] = []
        ServerFrame.closed(goingAway(after: after)).encode(into: &bytes)
        hold(.trailing(bytes), needs: needs(of: call), of: call, on: index)
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
        if stop?.isTold == false {
            // A turn that took so long: nobody was told yet, and the time begins with that.
            let ends = now.monotonic + configuration.closeTimeout
            stop?.ends = ends
            return deadlines.set(.stopping, at: ends)
        }
        for index in connections.indices where connections[index].phase != .free { cut(index) }
        tellStopped()
    }

    /// At the end of each turn of a relay that stops: ends it when there is nothing left to wait for.
    mutating func finishStop() {
        stop?.isTold = true
        guard connectionCount == 0, unkeptCalls == 0, expected.asked == 0 else { return }
        // With these calls a note is kept that they are in use, which has to be taken back.
        if calls.contains(where: { $0?.isDoubtful == true }) { return }
        tellStopped()
    }

    private mutating func tellStopped() {
        guard stop?.isDone == false else { return }
        stop?.isDone = true
        let unkept = calls.compactMap(\.self).filter(\.isUnkept)
        if let first = unkept.min(by: { $0.session < $1.session }) {
            let (kept, head) = (first.keeping.seq, first.state.position)
            effects.append(.log(.notKept(calls: unkept.count, session: first.session, kept: kept, head: head)))
        }
        effects.append(.stopped(unkept: unkept.count))
    }
}

extension Call {
    /// Whether the store may not have everything of the call, or not that the relay has stopped by plan.
    ///
    /// Of a call of the time before that was asked for and not given it may have noted that it is in use.
    fileprivate var isUnkept: Bool {
        keeping.isOwned ? keeping.isPending : isExpected && (isClaimInFlight || isDoubtful)
    }
}
