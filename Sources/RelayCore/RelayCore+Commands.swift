import CallState
import RollcallProtocol

// Commands: operation ids, execution, acknowledgement, and what follows from them.
extension RelayCore {
    mutating func command(_ command: Command, on index: Int) {
        guard let call = call(of: index) else { return }
        guard let known = standing(of: index, in: call) else {
            let who = connections[index].uid.isEmpty ? "an observer" : connections[index].uid.string
            let text = "\(who) may not send commands: it observes without the right to act for others"
            return acknowledge(Ack(op: command.op, code: .denied, position: position(call), text: text), on: index)
        }
        guard (1...WireLimits.position).contains(command.op) else {
            let text = "an operation id is 1 to \(WireLimits.position), not \(command.op)"
            return acknowledge(Ack(op: command.op, code: .invalid, position: position(call), text: text), on: index)
        }
        guard command.op > known.last else { return repeated(command.op, last: known.last, on: index, in: call) }
        if refusesChanges(call) {
            let refusal = storeRefusal
            return acknowledge(
                Ack(
                    op: command.op,
                    code: .store,
                    position: calls[call]!.shownPosition,
                    text: refusal.text,
                    after: refusal.after
                ),
                on: index
            )
        }
        let sender = sender(index, known.incarnation, in: call)
        let begins = brings(command) && sender.rights.contains(.actForOthers) && !calls[call]!.isOccupied
        // Before the rates: what waits for the store comes here again, and is charged when it is done.
        if begins, calls[call]!.nextEpoch == nil { return claim(call, for: .command(command), on: index) }
        if let excess = excess(of: command, on: index, in: call) {
            let position = calls[call]!.shownPosition
            let answer = Ack(op: command.op, code: .rate, position: position, text: excess.text, after: excess.wait)
            return acknowledge(answer, on: index)
        }
        if begins, !beginEpoch(of: call) {
            let text = "the store gave an epoch that this call has had already: the meeting can't begin"
            return acknowledge(Ack(op: command.op, code: .store, position: position(call), text: text), on: index)
        }
        // By itself: a closure that names the command holds a copy of it.
        let op = command.op
        do throws(CommandRefusal) {
            try execute(command, by: sender, in: call)
            let position = position(call)
            updateRecord(of: index, in: call) { $0.operations.record(done: op, at: position) }
            markRecord(of: index, in: call)
            acknowledge(done: op, at: position, on: index)
        } catch {
            let answer = Ack(op: op, code: error.code, position: position(call), text: error.text)
            updateRecord(of: index, in: call) { $0.operations.record(answer) }
            markRecord(of: index, in: call)
            acknowledge(answer, on: index)
        }
    }

    /// Answers a command whose operation id is not a new one.
    private mutating func repeated(_ op: UInt64, last: UInt64, on index: Int, in call: Int) {
        var known = OperationWindow.Lookup.tooOld
        updateRecord(of: index, in: call) { known = $0.operations.lookup(op) }
        if case .answered(let answer) = known { return acknowledge(answer, on: index) }
        let text = "operation \(op) is not above \(last), the last one, and its result is not known"
        acknowledge(Ack(op: op, code: .tooOld, position: position(call), text: text), on: index)
    }

    /// Does a command and what follows from it.
    private mutating func execute(_ command: Command, by sender: Sender, in call: Int) throws(CommandRefusal) {
        calls[call]!.tell(now.wall)
        let context = CommandContext(
            limits: configuration.limits,
            maximumDevicesPerPerson: configuration.maximumDevicesPerPerson,
            terms: MeetingTerms(
                meeting: calls[call]!.isOccupied ? .empty : meetingName(),
                grace: min(configuration.grace, WireLimits.grace),
                idle: configuration.idle
            )
        )
        var consequences = CommandConsequences()
        let isChange = try calls[call]!.execute(command, by: sender, in: context, &consequences)
        if isChange { changed(call, actor: sender.device ?? 0, op: command.op) }
        if !consequences.isEmpty { follow(consequences, of: sender, in: call) }
    }

