import CallState
import RelayCore
import RollcallProtocol

// Those who send what no client should: the relay must not fall, and nobody else must see it.

extension Simulation {
    mutating func attack() {
        guard !attackers.isEmpty else { return }
        let attacker = draw.below(attackers.count)
        guard let link = attackers[attacker].link, links[link].clientEnd != .closed else {
            let link = open(.attacker(attacker), isTrusted: draw.oneIn(4))
            links[link].clientEnd = .open
            attackers[attacker].link = link
            return send(greeting(), on: link)
        }
        switch draw.below(10) {
        case 0: send((0..<draw.below(40)).map { _ in UInt8(truncatingIfNeeded: draw.next()) }, on: link)
        case 1...4:
            guard !samples.isEmpty else { return }
            send(broken(draw.pick(samples)), on: link)
        case 5: flood(link)
        case 6...7: for _ in 0..<1 + draw.below(4) { send(oddFrame(), on: link) }
        case 8:
            links[link].capacity = 0
        default:
            attackers[attacker].link = nil
            closeClientEnd(link)
        }
    }

    /// A begin that is mostly right.
    private mutating func greeting() -> [UInt8] {
        var bytes = FrameSplitter.preface
        if draw.oneIn(6) { bytes[draw.below(4)] ^= 1 }
        let instance = [UInt8](repeating: UInt8(draw.below(250)), count: draw.pick([12, 12, 12, 4]))
        let hello = Hello(
            minVersion: draw.oneIn(8) ? 2 : 1,
            maxVersion: draw.oneIn(8) ? 3 : 1,
            clientName: "x",
            instance: instance
        )
        if !draw.oneIn(6) { ClientFrame.hello(hello).encode(into: &bytes) }
        return bytes
    }

    /// Bytes of an honest client with some of them changed, doubled or lost.
    private mutating func broken(_ sample: [UInt8]) -> [UInt8] {
        var bytes = sample
        for _ in 0..<1 + draw.below(3) where !bytes.isEmpty {
            let place = draw.below(bytes.count)
            switch draw.below(5) {
            case 0: bytes.remove(at: place)
            case 1: bytes.insert(UInt8(truncatingIfNeeded: draw.next()), at: place)
            case 2: bytes.removeSubrange(place...)
            default: bytes[place] ^= 1 << UInt8(draw.below(8))
            }
        }
        return bytes
    }

    /// Many requests at once, whose answers nobody reads.
    private mutating func flood(_ link: Int) {
        mark(.floodedAnswers)
        var bytes: [UInt8] = []
        for request in 1...UInt64(20 + draw.below(100)) {
            switch draw.below(3) {
            case 0: ClientFrame.peek(session: settings.sessions[0], request: request).encode(into: &bytes)
            case 1: ClientFrame.list(request: request, after: .empty).encode(into: &bytes)
            default: ClientFrame.inspect(request: request, after: 0).encode(into: &bytes)
            }
        }
        links[link].capacity = 500
        send(bytes, on: link)
    }

    /// A frame that is legal by itself, where it does not belong or with odd values.
    private mutating func oddFrame() -> [UInt8] {
        let victim = draw.pick(settings.seats)
        var join = Join(session: victim.session, uid: victim.uid, device: draw.oneIn(2) ? victim.device : "evil")
        join.attempt = draw.next() >> UInt64(draw.below(64))
        if draw.oneIn(2), !secrets.isEmpty {
            let position = Position(epoch: draw.next() >> 12, seq: draw.next() >> UInt64(12 + draw.below(50)))
            join.resume = Resume(secret: draw.pick(secrets).secret, position: position, digest: draw.next())
        }
        if draw.oneIn(3) { join.mode = .observer }
        if draw.oneIn(6) { join.uid = .empty }
        let huge: UInt64 = (1 << 53) - 1
        let frame: ClientFrame =
            switch draw.below(10) {
            case 0...3: .join(join)
            case 4:
                .command(
                    Command(
                        op: draw.pick([0, 1, huge, huge + 1, .max]),
                        settings: [Setting(.handRaised(draw.oneIn(2)))]
                    )
                )
            case 5: .pong(Pong(position: Position(epoch: huge, seq: huge), time: huge))
            case 6: .resync(Resync(position: Position(epoch: huge, seq: 0), reason: .gap))
            case 7: .leave(.removed)
            case 8: .attendance(request: 1, AttendanceQuery())
            default: .command(Command(op: 5, settings: [Setting(target: .everyone, .audioMuted(true)), Setting(nil)]))
            }
        var bytes: [UInt8] = []
        frame.encode(into: &bytes)
        return bytes
    }
}
