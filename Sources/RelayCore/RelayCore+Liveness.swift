import CallState
import RollcallProtocol

// Deadlines, silence, pings, stalled output.
extension RelayCore {
    mutating func fireDeadlines() {
        while let due = deadlines.takeDue(at: now.monotonic) {
            // A relay that stops makes nobody leave: of the calls' deadlines none counts any more.
            switch due.subject {
            case .connection(let connection):
                guard let index = index(of: connection), connections[index].wakeAt == due.instant else { continue }
                connections[index].wakeAt = .max
                look(at: index)
            case .stopping: stopEnded()
            case .tick(let call): tickHasEnded(in: call, at: due.instant)
            case .keeping(let call): keepingIsDue(in: call, at: due.instant)
            case .silence(let call): silenceIsDue(in: call, at: due.instant)
            case .claiming(let call): claimIsDue(in: call, at: due.instant)
            case _ where stop != nil: continue
            case .grace(let call, let device): graceEnded(of: device, in: call, at: due.instant)
            case .actorGrace(let call, let incarnation):
                graceEnded(ofActor: incarnation, in: call, at: due.instant)
            case .unmuteRequests(let call): unmuteRequestsAreDue(in: call, at: due.instant)
            case .idle(let call): idleIsDue(in: call, at: due.instant)
            case .election(let call): electionIsDue(in: call, at: due.instant)
            case .quiet(let call): quietIsOver(in: call, at: due.instant)
            }
        }
    }

    /// Makes sure that the connection is looked at at `instant`, or before.
    mutating func wake(_ index: Int, at instant: UInt64) {
        guard instant < connections[index].wakeAt else { return }
        connections[index].wakeAt = instant
        deadlines.set(.connection(name(index)), at: instant)
    }

    /// Looks at everything that a connection waits for.
    private mutating func look(at index: Int) {
        switch connections[index].phase {
        case .free, .gone:
            return
        case .opened:
            let due = connections[index].openedAt + configuration.helloTimeout
            guard due <= now.monotonic else { return wake(index, at: due) }
            let text = "no preface and Hello within \(configuration.helloTimeout) ms"
            close(index, Refusal(code: .helloTimeout, text: text, advice: .now))
        case .closing:
            if connections[index].isListed {
                // In a turn that took so long what it shall be told was not handed over yet: the time begins with that.
                connections[index].cutAt = max(connections[index].cutAt, now.monotonic + configuration.closeTimeout)
            }
            guard connections[index].cutAt > now.monotonic else { return cut(index) }
            if !connections[index].output.held.isEmpty {
                // It may have been looked at for something that was due before it closed.
                let ends = connections[index].cutAt - (configuration.closeTimeout - keptPatience)
                guard ends <= now.monotonic else { return wake(index, at: ends) }
                // What it waits for was not kept in time: it is told that much.
                endUnkept(index)
            }
            wake(index, at: connections[index].cutAt)
        case .greeted, .attached:
            lookAtRate(of: index)
            lookAtSilence(of: index)
            guard connections[index].phase != .closing else { return }
            lookAtPing(of: index)
            lookAtLag(of: index)
            lookAtStall(of: index)
        }
    }

    private mutating func lookAtSilence(of index: Int) {
        // The clock of silence stands while the connection is not read.
        guard !connections[index].isPaused else {
            return wake(index, at: now.monotonic + configuration.deadAfter)
        }
        let due = connections[index].heardAt + configuration.deadAfter + standstill
        guard due <= now.monotonic else { return wake(index, at: due) }
        let text = "no byte came for \(configuration.deadAfter) ms"
        fail(index, Refusal(code: .silent, text: text, advice: .now))
    }

    private mutating func lookAtPing(of index: Int) {
        if connections[index].nextPing <= now.monotonic {
            connections[index].nextPing = now.monotonic + max(1, configuration.pingInterval)
            if connections[index].isReader {
                // Written when the output is: its position is the last one written.
                connections[index].output.isPingDue = true
                hasOutput(index)
            } else {
                send(.ping(ping(on: index, position: nil)), on: index)
            }
        }
        wake(index, at: connections[index].nextPing)
    }

    /// How often the shell is asked for progress while bytes are in flight.
    private var progressInterval: UInt64 { max(1, configuration.stallTimeout / 5) }

    private mutating func lookAtStall(of index: Int) {
        guard connections[index].inFlight > 0 else { return }
        effects.append(.reportProgress(name(index)))
        wake(index, at: now.monotonic + progressInterval)
    }

    /// Bytes were handed over that the kernel has not taken.
    mutating func isInFlight(_ index: Int, _ bytes: Int) {
        connections[index].inFlight = bytes
        connections[index].unsent = bytes
        connections[index].movedAt = now.monotonic
        wake(index, at: now.monotonic + progressInterval)
    }

    mutating func progress(_ index: Int, unsent: Int) {
        let phase = connections[index].phase
        guard connections[index].inFlight > 0, phase == .greeted || phase == .attached else { return }
        // What the system holds counts too, and may be far more than what is in flight: what has left of it has left.
        let hasMoved = unsent < connections[index].unsent
        connections[index].unsent = unsent
        connections[index].inFlight = min(connections[index].inFlight, max(unsent, 1))
        if hasMoved {
            connections[index].movedAt = now.monotonic
        } else if now.monotonic - connections[index].movedAt >= configuration.stallTimeout {
            let text = "no byte of \(unsent) has left for \(configuration.stallTimeout) ms"
            endLagged(index, text)
        }
    }

    mutating func pong(_ pong: Pong, on index: Int) {
        if pong.time != 0, pong.time == connections[index].pingTime {
            connections[index].roundTrip = now.monotonic - connections[index].pingSentAt + 1
            connections[index].pingTime = 0
        }
        // A client is believed about what it has, up to what it was given.
        let position = pong.position
        let known = connections[index].acknowledged
        if position.epoch == connections[index].cursor.epoch, position <= connections[index].cursor,
            position > known || known.epoch != position.epoch
        {
            connections[index].acknowledged = position
        }
    }

    // MARK: Resync

    /// Resyncs that are answered in ``resyncPeriod``.
    static let maximumResyncs = 3
    static let resyncPeriod: UInt64 = 10_000

    mutating func resync(_ resync: Resync, on index: Int) {
        guard let id = connections[index].call, let call = self.index(of: id) else { return }
        if now.monotonic - connections[index].resyncsSince >= Self.resyncPeriod || connections[index].resyncs == 0 {
            connections[index].resyncsSince = now.monotonic
            connections[index].resyncs = 0
        }
        connections[index].resyncs += 1
        guard connections[index].resyncs <= Self.maximumResyncs else {
            let text = "\(Self.maximumResyncs) snapshots within \(Self.resyncPeriod) ms did not help the client"
            return fail(index, Refusal(code: .limit, text: text))
        }
        // One that has not begun yet will answer this one too.
        guard !awaitsSnapshot(index) else { return }
        lead(.snapshot(PendingSnapshot(call: id, reason: .requested)), needs: 0, of: call, on: index)
    }
}
