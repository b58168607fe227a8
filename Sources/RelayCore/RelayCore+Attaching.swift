import CallState
import RollcallProtocol

// What every accepted Join ends in: an attachment, the answer, and what follows it.
extension RelayCore {
    /// Makes the connection the current attachment of a record.
    mutating func attach(_ index: Int, to call: Int, record: inout PrivateRecord, attempt: UInt64) {
        record.connection = name(index)
        record.instance = connections[index].instance
        record.attempt = attempt
        record.graceEnds = nil
        connections[index].phase = .attached
        connections[index].call = calls[call]!.id
        connections[index].attachedAt = now.wall
        connections[index].reader = calls[call]!.readers.count
        calls[call]!.readers.append(index)
    }

    /// What follows Joined.
    enum Follow {
        /// The copy at this position goes on.
        case delta(Position)
        /// A snapshot.
        case snapshot(SnapshotReason)
    }

    /// What follows for a copy, as the call is before the Join changes it; for who only `looks`, as it is shown.
    mutating func follow(_ resume: Resume?, in call: Int, looks: Bool = false) -> Follow {
        let shown = calls[call]!.shownPosition
        guard let resume, resume.position != .zero || shown == .zero else { return .snapshot(.join) }
        let position = resume.position
        // Nobody is ever given seq 0 of an epoch, and no Delta can begin there.
        if position.seq == 0, position != .zero { return .snapshot(.unknownPosition) }
        let begin = calls[call]!.begin(of: position.epoch)
        if let begin, position.seq < begin { return .snapshot(.unknownPosition) }
        let epoch = looks ? shown.epoch : calls[call]!.state.position.epoch
        if position.epoch == epoch {
            // What was never shown was never issued.
            if position.epoch != shown.epoch || position.seq > shown.seq { return .snapshot(.unknownPosition) }
            // The meeting that is shown may be one that is over, of which no more than this is known.
            if begin == nil, position != shown { return .snapshot(.unknownPosition) }
        } else if !calls[call]!.isShared(position, with: epoch) {
            return .snapshot(.epoch)
        }
        let floor = looks ? calls[call]!.shownFloor : calls[call]!.state.floor
        if position.seq < floor { return .snapshot(.belowFloor) }
        if position == shown, resume.digest != calls[call]!.shownDigest { return .snapshot(.digest) }
        // The first copy of all has to be told that it is complete.
        if position == .zero { return .snapshot(.join) }
        return .delta(position)
    }

    mutating func welcome(
        _ index: Int,
        _ join: Join,
        _ outcome: Outcome,
        _ record: PrivateRecord,
        device: Slot,
        _ follow: Follow,
        in call: Int
    ) {
        lastAttachment += 1
        connections[index].uid = join.uid
        connections[index].device = join.device
        var joined = Joined()
        joined.outcome = outcome
        joined.incarnation = record.incarnation
        joined.attachment = lastAttachment
        joined.secret = record.secret
        joined.lastOp = record.operations.last
        // Who only looks waits for nothing: it comes to what is shown.
        let looks = device == 0 && record.secret.isEmpty
        joined.position = looks ? calls[call]!.shownPosition : calls[call]!.state.position
        let needs = looks ? 0 : needs(of: call)
        if device != 0, let person = calls[call]!.state.owner(of: device) {
            connections[index].role = .device(device)
            joined.person = person
            joined.device = device
            joined.rights = calls[call]!.rights(of: person, by: rightsRule(index))
        } else {
            calls[call]!.observers += 1
            joined.rights = rightsRule(index).observer
        }
        switch follow {
        case .delta(let position):
            joined.follows = position == joined.position ? .nothing : .delta
            connections[index].cursor = position
            connections[index].acknowledged = position
            lead(.joined(joined), needs: needs, of: call, on: index)
        case .snapshot(let reason):
            joined.follows = .snapshot
            connections[index].cursor = .zero
            lead(.joined(joined), needs: needs, of: call, on: index)
            var snapshot = PendingSnapshot(call: calls[call]!.id, reason: reason)
            snapshot.least = join.resume?.position ?? .zero
            lead(.snapshot(snapshot), needs: needs, of: call, on: index)
        }
        effects.append(
            .log(.joined(name(index), session: join.session, uid: join.uid, device: join.device, outcome: outcome))
        )
    }

    func rightsRule(_ index: Int) -> RightsRule {
        RightsRule(peer: connections[index].peer, isAdminOpen: configuration.isAdminOpen)
    }

    mutating func nextIncarnation() -> UInt64 {
        lastIncarnation += 1
        return lastIncarnation
    }

    /// 16 random bytes.
    mutating func secret() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        for _ in 0..<2 {
            let word: UInt64 = random.next()
            for shift in stride(from: 0 as UInt64, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> shift))
            }
        }
        return bytes
    }

    /// A new meeting's name: 16 hexadecimal digits.
    mutating func meetingName() -> ByteString {
        let word: UInt64 = random.next()
        let digits = String(word, radix: 16)
        return ByteString(String(repeating: "0", count: 16 - digits.utf8.count) + digits)
    }
}
