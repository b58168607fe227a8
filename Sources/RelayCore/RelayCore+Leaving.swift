import CallState
import RollcallProtocol

// Leaving, losing the link, and the grace after that.
extension RelayCore {
    mutating func leave(_ reason: LeaveReason, on index: Int) {
        guard let call = call(of: index) else { return }
        let role = connections[index].role
        // What it is told is what was so before it left, and it is told when that is kept.
        let isKept = isKept(role, in: call)
        if isKept { mark(call) }
        connections[index].goodbye = isKept ? .changed : .asItWas
        close(index, Self.hasLeft)
        let reason: LeaveReason = reason == .lost ? .lost : .left
        switch role {
        case .device(let device):
            takeOut([device], of: call, reason: reason, actor: device)
        case .actor(let incarnation):
            guard let place = place(ofActor: incarnation, in: call) else { return }
            let actor = calls[call]!.actors.remove(at: place)
            deadlines.remove(.actorGrace(calls[call]!.id, incarnation: incarnation))
            guard actor.isKept else { return emptied(call) }
            mark(call, .actor(incarnation))
            takeOut(actor.brought, of: call, reason: reason)
        case .observer:
            break
        }
    }

    static let hasLeft = Refusal(code: .left, text: "left")

    /// Whether a store has to know that somebody leaves who attends as `role`.
    private func isKept(_ role: Connection.Role, in call: Int) -> Bool {
        switch role {
        case .device: true
        case .actor(let incarnation):
            place(ofActor: incarnation, in: call).map { calls[call]!.actors[$0].isKept } ?? false
        case .observer: false
        }
    }

    /// Takes devices out in one commit; the last one ends the meeting.
    mutating func takeOut(_ devices: [Slot], of call: Int, reason: LeaveReason, actor: Slot = 0) {
        let departed = devices.map { calls[call]!.departed($0, reason) }
        beginCommit(call)
        let clock = calls[call]!.clock
        for device in devices { calls[call]!.state.removeDevice(device, at: clock, reason: reason) }
        if !calls[call]!.isOccupied { calls[call]!.state.endMeeting(at: clock) }
        endCommit(call, actor: actor)
        for device in departed { forget(device, in: call, closing: nil) }
    }

    /// Forgets what is private to a device that has left, and ends its connection with `refusal`.
    mutating func forget(_ departed: Departed, in call: Int, closing refusal: Refusal?) {
        if let record = calls[call]!.records.removeValue(forKey: departed.slot) {
            mark(call, .device(departed.slot))
            deadlines.remove(.grace(calls[call]!.id, device: departed.slot))
            disown(departed.slot, record, in: call)
            if let refusal { closeAttachment(of: record, refusal) }
        }
        let session = calls[call]!.session
        effects.append(
            .log(.left(session: session, uid: departed.uid, device: departed.device, reason: departed.reason))
        )
    }

    // MARK: Lost links

    /// The connection is gone or given up: what it attended as has lost its link.
    mutating func loseLink(of index: Int) {
        guard let call = connections[index].call else { return }
        let role = connections[index].role
        let wasAttached = connections[index].phase == .attached
        detach(index, isHeard: false)
        // A relay that stops makes nobody reconnect: they are told to come back.
        guard wasAttached, stop == nil else { return }
        loseLink(of: role, in: call, at: index)
    }

    /// Whoever attended as `role` on a connection has lost the link, if it was the current one.
    mutating func loseLink(of role: Connection.Role, in id: CallID, at index: Int) {
        guard let call = self.index(of: id) else { return }
        let connection = name(index)
        switch role {
        case .device(let device):
            guard calls[call]!.records[device]?.connection == connection else { return }
            calls[call]!.records[device]!.connection = nil
            calls[call]!.records[device]!.lastPosition = connections[index].acknowledged
            loseLink(ofDevice: device, in: call)
        case .actor(let incarnation):
            guard let place = place(ofActor: incarnation, in: call),
                calls[call]!.actors[place].connection == connection
            else { return }
            calls[call]!.actors[place].connection = nil
            calls[call]!.actors[place].lastPosition = connections[index].acknowledged
            loseLink(ofActor: place, in: call)
        case .observer:
            break
        }
    }

    private mutating func loseLink(ofDevice device: Slot, in call: Int) {
        silence(device, in: call)
        let grace = calls[call]!.state.number(PolicyField.grace, of: .policy) ?? 0
        guard grace > 0 else { return takeOut([device], of: call, reason: .lost) }
        beginCommit(call)
        let until = calls[call]!.clock + grace
        calls[call]!.state.loseLink(of: device, until: until)
        endCommit(call)
        calls[call]!.records[device]?.graceEnds = now.monotonic + grace
        deadlines.set(.grace(calls[call]!.id, device: device), at: now.monotonic + grace)
    }

