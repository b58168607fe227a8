import CallState
import RelayCore
import RollcallProtocol

// The life of relays: they die, are stopped, are started again.

extension Simulation {
    /// The relay dies now, or in the middle of what it will do next.
    mutating func crashRelaySoon() {
        guard isRelayUp else { return }
        if draw.oneIn(3) { return crashRelay() }
        fuse = draw.below(25)
    }

    /// The relay's process is gone: what it held in memory is lost, and each link ends, seen or unseen.
    mutating func crashRelay() {
        mark(.relayCrash)
        if trace.isRecorded { trace.note("  the relay dies") }
        let isSilent = draw.oneIn(4)
        if store.isClaiming { mark(.relayCrashWhileClaiming) }
        if watches.contains(where: { isAheadOfStore($0) }) { mark(.relayCrashInNewEpoch) }
        crashStore(power: isSilent)
        relayIsGone(isSilent: isSilent)
        restartAt = clock + draw.below(draw.oneIn(3) ? 20_000 : 1_500 as UInt64)
    }

    /// Whether a call has begun an epoch of which the store has nothing yet.
    private func isAheadOfStore(_ watch: CallWatch) -> Bool {
        guard let kept = store.synced[watch.session]?.call?.header.position else { return false }
        return watch.position.epoch > kept.epoch
    }

    /// - Parameter isSilent: The machine is gone too, so that nobody tells the clients.
    private mutating func relayIsGone(isSilent: Bool) {
        if isSilent { mark(.relayCrashSilent) }
        isRelayUp = false
        relayRun += 1
        fuse = nil
        isStopping = false
        inputs = []
        for link in active {
            if links[link].relayEnd == .open {
                links[link].relayEnd = .closed
                links[link].clientLearns = !isSilent
                if isSilent || draw.oneIn(2) { links[link].down.removeAll() }
            }
            links[link].up.removeAll()
            links[link].unsent.removeAll()
            links[link].connection = nil
            // What was not accepted is refused.
            if links[link].relayEnd == .notAccepted { links[link].relayEnd = .closed }
        }
        for link in active { retire(link) }
        linkOfConnection = []
        generations = []
        freeConnections = []
        for watch in watches.indices {
            watches[watch].callIsGone()
            watches[watch].came = []
        }
    }

    /// A new relay starts on what the store has.
    mutating func startRelay() {
        if trace.isRecorded { trace.note("  a relay starts") }
        isRelayUp = true
        restartAt = .max
        relayRun += 1
        // Its clock begins anywhere.
        relayEpoch = clock - draw.below(500_000 as UInt64)
        relay = RelayCore(configuration: settings.relay, random: Draw(draw.next()))
        restoreFromStore()
    }

    /// The relay is asked to stop: everybody is told to come back.
    mutating func stopRelay() {
        guard isRelayUp, !isStopping else { return }
        isStopping = true
        mark(.plannedStop)
        if store.isFailing { mark(.stopWhileStoreFails) }
        let after = draw.below(3_000 as UInt64)
        if trace.isRecorded { trace.note("  the relay is asked to stop") }
        relayTurn { $0.apply(.stopping(resumeAfter: after)) }
    }

    /// The relay has stopped, as it was asked to.
    mutating func stopped() {
        if trace.isRecorded { trace.note("  the relay has stopped") }
        closeStore()
        relayIsGone(isSilent: false)
        restartAt = clock + draw.below(draw.oneIn(4) ? 15_000 : 2_000 as UInt64)
    }
}
