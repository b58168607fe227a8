import CallState
import RollcallProtocol

// Joining: admission, the fresh join, the takeover, the resume.
extension RelayCore {
    mutating func join(_ join: Join, on index: Int) {
        if let stop { return close(index, goingAway(after: stop.resumeAfter)) }
        if let fault = fault(of: join) { return close(index, Refusal(code: .badRequest, text: fault)) }
        guard admits(join, on: index) else { return }
        guard let call = makeCall(named: join.session) else {
            let text = "the relay has \(configuration.maximumCalls) calls, which is its limit"
            return close(index, Refusal(code: .limit, text: text))
        }
        emptied(call)
        if changes(join, on: index), refusesChanges(call) { return close(index, storeRefusal) }
        let needsEpoch = join.mode == .participant && !calls[call]!.isOccupied && calls[call]!.nextEpoch == nil
        if mustBeClaimed(call) || needsEpoch { return claim(call, for: .join(join), on: index) }
        tell(call)
        switch join.mode {
        case .participant: participate(join, in: call, on: index)
        case .observer: observe(join, in: call, on: index)
        }
    }

    /// Whether a Join changes something that the store must have.
    private func changes(_ join: Join, on index: Int) -> Bool {
        join.mode == .participant || (rightsRule(index).observer.contains(.actForOthers) && canResume(join))
    }

    /// Whether an observer that acts for others can come back as the same one: only who can be named can, or has been.
    ///
    /// Of another one nothing has to be kept before it asks for something.
    private func canResume(_ join: Join) -> Bool {
        (!join.uid.isEmpty && !join.device.isEmpty) || join.resume?.secret.isEmpty == false
    }

    /// What is wrong with the values of a Join; nil is nothing.
    private func fault(of join: Join) -> String? {
        func length(_ what: String, _ count: Int, _ range: ClosedRange<Int>) -> String? {
            if range.contains(count) { return nil }
            return "Join.\(what) has \(count) bytes, \(range.lowerBound) to \(range.upperBound) are allowed"
        }
        // An observer may leave uid and device empty.
        let least = join.mode == .observer ? 0 : 1
        let faults = [
            length("session_id", join.session.count, WireLimits.session),
            length("uid", join.uid.count, least...WireLimits.uid.upperBound),
            length("device", join.device.count, least...WireLimits.device.upperBound),
            length("name", join.name?.count ?? 0, WireLimits.name),
            length("avatar", join.avatar?.count ?? 0, WireLimits.avatar),
        ]
        if let fault = faults.compactMap(\.self).first { return fault }
        if UInt64(join.attributes.count) > configuration.limits.attributes {
            return
                "Join.attributes has \(join.attributes.count), at most \(configuration.limits.attributes) are allowed"
        }
        for attribute in join.attributes {
            if let fault = length("attributes.key", attribute.key.count, WireLimits.key) { return fault }
            let longest = Int(clamping: configuration.limits.attributeValue)
            if let fault = length("attributes.value", attribute.value?.count ?? 0, 0...longest) { return fault }
        }
        if let grace = join.grace, grace > WireLimits.grace {
            return "Join.grace_ms is \(grace), at most \(WireLimits.grace) is allowed"
        }
        if let idle = join.idle, idle > WireLimits.position {
            return "Join.idle_ms is \(idle), at most \(WireLimits.position) is allowed"
        }
        if let role = join.role, role != .participant, role != .moderator {
            return "Join.role is \(role.rawValue): 0 is participant, 1 moderator"
        }
        if join.view != 0 { return "Join.view is \(join.view): this relay has only view 0, the whole call" }
        return nil
    }

    // MARK: Participants

    private mutating func participate(_ join: Join, in call: Int, on index: Int) {
        let limits = AdmissionLimits(
            people: configuration.limits.people,
            devices: configuration.maximumDevicesPerPerson
        )
        if calls[call]!.replaced.contains(join.resume?.secret ?? [], byOtherThan: connections[index].instance) {
            return close(index, replaced(join.uid, join.device, advice: .never), for: call)
        }
        switch calls[call]!.admission(of: join.uid, device: join.device, within: limits) {
        case .refused(let code, let text):
            close(index, Refusal(code: code, text: text), for: call)
        case _ where holdsTooMuch(join, in: call):
            let text = "\(join.uid) would have more than \(configuration.limits.attributes) attributes"
            close(index, Refusal(code: .limit, text: text), for: call)
        case .new:
            comeIn(join, to: call, on: index)
        case .present(let person, let device):
            comeBack(join, to: call, person: person, device: device, on: index)
        }
    }

