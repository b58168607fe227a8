import CallState
import RelayCore
import Rollcall
import RollcallProtocol

// Rest: faults pause, and what must be equal then is compared.

extension Simulation {
    /// All faults rest for a heartbeat; who had a good link all the while must equal the relay then.
    mutating func calm() {
        mark(.calm)
        if trace.isRecorded { trace.note("  calm") }
        if !isRelayUp || isStopping { return }
        heal()
        // A relay whose store has failed tries again after some seconds.
        if storeFailedAt > 0, clock < storeFailedAt + 6_000 { passQuietly(6_000) }
        let good = active.filter { links[$0].isGood && links[$0].relayEnd == .open && links[$0].connection != nil }
        passQuietly(settings.relay.pingInterval + 100)
        letTicksEnd()
        guard violation == nil, isRelayUp, !isStopping else { return }
        deliverAll()
        compare(good)
    }

    /// What somebody has done in the last moment is told when the tick of its call ends.
    private mutating func letTicksEnd() {
        for _ in 0..<100 {
            guard violation == nil, isRelayUp, watches.contains(where: { relay.hasGathered($0.session) }) else {
                return
            }
            passQuietly(1)
        }
    }

    /// Everything that slows a good link down is over.
    private mutating func heal() {
        fuse = nil
        healStore()
        for link in active {
            links[link].heldUp = 0
            links[link].heldDown = 0
            if case .attacker = links[link].owner { continue }
            links[link].capacity = nil
            refill(link)
        }
    }

    /// Time passes while everything is delivered.
    mutating func passQuietly(_ milliseconds: UInt64) {
        let end = clock + milliseconds
        deliverAll()
        while clock < end, violation == nil {
            pass(min(untilNextDeadline(atMost: 4_000), end - clock))
            deliverAll()
        }
    }

    /// Delivers everything that is on its way, in some order.
    mutating func deliverAll() {
        var rounds = 0
        while violation == nil {
            var isIdle = true
            for link in active where isRelayUp && links[link].isReadyForRelay(at: clock) {
                isIdle = false
                relayTurn { $0.deliverToRelay(link, $0.links[link].up.count) }
            }
            for link in active where links[link].isReadyForClient(at: clock) {
                if case .attacker = links[link].owner, links[link].capacity != nil { continue }
                isIdle = false
                deliverToClient(link, links[link].down.count)
            }
            if answersOfStoreWait {
                isIdle = false
                letStoreAnswer()
            }
            if isIdle { return }
            rounds += 1
            if rounds > 2_000 { return fail(.nothingLeaks, "what is on its way never ends") }
        }
    }

    private mutating func compare(_ good: [Int]) {
        for watch in watches.indices {
            let session = watches[watch].session
            let known = relay.withState(of: session) { state in
                (position: state.position, digest: state.digest, recomputed: state.recomputedDigest)
            }
            guard let known else { continue }
            if known.digest != known.recomputed {
                return fail(.samePositionSameDigest, "the relay's digest of \(session) is not that of its records")
            }
            for seat in seats.indices where seats[seat].plan.session == session {
                guard let link = seats[seat].link, good.contains(link), links[link].isGood, seats[seat].isLive,
                    links[link].relayEnd == .open, let core = seats[seat].core
                else { continue }
                // The relay does not read it for now, since it sent too much: what it asks for is not heard yet.
                if links[link].isPaused, !links[link].up.isEmpty { continue }
                mark(.restCompared)
                if seats[seat].plan.mode == .observer { mark(.observerRest) }
                compare(seat, core, with: known.position, known.digest)
                look(seat)
            }
        }
    }

    private mutating func compare(_ seat: Int, _ core: ClientCore, with position: Position, _ digest: UInt64) {
        let session = seats[seat].plan.session
        if core.confirmed.position != position || core.confirmed.digest != digest {
            return fail(
                .restIsEqual,
                "\(name(seat)) is at \(core.confirmed.position) after a heartbeat of rest, the relay at \(position)"
            )
        }
        let isEqual = relay.withState(of: session) { state in
            state.raisedHands.map(\.slot) == core.confirmed.raisedHands.map(\.slot)
                && state.slots == core.confirmed.slots
        }
        if isEqual != true {
            fail(.handOrder, "\(name(seat)) shows another queue, or other people, than the relay has")
        }
        if core.confirmed.recomputedDigest != digest {
            fail(.samePositionSameDigest, "the digest of \(name(seat)) is not that of its records")
        }
        guard seats[seat].plan.mode == .participant else { return }
        let attached = relay.attachedDevices(of: session).map(\.connection)
        guard let connection = seats[seat].link.flatMap({ links[$0].connection }), attached.contains(connection) else {
            return fail(.attachedIsActive, "\(name(seat)) has a live link, which is not the one of its device")
        }
        let isActive = relay.withState(of: session) { state -> Bool in
            guard let person = state.personSlot(uid: seats[seat].plan.uid),
                let device = state.deviceSlot(of: person, id: seats[seat].plan.device)
            else { return false }
            return state.number(DeviceField.connection, of: device) ?? 0 == 0
        }
        if isActive != true { fail(.attachedIsActive, "\(name(seat)) has a live link and is not shown active") }
    }

    // MARK: The end

    /// All faults are over: everybody who wants to be in comes back, and everybody who is gone is seen to go.
    mutating func comeToRest() {
        if trace.isRecorded { trace.note("the end: everything comes to rest") }
        if !isRelayUp { startRelay() }
        heal()
        for attacker in attackers.indices {
            if let link = attackers[attacker].link { closeClientEnd(link) }
            attackers[attacker].link = nil
        }
        // So long that the deepest backoff, a dead link and the grace after a restart are over.
        let longest = 3 * settings.relay.deadAfter + 30_000
        let end = clock + longest
        while clock < end, violation == nil {
            passQuietly(settings.relay.pingInterval)
            if !isRelayUp { startRelay() }
        }
        guard violation == nil else { return }
        for seat in seats.indices where seats[seat].isRunning && !seats[seat].isLive {
            return fail(.everybodyComesBack, "\(name(seat)) is still not back \(longest) ms after the last fault")
        }
        for seat in seats.indices where seats[seat].isLive {
            let count = seats[seat].asked.values.count { !$0.isRewound }
            if count > 0 { return fail(.everybodyComesBack, "\(name(seat)) has \(count) commands without an answer") }
        }
        calm()
    }
}
