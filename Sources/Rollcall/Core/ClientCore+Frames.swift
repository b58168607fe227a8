import CallState
import RollcallProtocol

// What the relay sends.

extension ClientCore {
    /// Bytes came on the connection.
    package mutating func received(_ bytes: Span<UInt8>, at time: UInt64, into effects: inout [ClientEffect]) {
        advance(to: time)
        switch phase {
        case .idle, .connecting, .waiting, .closed: return
        case .joining, .synchronising, .settling, .live, .leaving: break
        }
        if bytes.isEmpty { return }
        lastByteAt = now
        let link = link
        var splitter = splitter
        self.splitter = FrameSplitter(maximumFrameLength: WireLimits.serverFrame)
        do {
            try splitter.feed(bytes) { frame in
                self.received(frame: frame, &effects)
                return self.link == link ? .proceed : .stop
            }
        } catch {
            if self.link == link { fail(unreadable(error), &effects) }
        }
        if self.link == link { self.splitter = splitter }
    }

    /// One whole frame came.
    private mutating func received(frame bytes: Span<UInt8>, _ effects: inout [ClientEffect]) {
        let frame: ServerFrame
        do {
            frame = try ServerFrame.decode(bytes)
        } catch {
            return fail(unreadable(error), &effects)
        }
        if configuration.isTraced {
            let before = confirmed
            let mark = effects.count
            take(frame, &effects)
            // The trace comes first: whoever is told of a change has been told of the frame.
            effects.insert(.trace(FrameTrace(frame: frame, before: before, after: confirmed)), at: mark)
        } else {
            take(frame, &effects)
        }
    }

    private mutating func take(_ frame: ServerFrame, _ effects: inout [ClientEffect]) {
        switch frame {
        case .welcome(let welcome): take(welcome, &effects)
        case .joined(let joined): take(joined, &effects)
        case .snapshot(let head): take(head)
        case .part(let part): take(part, &effects)
        case .delta(let delta): take(delta, &effects)
        case .ack(let ack): take(ack, &effects)
        case .ping(let ping): take(ping, &effects)
        case .closed(let refusal): closedByRelay(refusal, &effects)
        case .notice(.lagging, _): lags(true, &effects)
        case .notice(.caughtUp, _): lags(false, &effects)
        // A client that attends asks for none of these, and need not know what is new.
        case .notice, .error, .calls, .connections, .attendance, .unknown: return
        }
    }

    /// The relay says that this client is behind, or that it has caught up.
    private mutating func lags(_ isLagging: Bool, _ effects: inout [ClientEffect]) {
        guard isAttached, self.isLagging != isLagging else { return }
        self.isLagging = isLagging
        effects.append(.lagging(isLagging))
    }

    private mutating func take(_ welcome: Welcome, _ effects: inout [ClientEffect]) {
        guard !isWelcomed else { return fail(violation("a second Welcome"), &effects) }
        guard welcome.version == 1 else {
            return fail(violation("version \(welcome.version), where 1 was asked for"), &effects)
        }
        isWelcomed = true
        limits = welcome.limits.inForce
        let range = ClientCore.believableDeadAfter
        if welcome.deadAfter != 0 { deadAfter = min(max(welcome.deadAfter, range.lowerBound), range.upperBound) }
    }

    private mutating func take(_ joined: Joined, _ effects: inout [ClientEffect]) {
        guard isWelcomed, !isAttached else { return fail(violation("Joined out of order"), &effects) }
        guard joined.lastOp <= WireLimits.position else {
            return fail(violation("operation ids go on from \(joined.lastOp), which no client has reached"), &effects)
        }
        isAttached = true
        handshakeDeadline = nil
        streamEpoch = joined.position.epoch
        let goesOn = hasJoined && (joined.outcome == .resumed || joined.isSameObserver(as: self.joined))
        let hasExpired = hasJoined && !goesOn
        self.joined = joined
        hasJoined = true

        if case .leaving = phase { return send(.leave(leaveReason), &effects) }
        phase = .synchronising
        if hasExpired {
            let lost = error(.expired, "the device was away for too long; what was asked for did not happen")
            finish(commands.expire(own: own), .failure(lost), &effects)
        } else {
            commands.resumed(lastOp: joined.lastOp)
        }
        if joined.follows == .snapshot {
            isCopyVoid = true
            awaitsSnapshot = true
        } else if isCopyVoid {
            // Nothing to go on from: the relay took a position that was not given.
            resync(.gap, &effects)
        }
        sendCommands(&effects)
        if isSpeaking, !own.isObserver { send(.speaking(Speaking(on: true)), &effects) }
        copyChanged(&effects)
    }