    private func brings(_ command: Command) -> Bool {
        var brings = false
        command.settings.visit { setting in
            if case .bringIn = setting.change { brings = true }
        }
        return brings
    }

    private func position(_ call: Int) -> Position { calls[call]!.state.position }

    // MARK: The sender

    /// What a command needs to know of its sender's private record.
    private struct Standing {
        var incarnation: UInt64
        /// The highest operation id that was answered.
        var last: UInt64
    }

    /// Nil for an observer that may not act.
    private mutating func standing(of index: Int, in call: Int) -> Standing? {
        if case .actor(let incarnation) = connections[index].role {
            guard let place = place(ofActor: incarnation, in: call) else { return nil }
            return Standing(incarnation: incarnation, last: calls[call]!.actors[place].operations.last)
        }
        var standing: Standing?
        updateRecord(of: index, in: call) { record in
            standing = Standing(incarnation: record.incarnation, last: record.operations.last)
        }
        return standing
    }

    /// Lets `body` have what is private to whoever sends on a connection, in place: it is too much to copy for each
    /// command.
    private mutating func updateRecord(of index: Int, in call: Int, _ body: (inout PrivateRecord) -> Void) {
        switch connections[index].role {
        case .device(let device):
            if let place = calls[call]!.records.index(forKey: device) { body(&calls[call]!.records.values[place]) }
        case .actor(let incarnation):
            if let place = place(ofActor: incarnation, in: call) { body(&calls[call]!.actors[place]) }
        case .observer:
            break
        }
    }

    /// What is private to whoever sends on a connection has changed.
    private mutating func markRecord(of index: Int, in call: Int) {
        switch connections[index].role {
        case .device(let device): mark(call, .device(device))
        case .actor(let incarnation): mark(call, .actor(incarnation))
        case .observer: break
        }
    }

    private mutating func sender(_ index: Int, _ incarnation: UInt64, in call: Int) -> Sender {
        let rule = rightsRule(index)
        var sender = Sender(
            rights: rule.observer,
            uid: connections[index].uid,
            incarnation: incarnation,
            moderatorsOnly: false
        )
        if case .device(let device) = connections[index].role { calls[call]!.describe(&sender, device, by: rule) }
        return sender
    }

    // MARK: Consequences

    private mutating func follow(_ consequences: CommandConsequences, of sender: Sender, in call: Int) {
        if consequences.removedBefore != nil { mark(call, .removed) }
        for departed in consequences.takenOut {
            let text =
                departed.reason == .removed
                ? "\(sender.name) removed \(departed.uid) from this call"
                : "\(sender.name) took device \(departed.device) of \(departed.uid) out of this call"
            forget(departed, in: call, closing: Refusal(code: .removed, text: text))
        }
        for device in consequences.brought where calls[call]!.state.owner(of: device) != nil {
            bring(device, by: sender.incarnation, in: call)
        }
        for request in consequences.requests {
            willLapse(requestOf: request.person, in: call, after: request.after)
        }
        if let stated = consequences.stated, calls[call]!.isOccupied {
            calls[call]!.election.state(stated)
        }
    }

    /// Makes a device one that the observer `incarnation` brought in.
    private mutating func bring(_ device: Slot, by incarnation: UInt64, in call: Int) {
        guard let place = place(ofActor: incarnation, in: call) else { return }
        if let known = calls[call]!.records[device] { disown(device, known, in: call) }
        silence(device, in: call)
        lastIncarnation += 1
        var record = PrivateRecord(incarnation: lastIncarnation, secret: [])
        record.broughtBy = incarnation
        calls[call]!.records[device] = record
        mark(call, .device(device))
        calls[call]!.actors[place].brought.append(device)
        mark(call, .actor(incarnation))
    }

    /// A device is not one of those that its observer brought in any more.
    mutating func disown(_ device: Slot, _ record: PrivateRecord, in call: Int) {
        guard let owner = record.broughtBy, let place = place(ofActor: owner, in: call) else { return }
        calls[call]!.actors[place].brought.removeAll { $0 == device }
        mark(call, .actor(owner))
    }
}
