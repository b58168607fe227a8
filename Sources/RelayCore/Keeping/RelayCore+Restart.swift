import CallState
import RollcallProtocol

// A call goes on that was kept by a relay which has ended: everybody in it has no link, and comes back or does not.
extension RelayCore {
    /// After a restart nobody is taken out for want of a link before this time, in ms.
    static let restartGrace: UInt64 = 60_000
    /// A planned stop that took no longer than this makes nobody reconnecting at once, in ms.
    static let shortStop: UInt64 = 10_000
    /// How long after such a stop a device may come back as if nothing had been, in ms.
    static let quietTime: UInt64 = 5_000
    /// Earlier epochs of a meeting that are remembered.
    static let maximumHistory = 16

    /// Takes over a call that the store has given; throws when what was kept is no call.
    mutating func restart(_ call: Int, _ claim: StoreAnswer.Claim) throws(KeptError) {
        guard let kept = claim.kept else {
            calls[call]!.keeping.restored(at: 0)
            calls[call]!.nextEpoch = claim.epoch
            return
        }
        guard claim.epoch > kept.header.position.epoch else {
            throw KeptError("the store gave epoch \(claim.epoch), which does not follow \(kept.header.position.epoch)")
        }
        try calls[call]!.restore(kept, at: now)
        raiseNumbers(above: call)
        let isClean = kept.header.isClean
        // Also between two meetings: who looked on may have seen a meeting that is lost. Of a call that had none yet
        // nobody has seen anything that is kept.
        let beginsAgain = !isClean && kept.header.position != .zero
        if beginsAgain { beginAgain(call, in: claim.epoch) }
        if calls[call]!.isOccupied {
            let position = calls[call]!.state.position
            let people = calls[call]!.state.peopleCount
            let session = calls[call]!.session
            effects.append(.log(.restored(session: session, position: position, isClean: isClean, people: people)))
            goOnIdling(call, people: people)
            goOnAsking(call)
        } else if !beginsAgain {
            // The next meeting begins an epoch anyway.
            calls[call]!.nextEpoch = claim.epoch
        }
        // A relay that stops is only to say again that nothing is missing.
        if stop != nil { return calls[call]!.isOccupied ? mark(call) : () }
        let stopped = calls[call]!.clock
        if isClean, calls[call]!.isOccupied, now.wall <= stopped + Self.shortStop {
            let until = now.monotonic + Self.quietTime
            calls[call]!.quietUntil = until
            deadlines.set(.quiet(calls[call]!.id), at: until)
        } else {
            loseLinks(of: call)
        }
    }

    /// Numbers that were given before are never given again.
    private mutating func raiseNumbers(above call: Int) {
        for record in calls[call]!.records.values { lastIncarnation = max(lastIncarnation, record.incarnation) }
        for record in calls[call]!.actors { lastIncarnation = max(lastIncarnation, record.incarnation) }
    }

    /// The relay has ended without a plan: what it showed last may be missing, so that its epoch is over.
    private mutating func beginAgain(_ call: Int, in epoch: UInt64) {
        calls[call]!.holdShown()
        let last = calls[call]!.state.position
        calls[call]!.remember(last, atMost: Self.maximumHistory)
        calls[call]!.state.beginEpoch(epoch)
        calls[call]!.epochStart = last.seq
        mark(call)
        listChanged(call)
    }

    /// The short time after a planned stop is over: whoever has not come back is reconnecting.
    mutating func quietIsOver(in id: CallID, at instant: UInt64) {
        guard let call = index(of: id), calls[call]!.quietUntil == instant else { return }
        calls[call]!.quietUntil = nil
        calls[call]!.tell(now.wall)
        loseLinks(of: call)
    }

    /// The store keeps changes again: whoever could not come back has the whole grace from now on.
    mutating func renewGraces(of call: Int) {
        guard calls[call]!.quietUntil == nil, stop == nil, calls[call]!.isOccupied else { return }
        calls[call]!.tell(now.wall)
        loseLinks(of: call, least: 1_000)
    }

    /// Whoever has no link is reconnecting, in one commit as of the call's clock, and has time to come back; nobody has
    /// less of it than before.
    private mutating func loseLinks(of call: Int, least: UInt64 = restartGrace) {
        let policy = calls[call]!.state.number(PolicyField.grace, of: .policy) ?? 0
        let grace = max(policy, least)
        let until = max(now.wall, calls[call]!.clock) + grace
        let ends = now.monotonic + grace
        let id = calls[call]!.id
        var devices: [(slot: Slot, until: UInt64)] = []
        for device in calls[call]!.state.deviceSlots {
            guard let record = calls[call]!.records[device] else { continue }
            if let owner = record.broughtBy {
                let place = place(ofActor: owner, in: call)
                guard place.map({ calls[call]!.actors[$0].connection == nil }) ?? true else { continue }
            } else {
                guard record.connection == nil else { continue }
                let later = max(record.graceEnds ?? 0, ends)
                calls[call]!.records[device]!.graceEnds = later
                deadlines.set(.grace(id, device: device), at: later)
            }
            let known = calls[call]!.state.number(DeviceField.reconnectingUntil, of: device) ?? 0
            devices.append((device, max(known, until)))
        }
        calls[call]!.holdShown()
        calls[call]!.state.beginCommit()
        for device in devices { calls[call]!.state.loseLink(of: device.slot, until: device.until) }
        endCommit(call)
        for place in calls[call]!.actors.indices where calls[call]!.actors[place].connection == nil {
            let later = max(calls[call]!.actors[place].graceEnds ?? 0, ends)
            calls[call]!.actors[place].graceEnds = later
            deadlines.set(.actorGrace(id, incarnation: calls[call]!.actors[place].incarnation), at: later)
        }
    }

    /// The time with at most one person goes on as it was, but nobody is put out before they could come back.
    private mutating func goOnIdling(_ call: Int, people: Int) {
        let idle = calls[call]!.state.number(PolicyField.idle, of: .policy) ?? 0
        if let since = calls[call]!.idleSince {
            let least = Int64(clamping: now.monotonic + Self.restartGrace) - Int64(clamping: idle)
            calls[call]!.idleSince = max(since, least)
        }
        watchIdle(call, people: people)
    }

    /// Requests to unmute lapse when they would have.
    private mutating func goOnAsking(_ call: Int) {
        for person in calls[call]!.state.personSlots {
            guard case .bytes(let bytes)? = calls[call]!.state.value(PersonField.unmuteRequest, of: person),
                let request = UnmuteRequest(encoded: bytes)
            else { continue }
            let left = request.until - min(request.until, now.wall)
            willLapse(requestOf: person, in: call, after: min(left, Call.longestUnmuteRequest))
        }
    }
}
