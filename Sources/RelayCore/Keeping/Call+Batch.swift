import CallState

// Batches: what the store is given.
extension Call {
    /// Drops tombstones that nobody needs any more, and remembers which for the store.
    mutating func dropTombstones(through version: UInt64) {
        guard keeping.durability != .none else { return state.dropTombstones(through: version) }
        state.dropTombstones(through: version) { keeping.forget($0) }
    }

    /// Makes the batch of everything that has changed since what the store has; it is on its way now.
    ///
    /// `clean`: the relay stops, and nothing follows.
    mutating func makeBatch(clean: Bool, at now: Now) -> CallBatch {
        var header = KeptHeader(state)
        header.clock = clock
        header.isOccupied = isOccupied
        header.isClean = clean
        header.history = history
        header.rules = rules(at: now).kept
        var batch = CallBatch(session: session, from: keeping.seq, header: header)
        state.appendKept(since: keeping.seq, to: &batch.records)
        batch.gone = keeping.gone
        batch.privates.reserveCapacity(keeping.keys.count)
        for number in keeping.keys.sorted() {
            batch.privates.append(KeptPrivate(key: number, bytes: PrivateKey(number: number).flatMap { kept($0) }))
        }
        batch.attendance = keeping.attendance
        keeping.send(to: state.position.seq, clean: clean, at: now.monotonic)
        if keeping.isSync {
            batched = [state]
            batchedCause = (turn.actor, turn.op)
        }
        return batch
    }

    private func rules(at now: Now) -> KeptRules {
        var rules = KeptRules()
        rules.epochStart = epochStart
        rules.historyStart = historyStart
        if let idleSince {
            let elapsed = UInt64(max(0, Int64(clamping: now.monotonic) - idleSince))
            rules.idleSince = max(1, now.wall - min(now.wall, elapsed))
        }
        rules.isSuspended = election.isSuspended
        return rules
    }

    /// A piece of the private data as it is now; nil when there is none any more.
    private func kept(_ key: PrivateKey) -> [UInt8]? {
        switch key {
        case .device(let slot): records[slot]?.kept
        case .actor(let incarnation): actors.place(of: incarnation).flatMap { actors[$0].kept }
        case .removed: keptRemoved
        case .replaced: replaced.kept
        }
    }
}
