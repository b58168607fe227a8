import CallState
import RelayCore
import Rollcall
import RollcallProtocol

// What happens to honest clients, and what their people do.

extension Simulation {
    /// A seat at random where a program runs; nil when none does.
    mutating func someRunning(_ wanted: (Seat) -> Bool = { _ in true }) -> Int? {
        let running = seats.indices.filter { seats[$0].isRunning && wanted(seats[$0]) }
        return running.isEmpty ? nil : draw.pick(running)
    }

    mutating func startSomebody() {
        let out = seats.indices.filter { !seats[$0].isRunning }
        if !out.isEmpty { start(draw.pick(out)) }
    }

    mutating func leaveSomebody() {
        guard let seat = someRunning() else { return }
        act(seat) { core, now, effects in core.leave(.left, at: now, into: &effects) }
    }

    mutating func resyncSomebody() {
        guard let seat = someRunning() else { return }
        act(seat) { core, now, effects in core.forceResync(at: now, into: &effects) }
    }

    mutating func speak() {
        guard let seat = someRunning({ $0.plan.mode == .participant }) else { return }
        let speaks = !seats[seat].isSpeaking
        seats[seat].isSpeaking = speaks
        act(seat) { core, now, effects in core.speaking(Speaking(on: speaks), at: now, into: &effects) }
    }

    /// A client's program is gone; its system ends the connection, unless the machine is gone too.
    mutating func crashSomeClient() {
        guard let seat = someRunning() else { return }
        if trace.isRecorded { trace.note("  \(name(seat)) dies") }
        mark(.clientCrash)
        if let link = seats[seat].link {
            if draw.oneIn(3) {
                mark(.clientPowerLoss)
                cut(link, clientLearns: true, relayLearns: false)
                links[link].clientEnd = .closed
                retire(link)
            } else {
                closeClientEnd(link)
            }
        }
        seats[seat].link = nil
        seats[seat].isLive = false
        seats[seat].core = nil
    }

    /// A client's program is what it was a while ago, as after its machine was put back to an image.
    mutating func rewindSomeClient() {
        let able = seats.indices.filter { !seats[$0].saved.isEmpty }
        guard !able.isEmpty else { return }
        let seat = draw.pick(able)
        let saved = draw.pick(seats[seat].saved)
        if let link = seats[seat].link { closeClientEnd(link) }
        if trace.isRecorded { trace.note("  \(name(seat)) is put back to \(saved.reached)") }
        mark(.clientRewound)
        seats[seat].core = saved.core
        seats[seat].app = saved.app
        seats[seat].instance = saved.instance
        seats[seat].reached = saved.reached
        seats[seat].reachedDigest = saved.core.confirmed.digest
        seats[seat].link = nil
        seats[seat].isOver = false
        seats[seat].isLive = false
        for token in seats[seat].asked.keys { seats[seat].asked[token]?.isRewound = true }
        // What it had not sent by then it sends now, for the first time as far as it knows.
        for stamp in seats[seat].applied.keys { seats[seat].applied[stamp]?.mayBeLost = true }
        seats[seat].lastBeforeRewind = seats[seat].tokens
        // It is a socket less than it was.
        let cause = RollcallError(code: .linkLost, message: "the machine was put back")
        act(seat) { core, now, effects in core.linkLost(cause, at: now, into: &effects) }
    }

    /// Keeps what a rewound client will be, now and then.
    mutating func rememberSeats() {
        guard settings.weights[.rewindClient] ?? 0 > 0, stepNumber % 97 == 0 else { return }
        for seat in seats.indices {
            guard let core = seats[seat].core, seats[seat].isLive else { continue }
            let saved = Seat.Saved(
                core: core,
                app: seats[seat].app,
                instance: seats[seat].instance,
                reached: seats[seat].reached,
                clock: clock
            )
            if seats[seat].saved.count < 3 {
                seats[seat].saved.append(saved)
            } else {
                seats[seat].saved[stepNumber / 97 % 3] = saved
            }
        }
    }

    // MARK: Commands

    mutating func commandSomething() {
        guard let seat = someRunning({ $0.plan.mode == .participant }) else { return }
        command(seat, (0..<(draw.oneIn(4) ? 3 : 1)).map { _ in someSetting() })
    }

