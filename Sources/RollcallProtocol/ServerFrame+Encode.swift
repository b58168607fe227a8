public import CallState

extension ServerFrame {
    /// Appends the whole frame, its length first.
    ///
    /// Deterministic: fields ascend and varints are as short as can be.
    public func encode(into bytes: inout [UInt8]) {
        switch self {
        case .delta(let delta):
            ServerFrame.encode(delta, into: &bytes)
        case .ack(let ack):
            ServerFrame.encode(ack, into: &bytes)
        case .ping(let ping):
            ServerFrame.encode(ping, into: &bytes)
        case .joined(let joined):
            ServerFrame.encode(joined, into: &bytes)
        case .snapshot(let head):
            ServerFrame.encode(head, into: &bytes)
        default:
            let frame = bytes.beginFrame()
            let body = bytes.beginMessage(number)
            appendFields(to: &bytes)
            bytes.endMessage(body)
            bytes.endFrame(frame)
        }
    }

    /// The number of the body in `ServerFrame` of `rollcall.proto`.
    public var number: UInt32 {
        switch self {
        case .welcome: 1
        case .joined: 2
        case .snapshot: 3
        case .part: 4
        case .delta: 5
        case .ack: 6
        case .ping: 7
        case .notice: 8
        case .closed: 9
        case .error: 10
        case .calls: 11
        case .connections: 12
        case .attendance: 13
        case .unknown(let number): number
        }
    }

    /// The fields of the frames that are not sent all the time.
    private func appendFields(to bytes: inout [UInt8]) {
        switch self {
        case .welcome(let welcome): bytes.append(welcome)
        case .part(let part):
            bytes.appendRecords(of: part.records, field: 1)
            if let end = part.end { bytes.write(2, end) }
        case .notice(let code, let text):
            bytes.put(1, code.rawValue)
            bytes.put(2, text)
        case .closed(let refusal):
            bytes.append(refusal)
        case .error(let refusal, let request):
            bytes.append(refusal)
            bytes.put(5, request)
        case .calls(let request, let calls, let more):
            bytes.put(1, request)
            for call in calls { bytes.write(2, call) }
            bytes.put(3, more)
        case .connections(let request, let connections, let more):
            bytes.put(1, request)
            for connection in connections { bytes.write(2, connection) }
            bytes.put(3, more)
        case .attendance(let request, let report):
            bytes.put(1, request)
            bytes.append(report)
        case .unknown, .joined, .snapshot, .delta, .ack, .ping:
            break
        }
    }
}

// MARK: The relay's fast path

extension ServerFrame {
    /// Appends a delta frame with everything that `diff` holds, straight from it.
    ///
    /// - Parameters:
    ///   - diff: What changed above `from.seq`, as it is at `to`.
    ///   - from: Left out when it is `to` minus one in the same epoch. Seq 0 is said as 1 where it is not left out: the
    ///     wire can't say it, and no copy of a living call is there.
    ///   - to: Where the diff ends.
    ///   - omitsEpoch: Leaves the epoch of `to` out: for a shared frame that follows one of the same epoch.
    ///   - actor: Slot of the device that caused it; nil is the changed device itself.
    ///   - op: Operation id; 0 is none.
    ///   - digest: Digest at `to`, in a frame made for one receiver.
    public static func encodeDelta(
        _ diff: borrowing Diff,
        from: Position,
        to: Position,
        omitsEpoch: Bool = false,
        actor: Slot? = nil,
        op: UInt64 = 0,
        digest: UInt64? = nil,
        into bytes: inout [UInt8]
    ) {
        let frame = bytes.beginFrame()
        let body = bytes.beginMessage(5)
        bytes.appendPositions(from, to, omitsEpoch: omitsEpoch)
        bytes.appendRecords(of: diff, field: 5)
        bytes.appendCause(actor: actor, op: op, digest: digest)
        bytes.endMessage(body)
        bytes.endFrame(frame)
    }

    /// The same frame for the records in `slots` of `state`, with what changed in them above `from.seq`, without a
    /// difference as a value in between.
    public static func encodeDelta(
        of state: borrowing CallState,
        in slots: [Slot],
        from: Position,
        omitsEpoch: Bool = false,
        actor: Slot? = nil,
        op: UInt64 = 0,
        digest: UInt64? = nil,
        into bytes: inout [UInt8]
    ) {
        let frame = bytes.beginFrame()
        let body = bytes.beginMessage(5)
        bytes.appendPositions(from, state.position, omitsEpoch: omitsEpoch)
        for slot in slots { state.appendRecord(slot, changedSince: from.seq, as: 5, to: &bytes) }
        bytes.appendCause(actor: actor, op: op, digest: digest)
        bytes.endMessage(body)
        bytes.endFrame(frame)
    }

