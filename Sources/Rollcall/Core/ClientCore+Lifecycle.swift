package import CallState
import RollcallProtocol

// The life of the connection: made, lost, made again, left.

extension ClientCore {
    /// Begins: asks for the first connection.
    package mutating func start(at time: UInt64, into effects: inout [ClientEffect]) {
        advance(to: time)
        guard phase == .idle else { return }
        phase = .connecting
        effects.append(.connect)
    }

    /// The connection is made: greets and joins in one write.
    package mutating func connected(at time: UInt64, into effects: inout [ClientEffect]) {
        advance(to: time)
        guard phase == .connecting else { return }
        resetLink()
        lastByteAt = now
        handshakeDeadline = now + configuration.handshakeTimeout
        phase = .joining
        var bytes = FrameSplitter.preface
        let hello = Hello(clientName: configuration.clientName, instance: configuration.instance)
        ClientFrame.hello(hello).encode(into: &bytes)
        ClientFrame.join(nextJoin()).encode(into: &bytes)
        effects.append(.send(bytes))
    }

    /// The connection could not be made, or has ended, or the owner cut it; the owner has closed it.
    package mutating func linkLost(_ cause: RollcallError, at time: UInt64, into effects: inout [ClientEffect]) {
        advance(to: time)
        switch phase {
        case .idle, .waiting, .closed: return
        case .leaving: close(.left, &effects)
        case .connecting, .joining, .synchronising, .settling, .live: comeBack(after: cause, advice: 0, &effects)
        }
    }

    /// The owner cuts a good connection, as a fault would.
    package mutating func cut(at time: UInt64, into effects: inout [ClientEffect]) {
        advance(to: time)
        switch phase {
        case .idle, .waiting, .closed: return
        case .connecting, .joining, .synchronising, .settling, .live, .leaving:
            fail(error(.linkLost, "the link was cut on purpose"), &effects)
        }
    }

    /// Time has passed.
    package mutating func tick(at time: UInt64, into effects: inout [ClientEffect]) {
        advance(to: time)
        switch phase {
        case .idle, .connecting, .closed:
            return
        case .leaving(let until):
            if now >= until {
                effects.append(.disconnect)
                close(.left, &effects)
            }
        case .waiting(let until):
            if let giveUpDeadline, now >= giveUpDeadline {
                close(.ended(error(.linkLost, "the link was lost and could not be made again in time")), &effects)
            } else if now >= until {
                phase = .connecting
                effects.append(.connect)
            }
        case .joining, .synchronising, .settling, .live:
            if now >= lastByteAt + deadAfter {
                fail(error(.timedOut, "the relay has been silent for \(deadAfter) ms"), &effects)
            } else if let handshakeDeadline, now >= handshakeDeadline {
                let time = configuration.handshakeTimeout
                fail(error(.timedOut, "the relay has not answered the join within \(time) ms"), &effects)
            } else if let resyncDeadline, now >= resyncDeadline {
                fail(error(.timedOut, "the relay has not answered the request for a snapshot"), &effects)
            }
        }
    }

    /// Leaves.
    ///
    /// What was not sent yet fails; what was is answered first.
    package mutating func leave(_ reason: LeaveReason, at time: UInt64, into effects: inout [ClientEffect]) {
        advance(to: time)
        switch phase {
        case .leaving, .closed:
            return
        case .idle, .waiting:
            close(.left, &effects)
        case .connecting:
            effects.append(.disconnect)
            close(.left, &effects)
        case .joining, .synchronising, .settling, .live:
            leaveReason = reason
            let ended = error(.callEnded, "the call was left before the command was sent")
            finish(commands.removeAll(onlyWaiting: true), .failure(ended), &effects)
            // Before the relay has accepted the Join, a Leave would be out of order.
            if isAttached { send(.leave(reason), &effects) }
            phase = .leaving(until: now + configuration.leaveTimeout)
        }
    }

    /// Something is wrong with the connection: ends it and comes back.
    mutating func fail(_ cause: RollcallError, _ effects: inout [ClientEffect]) {
        effects.append(.disconnect)
        comeBack(after: cause, advice: 0, &effects)
    }

