import CallState
package import RollcallProtocol

// Commands, and what the copy's changes mean for them and for the app.

extension ClientCore {
    /// The app asks for a change; ``ClientEffect/finished(_:_:)`` with `token` tells what became of it.
    package mutating func command(
        _ settings: [Setting],
        token: CommandToken,
        at time: UInt64,
        into effects: inout [ClientEffect]
    ) {
        advance(to: time)
        switch phase {
        case .leaving, .closed:
            let ended = error(.callEnded, "the call is over: nothing can be changed in it any more")
            return finish([token], .failure(ended), &effects)
        case .idle, .connecting, .joining, .synchronising, .settling, .live, .waiting:
            break
        }
        if let problem = problem(with: settings) {
            return finish([token], .failure(error(.invalidArgument, problem)), &effects)
        }
        commands.add(settings, token: token)
        overlayChanged(&effects)
        sendCommands(&effects)
    }

    /// Nobody waits for a command any more.
    ///
    /// It may still happen, unless it was never sent.
    package mutating func cancel(_ token: CommandToken, at time: UInt64, into effects: inout [ClientEffect]) {
        advance(to: time)
        commands.cancel(token)
        overlayChanged(&effects)
    }

    /// A device speaks, or has stopped; lost while there is no connection, but for the own device's latest.
    package mutating func speaking(_ speaking: Speaking, at time: UInt64, into effects: inout [ClientEffect]) {
        advance(to: time)
        if speaking.target == nil { isSpeaking = speaking.on }
        switch phase {
        case .synchronising, .settling, .live: send(.speaking(speaking), &effects)
        case .idle, .connecting, .joining, .waiting, .leaving, .closed: return
        }
    }

    /// Asks for a snapshot although nothing is wrong, unless one is on its way.
    package mutating func forceResync(at time: UInt64, into effects: inout [ClientEffect]) {
        advance(to: time)
        switch phase {
        case .settling, .live:
            if !awaitsSnapshot, assembly == nil { resync(.unspecified, &effects) }
        case .idle, .connecting, .joining, .synchronising, .waiting, .leaving, .closed:
            return
        }
    }

    /// Sends what may be on its way.
    mutating func sendCommands(_ effects: inout [ClientEffect]) {
        switch phase {
        case .synchronising, .settling, .live: break
        case .idle, .connecting, .joining, .waiting, .leaving, .closed: return
        }
        let window = Int(min(max(limits.unacknowledged, 1), 64))
        while let command = commands.next(window: window) { send(.command(command), &effects) }
    }

    /// The relay has answered a command.
    mutating func take(_ ack: Ack, _ effects: inout [ClientEffect]) {
        if ack.code == .ok {
            commands.done(op: ack.op, at: ack.position)
        } else {
            finish(commands.refused(op: ack.op), .failure(RollcallError(ack, place: configuration.place)), &effects)
        }
        overlayChanged(&effects)
        settle(&effects)
        sendCommands(&effects)
        if case .settling(let barrier) = phase, !commands.isOutstanding(through: barrier) { becomeLive(&effects) }
    }

    /// The copy has changed: finishes what waited for that, and tells the app.
    mutating func copyChanged(_ effects: inout [ClientEffect]) {
        switch phase {
        case .synchronising:
            guard !awaitsSnapshot, assembly == nil, confirmed.position >= joined.position else { return }
            synchronised(&effects)
        case .settling, .live:
            settle(&effects)
            effects.append(.changed)
        case .idle, .connecting, .joining, .waiting, .leaving, .closed:
            settle(&effects)
        }
    }

    /// The copy has reached J.
    private mutating func synchronised(_ effects: inout [ClientEffect]) {
        ownSlots = OwnSlots(person: joined.person, device: joined.device)
        let restated = commands.takeRestated()
        overlay = commands.overlay(own: own)
        backoff.reset()
        lostAt = nil
        if !isComplete {
            isComplete = true
            effects.append(.complete)
        }
        effects.append(.changed)
        for command in restated {
            let held = error(.heldDown, "a lock or a policy of the call forbids it, or a moderator undid it")
            let result: Result<Position, RollcallError> =
                holds(command) ? .success(confirmed.position) : .failure(held)
            finish(command.tokens, result, &effects)
        }
        settle(&effects)
        let barrier = commands.barrier
        if barrier == 0 { becomeLive(&effects) } else { phase = .settling(through: barrier) }
    }

    private mutating func becomeLive(_ effects: inout [ClientEffect]) {
        phase = .live
        effects.append(.connection(.live))
    }

    /// Whether the own device is in the copy as the command wanted it.
    private func holds(_ command: CommandQueue.Pending) -> Bool {
        guard let device = confirmed.device(ownSlots.device) else { return false }
        return command.settings.allSatisfy { setting in
            switch setting.change {
            case .audioMuted(let value): device.isAudioMuted == value
            case .videoPaused(let value): device.isVideoPaused == value
            case .presenting(let value): device.isPresenting == value
            default: false
            }
        }
    }

    /// Finishes the commands whose position the copy has reached.
    private mutating func settle(_ effects: inout [ClientEffect]) {
        if isCopyVoid { return }
        let finished = commands.settle(at: confirmed.position)
        if finished.isEmpty { return }
        overlayChanged(&effects)
        for (token, position) in finished { effects.append(.finished(token, .success(position))) }
    }

    /// What the app sees over the copy may be something else now.
    private mutating func overlayChanged(_ effects: inout [ClientEffect]) {
        let new = commands.overlay(own: own)
        if new == overlay { return }
        overlay = new
        if isComplete { effects.append(.changed) }
    }

    func finish(
        _ tokens: [CommandToken],
        _ result: Result<Position, RollcallError>,
        _ effects: inout [ClientEffect]
    ) {
        for token in tokens { effects.append(.finished(token, result)) }
    }

    /// What is wrong with settings, so that a relay would refuse the whole connection or the command; nil is nothing.
    private func problem(with settings: [Setting]) -> String? {
        if settings.isEmpty { return "a command needs at least one setting" }
        if UInt64(settings.count) > min(limits.settings, 64) {
            return "a command has at most \(min(limits.settings, 64)) settings, not \(settings.count)"
        }
        let frame = ClientFrame.command(Command(op: WireLimits.position, settings: settings))
        do {
            try frame.check()
        } catch {
            return "the value of \(error.field) can't be sent: \(error.detail)"
        }
        var bytes: [UInt8] = []
        frame.encode(into: &bytes)
        if UInt64(bytes.count - 4) > limits.frame {
            return "the command has \(bytes.count - 4) bytes; the relay takes at most \(limits.frame)"
        }
        return nil
    }
}