    // MARK: The apply rule

    private mutating func take(_ head: SnapshotHead) {
        // An answer to a Peek, which is not about this copy.
        if head.request != 0 { return }
        streamEpoch = head.position.epoch
        if isAttached { assembly = SnapshotAssembly(head, maximum: configuration.maximumSnapshot) }
    }

    private mutating func take(_ part: SnapshotPart, _ effects: inout [ClientEffect]) {
        guard isAttached, assembly != nil else { return }
        guard assembly?.append(part) == true else {
            assembly = nil
            return resync(.invalid, &effects)
        }
        guard let end = part.end, let whole = assembly else { return }
        assembly = nil
        if let problem = whole.replace(&confirmed, end: end) { return resync(problem, &effects) }
        isCopyVoid = false
        awaitsSnapshot = false
        resyncs = 0
        resyncDeadline = nil
        copyChanged(&effects)
    }

    private mutating func take(_ delta: Delta, _ effects: inout [ClientEffect]) {
        guard isAttached else { return }
        // Remembered also from frames that are ignored.
        streamEpoch = delta.toEpoch ?? streamEpoch
        if awaitsSnapshot || assembly != nil { return }
        let to = Position(epoch: streamEpoch, seq: delta.toSeq)
        guard to.seq > 0 else { return resync(.invalid, &effects) }
        let from = Position(epoch: delta.fromEpoch ?? to.epoch, seq: delta.fromSeq ?? to.seq &- 1)
        do {
            if try confirmed.apply(delta.records, from: from, to: to) == .ignored { return }
        } catch {
            return resync(error.reason, &effects)
        }
        if let digest = delta.digest, digest != confirmed.digest { return resync(.digest, &effects) }
        copyChanged(&effects)
    }

    private mutating func take(_ ping: Ping, _ effects: inout [ClientEffect]) {
        // Also before the Join is accepted: the relay shall see that this side lives while the Join is worked on.
        send(.pong(Pong(position: isCopyVoid ? .zero : confirmed.position, time: ping.time)), &effects)
        guard isAttached, let position = ping.position, !awaitsSnapshot, assembly == nil else { return }
        if position > confirmed.position {
            resync(.ahead, &effects)
        } else if position == confirmed.position, let digest = ping.digest, digest != confirmed.digest {
            resync(.digest, &effects)
        }
    }

    /// Asks for a snapshot; the third in a row that did not help ends the connection.
    mutating func resync(_ reason: ResyncReason, _ effects: inout [ClientEffect]) {
        guard resyncs < 3 else {
            isCopyVoid = true
            return fail(violation("three snapshots in a row did not repair the copy"), &effects)
        }
        resyncs += 1
        awaitsSnapshot = true
        assembly = nil
        resyncDeadline = now + deadAfter
        let position = isCopyVoid ? Position.zero : confirmed.position
        send(.resync(Resync(position: position, reason: reason)), &effects)
    }

    // MARK: Errors

    private func violation(_ what: String) -> RollcallError {
        error(.protocolViolation, "the relay broke the protocol: \(what)")
    }

    private func unreadable(_ cause: WireError) -> RollcallError {
        var error = violation("\(cause.field) at byte \(cause.offset): \(cause.detail)")
        error.underlying = cause
        return error
    }
}

extension ApplyError {
    /// The reason that a Resync gives.
    fileprivate var reason: ResyncReason {
        switch self {
        case .epoch: .epoch
        case .gap: .gap
        case .unknownSlot: .unknownSlot
        case .invalid: .invalid
        }
    }
}

extension Joined {
    /// Whether an observer goes on with the incarnation of `earlier`, if it has one at all.
    fileprivate func isSameObserver(as earlier: Joined) -> Bool {
        outcome == .observer && secret == earlier.secret && incarnation == earlier.incarnation
    }
}