    /// Whether the attributes of a Join that counts are more than the person may have with those that it has.
    private func holdsTooMuch(_ join: Join, in call: Int) -> Bool {
        guard !join.attributes.isEmpty, let person = calls[call]!.state.personSlot(uid: join.uid) else { return false }
        if let secret = join.resume?.secret, let device = calls[call]!.state.deviceSlot(of: person, id: join.device),
            calls[call]!.records[device]?.proves(secret) == true
        {
            return false
        }
        var keys = Set(calls[call]!.state.entries(PersonField.attributes, of: person).map(\.key))
        for attribute in join.attributes where attribute.value != nil { keys.insert(attribute.key) }
        return UInt64(keys.count) > configuration.limits.attributes
    }

    private mutating func comeIn(_ join: Join, to call: Int, on index: Int) {
        if !calls[call]!.isOccupied, !beginEpoch(of: call) {
            let text = "the store gave an epoch that this call has had already: the meeting can't begin"
            return close(index, Refusal(code: .store, text: text, advice: .after, after: Self.overloadPause))
        }
        let follow = follow(join.resume, in: call)
        let terms = MeetingTerms(
            meeting: meetingName(),
            grace: join.grace ?? min(configuration.grace, WireLimits.grace),
            idle: join.idle ?? configuration.idle
        )
        let newcomer = newcomer(join, on: index)
        beginCommit(call)
        let device = calls[call]!.add(newcomer, terms: terms)
        endCommit(call, actor: device)
        var record = PrivateRecord(incarnation: nextIncarnation(), secret: secret())
        attach(index, to: call, record: &record, attempt: join.attempt)
        calls[call]!.records[device] = record
        mark(call, .device(device))
        let outcome: Outcome = join.resume == nil ? .new : .expired
        welcome(index, join, outcome, record, device: device, follow, in: call)
    }

    /// The device is in the call already: it resumes, or it is taken over.
    private mutating func comeBack(_ join: Join, to call: Int, person: Slot, device: Slot, on index: Int) {
        guard var record = calls[call]!.records[device] else { return }
        let instance = connections[index].instance
        if record.instance == instance, join.attempt <= record.attempt {
            let text = "attempt \(join.attempt) of this device is not above \(record.attempt), the last one"
            return close(index, Refusal(code: .staleAttempt, text: text), for: call)
        }
        let offered = join.resume?.secret ?? []
        let resumes = record.proves(offered)
        mark(call, .device(device))
        // The old connection first: what it is told is what was so before it was replaced.
        if let old = record.connection.flatMap({ self.index(of: $0) }) {
            let isSame = record.instance == instance
            close(old, replaced(join.uid, join.device, advice: isSame ? .now : .never))
        }
        silence(device, in: call)
        let follow = follow(join.resume, in: call)
        beginCommit(call)
        if resumes {
            calls[call]!.state.restoreLink(of: device)
            if let lost = calls[call]!.firstLost(after: join.resume?.position) {
                calls[call]!.state(join, of: device, ifUnchangedSince: lost)
            }
        } else {
            let newcomer = newcomer(join, on: index)
            calls[call]!.takeOver(device, of: person, by: newcomer)
            let replaced = record.secret
            record.replace(incarnation: nextIncarnation(), secret: secret())
            calls[call]!.replaced.insert(replaced, by: instance, with: record.secret)
            mark(call, .replaced)
        }
        endCommit(call, actor: device)
        disown(device, record, in: call)
        record.broughtBy = nil
        attach(index, to: call, record: &record, attempt: join.attempt)
        calls[call]!.records[device] = record
        let outcome: Outcome = resumes ? .resumed : join.resume == nil ? .replaced : .expired
        welcome(index, join, outcome, record, device: device, follow, in: call)
    }

    private func replaced(_ uid: ByteString, _ device: ByteString, advice: Advice) -> Refusal {
        let who = advice == .never ? "another program" : "a newer connection of the same program"
        return Refusal(
            code: .replaced,
            text: "device \(device) of \(uid) was taken over by \(who)",
            advice: advice
        )
    }

    private func newcomer(_ join: Join, on index: Int) -> Newcomer {
        var newcomer = Newcomer(uid: join.uid, device: join.device)
        newcomer.clientName = connections[index].clientName
        newcomer.name = join.name
        newcomer.avatar = join.avatar
        newcomer.role = join.role
        newcomer.attributes = join.attributes.compactMap { attribute in
            attribute.value.map { AttributeValue(key: attribute.key, value: $0) }
        }
        newcomer.audioMuted = join.audioMuted ?? true
        newcomer.videoPaused = join.videoPaused ?? true
        newcomer.presenting = join.presenting ?? false
        return newcomer
    }

    // MARK: Observers