    /// The relay has ended the connection: obeys its advice.
    mutating func closedByRelay(_ refusal: Refusal, _ effects: inout [ClientEffect]) {
        effects.append(.disconnect)
        if case .leaving = phase { return close(.left, &effects) }
        let cause = RollcallError(refusal, place: configuration.place)
        let isTemporary = (2_000..<3_000).contains(refusal.code.rawValue)
        switch refusal.advice {
        case .now:
            comeBack(after: cause, advice: 0, &effects)
        case .after:
            comeBack(after: cause, advice: refusal.after, &effects)
        case .never, .reauthenticate:
            // A client has one token: without another it would only be refused again.
            close(.ended(cause), &effects)
        default:
            if isTemporary {
                comeBack(after: cause, advice: 0, &effects)
            } else {
                close(.ended(cause), &effects)
            }
        }
    }

    /// The connection is gone: waits for the next one, or gives up.
    private mutating func comeBack(after cause: RollcallError, advice: UInt64, _ effects: inout [ClientEffect]) {
        if case .leaving = phase { return close(.left, &effects) }
        resetLink()
        let policy = configuration.reconnect
        guard policy.isEnabled, isComplete || policy.retriesFirstJoin else {
            return close(.ended(cause), &effects)
        }
        if lostAt == nil { lostAt = now }
        commands.linkLost()
        let wait = backoff.next(policy, grace: grace, advice: advice, random: &random)
        phase = .waiting(until: now + wait)
        if isComplete { effects.append(.connection(.reconnecting(attempt: backoff.failures, cause: cause))) }
    }

    /// It is over: nobody waits for anything any more.
    mutating func close(_ reason: CloseReason, _ effects: inout [ClientEffect]) {
        resetLink()
        phase = .closed
        var ended = error(.callEnded, "the call was left before the relay answered the command")
        if let cause = reason.error {
            ended = error(.callEnded, "the call is over: \(cause.message)")
            ended.underlying = cause
        }
        finish(commands.removeAll(onlyWaiting: false), .failure(ended), &effects)
        overlay = Overlay()
        effects.append(.changed)
        effects.append(.connection(.closed(reason)))
        effects.append(.closed(reason))
    }

    /// Forgets everything about the connection.
    private mutating func resetLink() {
        link += 1
        splitter = FrameSplitter(maximumFrameLength: WireLimits.serverFrame)
        isWelcomed = false
        isAttached = false
        isLagging = false
        limits = Limits()
        deadAfter = ClientCore.defaultDeadAfter
        handshakeDeadline = nil
        assembly = nil
        awaitsSnapshot = false
        resyncs = 0
        resyncDeadline = nil
    }

    /// The grace of the call, in ms: as its policy says, else as this client asked for.
    private var grace: UInt64 {
        if confirmed.call.meetingID != nil { return confirmed.policy.grace }
        return configuration.join.grace ?? 15_000
    }

    /// The next Join: with everything that a resume needs, and the facts of the device as the app sees them.
    private mutating func nextJoin() -> Join {
        var join = configuration.join
        join.attempt = attempt
        attempt += 1
        if let device = confirmed.device(ownSlots.device) {
            facts = (device.isAudioMuted, device.isVideoPaused, device.isPresenting)
        }
        if !own.isObserver {
            join.audioMuted = overlay.audioMuted ?? facts.audioMuted
            join.videoPaused = overlay.videoPaused ?? facts.videoPaused
            join.presenting = overlay.presenting ?? facts.presenting
        }
        if hasJoined {
            join.resume = Resume(
                secret: joined.secret,
                position: isCopyVoid ? .zero : confirmed.position,
                digest: isCopyVoid ? 0 : confirmed.digest
            )
        }
        return join
    }

    /// A failure of the client's side.
    func error(_ code: RollcallError.Code, _ message: String) -> RollcallError {
        RollcallError(code: code, message: message, place: configuration.place)
    }

    /// Sends a frame.
    func send(_ frame: ClientFrame, _ effects: inout [ClientEffect]) {
        var bytes: [UInt8] = []
        frame.encode(into: &bytes)
        effects.append(.send(bytes))
    }
}