    /// Many attributes come or go, so that there are many tombstones.
    mutating func churn() {
        guard let seat = someRunning({ $0.plan.mode == .participant }), let core = seats[seat].core else { return }
        let isOwn = draw.oneIn(2)
        let own = core.confirmed.personSlot(uid: seats[seat].plan.uid)
        let entries =
            isOwn
            ? own.map { core.confirmed.entries(PersonField.attributes, of: $0) } ?? []
            : core.confirmed.entries(CallField.attributes, of: .call)
        let held = entries.map(\.key).filter { $0.bytes.first == 0x63 }
        let most = Int(min(self.settings.relay.limits.attributes, 24)) - (isOwn ? 6 : 0)
        var settings: [Setting] = []
        // Large ones stay longer, so that they come to more than a part of a snapshot.
        if held.count > most / 2, self.settings.attributeSize == 1 || draw.oneIn(5) {
            for key in held {
                let attribute = Attribute(key: key, value: nil)
                settings.append(Setting(isOwn ? .attribute(attribute) : .callAttribute(attribute)))
            }
        } else {
            let value = [UInt8](repeating: 7, count: self.settings.attributeSize)
            for _ in 0..<max(1, most - held.count) {
                let attribute = Attribute(key: ByteString("c\(draw.below(400))"), value: value)
                settings.append(Setting(isOwn ? .attribute(attribute) : .callAttribute(attribute)))
            }
        }
        command(seat, settings)
    }

    private mutating func command(_ seat: Int, _ settings: [Setting]) {
        seats[seat].tokens += 1
        let stamp = seats[seat].tokens
        let token = CommandToken(stamp)
        let mark = Setting(.attribute(Attribute(key: seats[seat].stampKey, value: Stamp.value(of: stamp))))
        seats[seat].asked[token] = Seat.Asked(stamp: stamp)
        act(seat) { core, now, effects in
            core.command(settings + [mark], token: token, at: now, into: &effects)
        }
    }

    private mutating func someSetting() -> Setting {
        let flag = draw.oneIn(2)
        let other = Target(uid: draw.pick(seats).plan.uid)
        let key = ByteString("k\(draw.below(5))")
        let value: [UInt8]? = flag ? [UInt8](repeating: 7, count: draw.oneIn(6) ? 200 : draw.below(9)) : nil
        return switch draw.below(30) {
        case 0...4: Setting(.audioMuted(flag))
        case 5...6: Setting(.videoPaused(flag))
        case 7...9: Setting(.handRaised(draw.chance(65)))
        case 10: Setting(.presenting(flag))
        case 11...13: Setting(.attribute(Attribute(key: key, value: value)))
        case 14: Setting(.name(ByteString("name \(draw.below(9))")))
        case 15: Setting(.title(ByteString("title \(draw.below(9))")))
        case 16: Setting(target: other, .audioMuted(true))
        case 17: Setting(target: .everyone, .audioMuted(true))
        case 18: Setting(target: other, .audioLocked(draw.oneIn(3)))
        case 19: Setting(target: other, .handRaised(false))
        case 20: Setting(.presenters(flag ? .one : .many))
        case 21: Setting(.standingMute(draw.oneIn(3)))
        case 22: Setting(.handsEnabled(draw.chance(70)))
        case 23: Setting(.recording(flag))
        case 24: Setting(.spotlight(flag ? [other.uid] : []))
        case 25: Setting(target: other, .unmuteRequest(flag ? 3_000 : 0))
        case 26: Setting(target: other, .removed(draw.oneIn(3)))
        case 27: Setting(.callLocked(draw.oneIn(3)))
        case 28: Setting(.grace(draw.pick([0, 500, 3_000, 20_000])))
        default: Setting(.moderation(draw.oneIn(4) ? .moderators : .everyone))
        }
    }

    /// Somebody who acts for others does so.
    mutating func act() {
        guard let seat = someRunning({ $0.plan.mode == .observer && $0.plan.isTrusted }) else { return }
        let target = Target(uid: ByteString("b\(draw.below(3))"), device: "sip")
        let change: Setting.Change =
            switch draw.below(6) {
            case 0: .takeOut(.left)
            case 1: .videoPaused(draw.oneIn(2))
            case 2: .audioMuted(draw.oneIn(2))
            case 3: .handRaised(draw.oneIn(2))
            default: .bringIn(BringIn())
            }
        switch change {
        case .takeOut: mark(.takenOut)
        case .bringIn: mark(.broughtIn)
        default: break
        }
        seats[seat].tokens += 1
        let token = CommandToken(seats[seat].tokens)
        let settings = [Setting(target: target, change)]
        act(seat) { core, now, effects in core.command(settings, token: token, at: now, into: &effects) }
    }
}
