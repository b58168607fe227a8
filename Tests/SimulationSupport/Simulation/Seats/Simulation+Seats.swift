import CallState
import Rollcall
import RollcallProtocol

// Honest clients: their rules run, and what they want done is done.

extension Simulation {
    /// Lets a client's rules take something in, and does what follows.
    mutating func act(_ seat: Int, _ body: (inout ClientCore, UInt64, inout [ClientEffect]) -> Void) {
        guard seats[seat].core != nil else { return }
        var effects: [ClientEffect] = []
        let time = seats[seat].time(at: clock)
        body(&seats[seat].core!, time, &effects)
        for effect in effects { perform(effect, seat) }
        checkSeat(seat)
    }

    private mutating func perform(_ effect: ClientEffect, _ seat: Int) {
        switch effect {
        case .connect:
            seats[seat].hasLost = false
            seats[seat].link = open(.seat(seat), isTrusted: seats[seat].plan.isTrusted)
        case .send(let bytes):
            guard let link = seats[seat].link else { return }
            send(bytes, on: link)
            if samples.count < 64 {
                samples.append(bytes)
            } else if draw.oneIn(8) {
                samples[draw.below(64)] = bytes
            }
        case .disconnect:
            guard let link = seats[seat].link else { return }
            seats[seat].link = nil
            seats[seat].isLive = false
            closeClientEnd(link)
        case .changed:
            seats[seat].app.hasNews = true
            if draw.oneIn(4) { look(seat) }
        case .complete: break
        case .connection(let state):
            seats[seat].isLive = state.isLive
            if case .reconnecting(_, let cause) = state { checkCause(cause, seat) }
        case .finished(let token, let result): finished(token, result, seat)
        case .closed(let reason):
            if trace.isRecorded { trace.note("  \(name(seat)) is over: \(reason.error?.message ?? "left")") }
            if let cause = reason.error { checkCause(cause, seat) }
            if let link = seats[seat].link { closeClientEnd(link) }
            seats[seat].link = nil
            seats[seat].isLive = false
            seats[seat].isOver = true
        case .lagging(let isBehind): mark(isBehind ? .toldLagging : .toldCaughtUp)
        case .trace: break
        }
    }

    /// The app of a client looks.
    mutating func look(_ seat: Int) {
        guard let core = seats[seat].core, core.isComplete else { return }
        mark(.appLooked)
        if let problem = seats[seat].app.look(at: core.snapshot) {
            fail(.leftOncePerJoined, "\(name(seat)): \(problem)")
        }
    }

    // MARK: The program

    /// A program starts: one that has never run, or another call object of one that has.
    mutating func start(_ seat: Int) {
        if let link = seats[seat].link { closeClientEnd(link) }
        let plan = seats[seat].plan
        seats[seat].programs += 1
        if seats[seat].instance.isEmpty || !draw.oneIn(3) {
            let name = UInt64(seat) << 32 | seats[seat].programs
            seats[seat].instance = (0..<16).map { UInt8(truncatingIfNeeded: name >> (8 * (UInt64($0) % 8))) }
        }
        seats[seat].attempt += 1 << 20
        var join = Join(session: plan.session, uid: plan.uid, device: plan.device)
        join.mode = plan.mode
        join.attempt = seats[seat].attempt
        join.role = plan.role
        join.audioMuted = draw.oneIn(2)
        join.videoPaused = draw.oneIn(2)
        join.presenting = draw.oneIn(6)
        if draw.oneIn(3) { join.name = ByteString("name \(draw.below(9))") }
        if draw.oneIn(4) { join.attributes = [Attribute(key: "k1", value: [UInt8(draw.below(9))])] }
        if draw.oneIn(3) { join.grace = draw.pick([0, 300, 2_000, 20_000]) }
        if draw.oneIn(4) { join.idle = draw.pick([0, 1_000, 60_000]) }
        var configuration = ClientConfiguration(instance: seats[seat].instance, join: join)
        configuration.reconnect.retriesFirstJoin = true
        seats[seat].core = ClientCore(configuration, seed: draw.next())
        seats[seat].app = SeatApp()
        seats[seat].link = nil
        seats[seat].isOver = false
        seats[seat].isLive = false
        seats[seat].isSpeaking = false
        seats[seat].reached = .zero
        seats[seat].reachedDigest = 0
        seats[seat].asked = [:]
        seats[seat].isShared = false
        if trace.isRecorded { trace.note("  \(name(seat)) starts") }
        act(seat) { core, now, effects in core.start(at: now, into: &effects) }
    }

    mutating func connected(_ seat: Int, _ link: Int) {
        guard seats[seat].link == link else { return closeClientEnd(link) }
        act(seat) { core, now, effects in core.connected(at: now, into: &effects) }
    }

    mutating func linkLost(_ seat: Int, _ link: Int) {
        guard seats[seat].link == link else { return }
        seats[seat].link = nil
        seats[seat].isLive = false
        let cause = RollcallError(code: .linkLost, message: "the link is gone")
        act(seat) { core, now, effects in core.linkLost(cause, at: now, into: &effects) }
    }

    mutating func received(_ bytes: Span<UInt8>, _ seat: Int, _ link: Int) {
        guard seats[seat].link == link else { return }
        if links[link].hasLost { seats[seat].hasLost = true }
        var effects: [ClientEffect] = []
        let time = seats[seat].time(at: clock)
        seats[seat].core?.received(bytes, at: time, into: &effects)
        for effect in effects { perform(effect, seat) }
        checkSeat(seat)
    }

    mutating func tick(_ seat: Int) {
        act(seat) { core, now, effects in core.tick(at: now, into: &effects) }
    }
}