    private mutating func observe(_ join: Join, in call: Int, on index: Int) {
        guard calls[call]!.observers < configuration.maximumObservers else {
            let text = "the call has \(configuration.maximumObservers) observers, which is the limit"
            return close(index, Refusal(code: .limit, text: text))
        }
        let rights = rightsRule(index).observer
        let acts = rights.contains(.actForOthers)
        let follow = follow(join.resume, in: call, looks: !acts || !canResume(join))
        guard acts else {
            var record = PrivateRecord(incarnation: 0, secret: [])
            attach(index, to: call, record: &record, attempt: join.attempt)
            connections[index].role = .observer
            return welcome(index, join, .observer, record, device: 0, follow, in: call)
        }
        var record: PrivateRecord
        if let place = actor(proving: join.resume?.secret ?? [], in: call) {
            record = calls[call]!.actors[place]
            mark(call, .actor(record.incarnation))
            if let old = record.connection.flatMap({ self.index(of: $0) }) {
                let isSame = record.instance == connections[index].instance
                close(old, replaced(join.uid, join.device, advice: isSame ? .now : .never))
            }
            restoreBrought(by: place, in: call)
        } else {
            record = PrivateRecord(incarnation: nextIncarnation(), secret: canResume(join) ? secret() : [])
            calls[call]!.actors.append(record)
            if canResume(join) { mark(call, .actor(record.incarnation)) }
        }
        attach(index, to: call, record: &record, attempt: join.attempt)
        connections[index].role = .actor(record.incarnation)
        if let place = place(ofActor: record.incarnation, in: call) { calls[call]!.actors[place] = record }
        welcome(index, join, .observer, record, device: 0, follow, in: call)
    }

    private func actor(proving secret: [UInt8], in call: Int) -> Int? {
        calls[call]!.actors.firstIndex { $0.proves(secret) }
    }

    /// Where an observer that acts for others is in its call's list.
    func place(ofActor incarnation: UInt64, in call: Int) -> Int? {
        calls[call]!.actors.firstIndex { $0.incarnation == incarnation }
    }

    // MARK: Attaching

    /// Makes the connection the current attachment of a record.
    private mutating func attach(_ index: Int, to call: Int, record: inout PrivateRecord, attempt: UInt64) {
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
    private mutating func follow(_ resume: Resume?, in call: Int, looks: Bool = false) -> Follow {
        let shown = calls[call]!.shownPosition
        guard let resume, resume.position != .zero || shown == .zero else { return .snapshot(.join) }
        let position = resume.position
        // Nobody is ever given seq 0 of an epoch, and no Delta can begin there.
        if position.seq == 0, position != .zero { return .snapshot(.unknownPosition) }
        let epoch = looks ? shown.epoch : calls[call]!.state.position.epoch
        if position.epoch == epoch {
            let first = epoch == calls[call]!.state.position.epoch ? calls[call]!.epochStart : 0
            // What was never shown was never issued.
            if position.epoch != shown.epoch || position.seq > shown.seq || position.seq < first {
                return .snapshot(.unknownPosition)
            }
        } else if !calls[call]!.isShared(position, with: epoch) {
            return .snapshot(calls[call]!.isBelowEpoch(position) ? .unknownPosition : .epoch)
        }
        let floor = looks ? calls[call]!.shownFloor : calls[call]!.state.floor
        if position.seq < floor { return .snapshot(.belowFloor) }
        if position == shown, resume.digest != calls[call]!.shownDigest { return .snapshot(.digest) }
        // The first copy of all has to be told that it is complete.
        if position == .zero { return .snapshot(.join) }
        return .delta(position)
    }

    private mutating func welcome(
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
            lead(.bytes(bytes(of: joined)), needs: needs, of: call, on: index)
        case .snapshot(let reason):
            joined.follows = .snapshot
            connections[index].cursor = .zero
            lead(.bytes(bytes(of: joined)), needs: needs, of: call, on: index)
            var snapshot = PendingSnapshot(call: calls[call]!.id, reason: reason)
            snapshot.least = join.resume?.position ?? .zero
            lead(.snapshot(snapshot), needs: needs, of: call, on: index)
        }
        effects.append(
            .log(.joined(name(index), session: join.session, uid: join.uid, device: join.device, outcome: outcome))
        )
    }

    private func bytes(of joined: Joined) -> [UInt8] {
        var bytes: [UInt8] = []
        ServerFrame.joined(joined).encode(into: &bytes)
        return bytes
    }

    func rightsRule(_ index: Int) -> RightsRule {
        RightsRule(peer: connections[index].peer, isAdminOpen: configuration.isAdminOpen)
    }

    private mutating func nextIncarnation() -> UInt64 {
        lastIncarnation += 1
        return lastIncarnation
    }

    /// 16 random bytes.
    private mutating func secret() -> [UInt8] {
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
