import CallState
import RelayCore

// The store as the relay's shell has it.

extension Simulation {
    /// Whether anything outlives a relay.
    var isDurable: Bool { settings.relay.durability != .none }

    mutating func ask(_ request: SimulatedStore.Request) {
        if case .append(let batch) = request {
            mark(.batchAppended)
            checkBatch(batch)
        }
        if trace.isRecorded { trace.note("  relay > store: \(request.line)") }
        store.ask(request)
        // Some answers come at once, most a step or many later.
        if draw.oneIn(3) { letStoreAnswer() }
    }

    /// The store goes one step on.
    mutating func letStoreAnswer() {
        guard isRelayUp, store.isBusy else { return }
        let answers = store.proceed()
        if let fault = store.fault { return fail(.restoredIsKept, fault) }
        if answers.isEmpty { return }
        for answer in answers {
            if trace.isRecorded { trace.note("  store > relay: \(answer.line)") }
            switch answer {
            case .kept(let session, let seq):
                noteKept(session, seq)
            case .claimed(let session, let claim): noteClaim(session, claim)
            case .unavailable(let session, _):
                mark(.storeUnavailable)
                storeFailedAt = clock
                if let watch = number(of: session) { watches[watch].isStoreDoubted = true }
            default: break
            }
            inputs.append(.store(answer))
        }
        if !isInTurn { relayTurn { _ in } }
    }

    mutating func letStoreFail() {
        // Without anything to keep there is no disk that could fail.
        guard isDurable else { return }
        store.isFailing.toggle()
        if store.isFailing { mark(.storeFailed) }
        if trace.isRecorded { trace.note("  the store \(store.isFailing ? "fails" : "works")") }
    }

    mutating func healStore() { store.isFailing = false }

    /// Whether the store has something to answer.
    var answersOfStoreWait: Bool { isRelayUp && store.isBusy }

    // MARK: The life of the relay

    /// The relay dies; with `power` what was not synced goes with it.
    mutating func crashStore(power: Bool) {
        if store.isUnsynced { mark(power ? .unsyncedLost : .relayCrashBeforeAnswer) }
        store.crash(power: power)
        isCleanStop = false
        noteWhatIsLost()
    }

    mutating func closeStore() {
        store.close()
        // A store that fails makes it an end like any other.
        isCleanStop =
            isDurable
            && settings.sessions.allSatisfy { session in
                store.synced[session]?.call.map { $0.header.isClean } ?? true
            }
        if isCleanStop { mark(.cleanStop) } else { noteWhatIsLost() }
    }

    /// What the store tells a relay that starts.
    mutating func restoreFromStore() {
        guard isDurable else { return }
        checkRestorable()
        let sessions = settings.sessions.sorted()
        relayTurn { world in
            for session in sessions {
                guard let entry = world.store.synced[session], !entry.attendance.isEmpty else { continue }
                world.apply(.store(.attendance(session: session, entry.attendance)))
            }
            let occupied = sessions.filter { world.store.synced[$0]?.call?.header.isOccupied == true }
            world.apply(.store(.occupied(occupied)))
        }
    }

    /// The relay takes the store for one that can't, which it may only while an answer is missing or was that it can't.
    mutating func doubtStore(of session: ByteString) {
        guard let watch = number(of: session), !watches[watch].isStoreDoubted else { return }
        guard store.isBusy else {
            return fail(.restoredIsKept, "the relay doubts a store that has answered everything about \(session)")
        }
        mark(.storeSilent)
        storeFailedAt = clock
        watches[watch].isStoreDoubted = true
        watches[watch].storeFailedAt = clock
    }

    /// The relay has had an answer from a store that was silent.
    mutating func trustStore(of session: ByteString) {
        guard let watch = number(of: session) else { return }
        storeFailedAt = clock
        watches[watch].storeFailedAt = clock
        watches[watch].isStoreDoubted = false
    }

    private mutating func noteKept(_ session: ByteString, _ seq: UInt64) {
        guard let watch = number(of: session) else { return }
        // Up to here the relay took the store for one that fails.
        if watches[watch].isStoreDoubted { watches[watch].storeFailedAt = clock }
        watches[watch].isStoreDoubted = false
        guard let position = store.synced[session]?.call?.header.position else { return }
        watches[watch].kept[position.epoch] = max(watches[watch].kept[position.epoch] ?? 0, min(seq, position.seq))
    }

    private mutating func noteClaim(_ session: ByteString, _ claim: StoreAnswer.Claim) {
        guard let watch = number(of: session) else { return }
        let header = claim.kept?.header
        switch header?.isClean {
        case true?: mark(.claimedClean)
        case false?: mark(.claimedUnclean)
        case nil: mark(.claimedNew)
        }
        if header?.isOccupied == true { watches[watch].restoredAt = clock }
        // A batch may be kept although its answer was lost with the relay.
        if let position = header?.position {
            watches[watch].kept[position.epoch] = max(watches[watch].kept[position.epoch] ?? 0, position.seq)
        }
        if let header, !header.isClean { watches[watch].ends[header.position.epoch] = header.position.seq }
        // The new epoch begins with what was kept.
        watches[watch].kept[claim.epoch] = max(watches[watch].kept[claim.epoch] ?? 0, header?.position.seq ?? 0)
    }
}

// As a trace has them.

extension SimulatedStore.Request {
    fileprivate var line: String {
        switch self {
        case .claim(let session): "claim \(session)"
        case .append(let batch):
            "append \(batch.session) \(batch.from) -> \(batch.header.position)\(batch.header.isClean ? ", clean" : "")"
        case .release(let session): "release \(session)"
        }
    }
}

extension StoreAnswer {
    fileprivate var line: String {
        switch self {
        case .kept(let session, let seq): "\(session) is kept up to \(seq)"
        case .claimed(let session, let claim):
            "\(session) is claimed in \(claim.epoch), "
                + (claim.kept.map { "at \($0.header.position), \($0.header.isClean ? "clean" : "unclean")" } ?? "new")
        case .unavailable(let session, let reason): "\(session) can't be kept: \(reason)"
        default: "\(self)"
        }
    }
}
