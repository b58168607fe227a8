public import CallState
import RollcallProtocol

// The way back: a call from what a store has kept of it.
extension RelayCore {
    /// What is wrong with a call as a store has kept it; nil when a relay can go on with it.
    ///
    /// Reads all that is read when the call is taken up: its state, what is private, what the rules need. O(what is
    /// kept).
    public static func fault(ofKept kept: KeptCall, session: ByteString) -> KeptError? {
        var call = Call(id: CallID(index: 0, generation: 0), session: session, configuration: RelayConfiguration())
        do throws(KeptError) {
            try call.restore(kept, at: Now(monotonic: 0, wall: kept.header.clock))
            return nil
        } catch {
            return error
        }
    }
}

extension Call {
    /// Becomes the call that was kept, with nobody attached; whole or, with a thrown error, not at all.
    ///
    /// `now` is the time of the start.
    mutating func restore(_ kept: KeptCall, at now: Now) throws(KeptError) {
        var restored = self
        restored.state = try CallState(restoring: kept)
        restored.clock = kept.header.clock
        restored.history = kept.header.history
        let rules = try KeptRules(kept: kept.header.rules)
        try restored.checkNumbers(kept.header, rules)
        restored.epochStart = rules.epochStart
        restored.historyStart = rules.historyStart
        for (number, bytes) in kept.privates.sorted(by: { $0.key < $1.key }) {
            try restored.restore(number, bytes)
        }
        try restored.checkPrivates()
        restored.meeting = restored.state.text(CallField.meetingID, of: .call)
        restored.election.restore(
            dominant: restored.state.number(CallField.dominantSpeaker, of: .call).map { Slot(truncatingIfNeeded: $0) },
            isSuspended: rules.isSuspended
        )
        if rules.idleSince > 0 {
            let elapsed = kept.header.clock - min(kept.header.clock, rules.idleSince)
            restored.idleSince = Int64(clamping: now.monotonic) - Int64(clamping: elapsed)
        }
        restored.ring.reset(to: restored.state.position.seq)
        restored.ringEpoch = restored.state.position.epoch
        restored.keptTombstones = restored.state.tombstoneCount
        restored.keeping.restored(at: restored.state.position.seq)
        self = restored
    }

    /// Throws when a number can't be one that a relay has written: everything is reckoned with them.
    private func checkNumbers(_ header: KeptHeader, _ rules: KeptRules) throws(KeptError) {
        let last = WireLimits.position
        let position = header.position
        guard position.epoch <= last, position.seq <= last, header.clock <= last, rules.idleSince <= last else {
            throw KeptError("a position or a time is beyond 2^53")
        }
        guard rules.epochStart <= position.seq else { throw KeptError("the epoch begins above the head") }
        guard rules.historyStart <= header.history.first?.seq ?? 0 else {
            throw KeptError("the first epoch of the history begins above its end")
        }
        var before = Position.zero
        for entry in header.history {
            guard entry > before, entry.seq >= before.seq, entry.epoch < position.epoch, entry.seq <= position.seq
            else {
                throw KeptError("\(entry) is no earlier epoch of \(position)")
            }
            before = entry
        }
        guard state.number(PolicyField.grace, of: .policy) ?? 0 <= WireLimits.grace,
            state.number(PolicyField.idle, of: .policy) ?? 0 <= last
        else { throw KeptError(slot: .policy, "a time is longer than may be") }
    }

    private mutating func restore(_ number: UInt64, _ bytes: [UInt8]) throws(KeptError) {
        guard let key = PrivateKey(number: number) else { throw KeptError("nothing private has the number \(number)") }
        switch key {
        case .device(let slot): records[slot] = try PrivateRecord(kept: bytes, of: key, at: state.position)
        case .actor(let incarnation):
            let record = try PrivateRecord(kept: bytes, of: key, at: state.position)
            guard record.incarnation == incarnation else { throw key.fault("it is of another incarnation") }
            actors.append(record)
        case .removed: removed = try Self.removed(kept: bytes)
        case .replaced: replaced = try ReplacedSecrets(kept: bytes)
        }
    }

    /// Throws when what is private does not fit the devices that are in.
    private mutating func checkPrivates() throws(KeptError) {
        // They are looked up by it, and a file may have them in any order.
        actors.sort { $0.incarnation < $1.incarnation }
        let devices = state.deviceSlots
        guard devices.count == records.count else {
            throw KeptError("\(devices.count) devices are in, and something private is kept of \(records.count)")
        }
        let lowest = Position(epoch: state.position.epoch, seq: state.floor)
        for device in devices {
            guard let record = records[device] else { throw KeptError(slot: device, "nothing private is kept of it") }
            // Where its copy is, is not known: somewhere between the floor and the end.
            records[device]!.lastPosition = lowest
            guard let owner = record.broughtBy else { continue }
            guard actors.contains(where: { $0.incarnation == owner && $0.brought.contains(device) }) else {
                throw KeptError(slot: device, "the observer that brought it in is not known")
            }
        }
        for place in actors.indices {
            actors[place].lastPosition = lowest
            let incarnation = actors[place].incarnation
            for device in actors[place].brought where records[device]?.broughtBy != incarnation {
                throw KeptError(slot: device, "it was not brought in by the observer of incarnation \(incarnation)")
            }
        }
    }
}