    /// Appends a delta frame exactly as `delta` says it.
    public static func encode(_ delta: borrowing Delta, into bytes: inout [UInt8]) {
        let frame = bytes.beginFrame()
        let body = bytes.beginMessage(5)
        bytes.put(1, delta.toSeq)
        bytes.put(2, delta.toEpoch ?? 0)
        bytes.put(3, delta.fromSeq ?? 0)
        bytes.put(4, delta.fromEpoch ?? 0)
        bytes.appendRecords(of: delta.records, field: 5)
        bytes.appendCause(actor: delta.actor, op: delta.op, digest: delta.digest)
        bytes.endMessage(body)
        bytes.endFrame(frame)
    }

    /// Appends an answer to a command.
    public static func encode(_ ack: Ack, into bytes: inout [UInt8]) {
        if ack.code == .ok, ack.text.isEmpty, ack.after == 0 {
            return encodeDone(ack.op, at: ack.position, into: &bytes)
        }
        let frame = bytes.beginFrame()
        let body = bytes.beginMessage(6)
        bytes.put(1, ack.op)
        bytes.put(2, ack.code.rawValue)
        bytes.put(3, ack.position)
        bytes.put(4, ack.text)
        bytes.put(5, ack.after)
        bytes.endMessage(body)
        bytes.endFrame(frame)
    }

    /// Appends a heartbeat.
    public static func encode(_ ping: Ping, into bytes: inout [UInt8]) {
        let frame = bytes.beginFrame()
        let body = bytes.beginMessage(7)
        if let position = ping.position { bytes.write(1, position) }
        bytes.put(2, ping.time)
        if let digest = ping.digest { bytes.writeFixed(3, digest) }
        bytes.endMessage(body)
        bytes.endFrame(frame)
    }
}

extension [UInt8] {
    /// Where a delta leads from and to, without what follows from the rest.
    fileprivate mutating func appendPositions(_ from: Position, _ to: Position, omitsEpoch: Bool) {
        put(1, to.seq)
        if !omitsEpoch { put(2, to.epoch) }
        // 0 would be left out, and mean something else; no copy is below 1 of an epoch that has commits.
        let begin = Swift.max(1, from.seq)
        if from.epoch != to.epoch {
            put(3, begin)
            put(4, from.epoch)
        } else if from.seq &+ 1 != to.seq {
            put(3, begin)
        }
    }

    /// Who and which command caused a delta, and its digest.
    fileprivate mutating func appendCause(actor: Slot?, op: UInt64, digest: UInt64?) {
        if let actor { write(6, UInt64(actor)) }
        put(7, op)
        if let digest { writeFixed(8, digest) }
    }

    /// The end of a snapshot.
    mutating func write(_ field: UInt32, _ end: SnapshotEnd) {
        let mark = beginMessage(field)
        put(1, end.liveRecords)
        if end.digest != 0 { writeFixed(2, end.digest) }
        endMessage(mark)
    }

    fileprivate mutating func append(_ welcome: Welcome) {
        put(1, welcome.version)
        put(2, welcome.relayID)
        put(3, welcome.pingInterval)
        put(4, welcome.deadAfter)
        let mark = beginMessage(5)
        put(1, welcome.limits.frame)
        put(2, welcome.limits.unacknowledged)
        put(3, welcome.limits.settings)
        put(4, welcome.limits.attributes)
        put(5, welcome.limits.attributeValue)
        put(6, welcome.limits.people)
        endMessage(mark)
    }

    fileprivate mutating func append(_ refusal: Refusal) {
        put(1, refusal.code.rawValue)
        put(2, refusal.text)
        put(3, refusal.advice.rawValue)
        put(4, refusal.after)
    }

    fileprivate mutating func write(_ field: UInt32, _ call: CallSummary) {
        let mark = beginMessage(field)
        put(1, call.session)
        put(2, call.meeting)
        put(3, call.position)
        put(4, call.people)
        put(5, call.devices)
        put(6, call.observers)
        put(7, call.hands)
        put(8, call.recording)
        put(9, call.startedAt)
        put(10, call.title)
        endMessage(mark)
    }

    fileprivate mutating func write(_ field: UInt32, _ connection: ConnectionInfo) {
        let mark = beginMessage(field)
        put(1, connection.number)
        put(2, connection.session)
        put(3, connection.uid)
        put(4, connection.device)
        put(5, connection.mode.rawValue)
        put(6, connection.openedAt)
        put(7, connection.attachedAt)
        put(8, connection.cursor)
        put(9, connection.lag)
        put(10, connection.inFlight)
        put(11, connection.roundTrip)
        put(12, connection.writes)
        put(13, connection.merged)
        put(14, connection.clientName)
        put(15, connection.turns)
        put(16, connection.heldMost)
        endMessage(mark)
    }
}
