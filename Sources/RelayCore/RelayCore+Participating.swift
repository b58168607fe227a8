import CallState
import RollcallProtocol

// A Join of a participant: who comes in, who comes back, and who takes a device over.
extension RelayCore {
    mutating func participate(_ join: Join, in call: Int, on index: Int) {
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

    func replaced(_ uid: ByteString, _ device: ByteString, advice: Advice) -> Refusal {
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
}