    /// With an observer that acts for others all devices that it brought in lose their link, in one commit.
    private mutating func loseLink(ofActor place: Int, in call: Int) {
        let actor = calls[call]!.actors[place]
        let grace = calls[call]!.state.number(PolicyField.grace, of: .policy) ?? configuration.grace
        for device in actor.brought { silence(device, in: call) }
        guard grace > 0, !actor.secret.isEmpty || !actor.brought.isEmpty else {
            calls[call]!.actors.remove(at: place)
            if actor.isKept { mark(call, .actor(actor.incarnation)) }
            if !actor.brought.isEmpty { takeOut(actor.brought, of: call, reason: .lost) }
            return emptied(call)
        }
        beginCommit(call)
        let until = calls[call]!.clock + grace
        for device in actor.brought { calls[call]!.state.loseLink(of: device, until: until) }
        endCommit(call)
        calls[call]!.actors[place].graceEnds = now.monotonic + grace
        deadlines.set(
            .actorGrace(calls[call]!.id, incarnation: actor.incarnation),
            at: now.monotonic + grace
        )
    }

    /// The devices that an observer brought in have their link again, in one commit.
    mutating func restoreBrought(by place: Int, in call: Int) {
        beginCommit(call)
        for device in calls[call]!.actors[place].brought { calls[call]!.state.restoreLink(of: device) }
        endCommit(call)
    }

    /// How much longer a grace, or the time alone, lasts that ends while the store can't keep that somebody comes, in
    /// ms.
    private static let deferredGrace: UInt64 = 15_000

    /// When a grace ends that was to end at `instant`, if that could not be so: nobody can come back to a relay that
    /// stands still, nor while the store can't keep it.
    private func deferred(_ instant: UInt64, in call: Int) -> UInt64? {
        if refusesChanges(call) { return now.monotonic + Self.deferredGrace }
        // Who came back meanwhile is heard only after this turn.
        return stoodStillSince.map { now.monotonic + max(1, instant - min(instant, $0)) }
    }

    mutating func graceEnded(of device: Slot, in id: CallID, at instant: UInt64) {
        guard let call = index(of: id), calls[call]!.records[device]?.graceEnds == instant else { return }
        if let later = deferred(instant, in: call) {
            calls[call]!.records[device]!.graceEnds = later
            return deadlines.set(.grace(id, device: device), at: later)
        }
        takeOut([device], of: call, reason: .lost)
    }

    mutating func graceEnded(ofActor incarnation: UInt64, in id: CallID, at instant: UInt64) {
        guard let call = index(of: id), let place = place(ofActor: incarnation, in: call),
            calls[call]!.actors[place].graceEnds == instant
        else { return }
        if let later = deferred(instant, in: call) {
            calls[call]!.actors[place].graceEnds = later
            return deadlines.set(.actorGrace(id, incarnation: incarnation), at: later)
        }
        mark(call, .actor(incarnation))
        let actor = calls[call]!.actors.remove(at: place)
        if !actor.brought.isEmpty { takeOut(actor.brought, of: call, reason: .lost) }
        emptied(call)
    }

    // MARK: Idle

    /// Counts the time with at most one person in.
    mutating func watchIdle(_ call: Int, people: Int) {
        guard people == 1 else {
            calls[call]!.idleSince = nil
            return
        }
        let idle = calls[call]!.state.number(PolicyField.idle, of: .policy) ?? 0
        guard idle > 0 else { return }
        let since = calls[call]!.idleSince ?? Int64(clamping: now.monotonic)
        calls[call]!.idleSince = since
        // A period as long as that is no period.
        let (sum, isNever) = since.addingReportingOverflow(Int64(clamping: idle))
        let due = UInt64(max(0, sum))
        guard !isNever, due < calls[call]!.idleWake else { return }
        calls[call]!.idleWake = due
        deadlines.set(.idle(calls[call]!.id), at: due)
    }

    mutating func idleIsDue(in id: CallID, at instant: UInt64) {
        guard let call = index(of: id), calls[call]!.idleWake == instant else { return }
        calls[call]!.idleWake = .max
        let idle = calls[call]!.state.number(PolicyField.idle, of: .policy) ?? 0
        guard var since = calls[call]!.idleSince, idle > 0 else { return }
        if let stoodStillSince {
            // Nobody could come in.
            since += Int64(clamping: now.monotonic - stoodStillSince)
            calls[call]!.idleSince = since
        }
        guard Int64(clamping: now.monotonic) - since >= Int64(clamping: idle) else {
            return watchIdle(call, people: calls[call]!.state.peopleCount)
        }
        if refusesChanges(call) {
            // Nobody can come in: nobody is put out for being alone.
            calls[call]!.idleWake = now.monotonic + Self.deferredGrace
            return deadlines.set(.idle(id), at: calls[call]!.idleWake)
        }
        let devices = calls[call]!.state.deviceSlots
        let refusal = Refusal(code: .idle, text: "the meeting ended: at most one person was in it for \(idle) ms")
        // Closed first: nobody is told of the end of a meeting by seeing everybody leave.
        mark(call)
        for device in devices {
            if let record = calls[call]!.records[device] { closeAttachment(of: record, refusal) }
        }
        takeOut(devices, of: call, reason: .ended)
    }

    /// Ends the connection of a record's current attachment.
    private mutating func closeAttachment(of record: PrivateRecord, _ refusal: Refusal) {
        if let index = record.connection.flatMap({ index(of: $0) }) { close(index, refusal) }
    }
}
