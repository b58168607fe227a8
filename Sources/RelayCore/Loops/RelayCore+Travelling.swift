import CallState
import RollcallProtocol

// A connection goes to the loop of the call that it names first, and waits while other loops are asked.
extension RelayCore {
    /// What a connection waits for that concerns other loops; it is not read meanwhile.
    struct Errand {
        /// What it waits for.
        enum Aim: Hashable {
            /// To be handed over to a loop.
            case loop(Int)
            /// The answers to this question.
            case answers(UInt64)
        }

        var aim: Aim
        /// What came behind and was decoded already.
        var frames: [ClientFrame] = []
    }

    /// The loop of a call when it is another one; nil is this one.
    func elsewhere(_ session: ByteString) -> Int? {
        guard place.count > 1 else { return nil }
        let home = place.homes.home(of: session)
        return home == place.index ? nil : home
    }

    /// Begins an errand: what the connection sends waits, in order.
    mutating func begin(_ aim: Errand.Aim, with frames: [ClientFrame] = [], on index: Int) {
        connections[index].errand = Errand(aim: aim, frames: frames)
        // Also without a frame: what comes has to wait.
        connections[index].waitingFrames = max(1, frames.count)
        pauseReading(index)
        effects.append(.loop(.suspend(name(index))))
    }

    /// Hands the connection over to another loop as soon as everything is said to it.
    mutating func depart(_ index: Int, to loop: Int, with frame: ClientFrame) {
        begin(.loop(loop), with: [frame], on: index)
        departing.append(name(index))
    }

    /// Hands over the connections that shall go to another loop, unless something must be said to them here.
    ///
    /// To be called in each turn before the output is handed over, so that what they have sent counts also when they do
    /// not listen any more, and after it; where there are several loops.
    public mutating func sendTravellers(into effects: inout [Effect]) {
        guard !departing.isEmpty else { return }
        swap(&self.effects, &effects)
        defer { swap(&self.effects, &effects) }
        let waiting = departing
        departing.removeAll(keepingCapacity: true)
        for id in waiting {
            guard let index = index(of: id), connections[index].phase == .greeted,
                case .loop(let loop)? = connections[index].errand?.aim
            else { continue }
            guard connections[index].inFlight == 0, let unsaid = connections[index].output.plainBytes else {
                departing.append(id)
                continue
            }
            let traveller = traveller(at: index, unsaid)
            vacate(index)
            self.effects.append(.loop(.move(id, to: loop, traveller)))
        }
    }

    private func traveller(at index: Int, _ unsaid: [UInt8]) -> Traveller {
        let connection = connections[index]
        return Traveller(
            peer: connection.peer,
            clientName: connection.clientName,
            instance: connection.instance,
            openedWall: connection.openedWall,
            hasPassedGate: connection.hasPassedGate,
            frameTokens: connection.frames,
            readableAt: connection.readableAt,
            nextPing: connection.nextPing,
            pingTime: connection.pingTime,
            pingSentAt: connection.pingSentAt,
            roundTrip: connection.roundTrip,
            writes: connection.writes,
            turns: connection.turns,
            heldMost: connection.heldMost,
            unsaid: unsaid,
            answers: connection.output.answers,
            frames: connection.errand?.frames ?? []
        )
    }

    /// A connection comes from another loop: it goes on as it was, with what it has asked for.
    mutating func arrived(_ connection: ConnectionID, _ traveller: Traveller) {
        let index = occupy(connection, traveller.peer)
        connections[index].phase = .greeted
        connections[index].clientName = traveller.clientName
        connections[index].instance = traveller.instance
        connections[index].openedWall = traveller.openedWall
        connections[index].hasPassedGate = traveller.hasPassedGate
        connections[index].frames = traveller.frameTokens
        connections[index].nextPing = traveller.nextPing
        connections[index].pingTime = traveller.pingTime
        connections[index].pingSentAt = traveller.pingSentAt
        connections[index].roundTrip = traveller.roundTrip
        connections[index].writes = traveller.writes
        connections[index].turns = traveller.turns
        connections[index].heldMost = traveller.heldMost
        if !traveller.unsaid.isEmpty {
            connections[index].output.lead { $0 += traveller.unsaid }
            connections[index].output.answers = traveller.answers
            hasOutput(index)
        }
        if let stop { return close(index, goingAway(after: stop.resumeAfter)) }
        wake(index, at: connections[index].nextPing)
        wake(index, at: now.monotonic + configuration.deadAfter)
        if traveller.readableAt > 0 {
            connections[index].readableAt = traveller.readableAt
            pauseReading(index)
            wake(index, at: traveller.readableAt)
        }
        for frame in traveller.frames { received(frame, on: index) }
    }

    /// The errand of a connection is done: what has waited is done in order, up to the next errand.
    mutating func endErrand(of index: Int) {
        guard let errand = connections[index].errand else { return }
        connections[index].errand = nil
        connections[index].waitingFrames = 0
        for frame in errand.frames { received(frame, on: index) }
        let phase = connections[index].phase
        guard connections[index].errand == nil, phase == .greeted || phase == .attached else { return }
        effects.append(.loop(.proceed(name(index))))
        resumeReading(index)
    }
}
