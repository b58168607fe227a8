import CallState
import RelayCore
import RollcallProtocol

/// What a run is like, drawn from its seed: who takes part, what the relay was told, and which faults there are.
struct SimulationSettings {
    /// Somebody honest who takes part again and again.
    struct Seat {
        var session: ByteString
        var uid: ByteString
        var device: ByteString
        var mode = JoinMode.participant
        /// Whether the relay trusts its connections.
        var isTrusted = false
        var role: Role?
    }

    var relay = RelayConfiguration()
    var sessions: [ByteString] = ["standup"]
    var seats: [Seat] = []
    /// Strict readers with copies of their own.
    var strangers = 1
    /// Connections of attackers at a time.
    var attackers = 1
    var weights: [Step.Kind: Int] = [:]
    /// Bytes of the attributes that come and go in numbers: with large ones a snapshot has several parts.
    var attributeSize = 1

    init(seed: UInt64) {
        var draw = Draw(seed ^ 0x5E77_1465)
        drawRelay(&draw)
        drawPeople(&draw)
        drawFaults(&draw)
        drawCorners(&draw)
        // Apart, so that the other choices of a seed stay what they are; and with a number that gives no tick to the
        // runs which were kept before there were ticks.
        var other = Draw(seed ^ 0x71C_0903)
        drawTick(&other)
    }

    /// Small limits, so that every branch comes within two thousand steps.
    private mutating func drawRelay(_ draw: inout Draw) {
        relay.pingInterval = draw.pick([500, 1_000, 3_000, 10_000])
        relay.deadAfter = relay.pingInterval * 5 / 2
        relay.grace = draw.pick([0, 400, 1_500, 4_000, 15_000, 15_000])
        relay.idle = draw.pick([0, 0, 1_500, 20_000, 300_000])
        relay.stallTimeout = draw.pick([1_000, 4_000, 15_000])
        relay.closeTimeout = draw.pick([200, 2_000])
        relay.helloTimeout = draw.pick([1_000, 5_000])
        relay.ringBytes = draw.pick([64, 512, 4_096, 256 * 1024])
        relay.maximumDelta = draw.pick([250, 1_500, 256 * 1024, 256 * 1024])
        relay.maximumTombstones = draw.pick([2, 6, 24, 4_096])
        relay.maximumUnsentAnswers = draw.pick([2, 8, 64])
        relay.maximumDevicesPerPerson = draw.pick([1, 2, 16])
        relay.limits.people = draw.pick([3, 50_000, 50_000])
        relay.limits.attributes = draw.pick([6, 32])
        // What a client may send at once is answered, however few answers may wait.
        relay.limits.unacknowledged = UInt64(draw.pick([2, 4 * relay.maximumUnsentAnswers]))
        relay.isAdminOpen = draw.oneIn(4)
        if draw.oneIn(3) {
            relay.commandRate = Rate(perSecond: draw.pick([2, 20]), burst: draw.pick([4, 30]))
            relay.callCommandRate = Rate(perSecond: draw.pick([5, 50]), burst: draw.pick([10, 100]))
            relay.frameRate = Rate(perSecond: draw.pick([5, 50]), burst: draw.pick([10, 100]))
            relay.joinRate = Rate(perSecond: draw.pick([1, 20]), burst: draw.pick([3, 20]))
            relay.maximumSlice = draw.pick([100, 2_000])
            relay.caughtUpAfter = draw.pick([100, 2_000])
        }
        relay.durability = draw.pick([.none, .async, .sync, .sync])
        relay.attendance.meetings = draw.pick([2, 50])
    }

    private mutating func drawTick(_ draw: inout Draw) {
        relay.tick = draw.pick([0, 5])
        relay.maximumTickWrites = draw.pick([0, 8, 64])
        relay.maximumTickBytes = draw.pick([100, 16 * 1024])
    }

    private mutating func drawPeople(_ draw: inout Draw) {
        if draw.oneIn(16) {
            attributeSize = 1_000
            relay.limits.attributes = 32
            relay.maximumDelta = 256 * 1024
        }
        if draw.oneIn(4) { sessions.append("retro") }
        let uids = 2 + draw.below(4)
        for number in 0..<uids {
            let devices = 1 + (draw.oneIn(3) ? 1 : 0)
            for device in 0..<devices {
                var seat = Seat(
                    session: draw.oneIn(4) ? draw.pick(sessions) : sessions[0],
                    uid: ByteString("u\(number)"),
                    device: ByteString("d\(device)")
                )
                seat.role = draw.oneIn(3) ? .moderator : nil
                seat.isTrusted = draw.oneIn(4)
                seats.append(seat)
            }
        }
        // Two programs that want to be the same device.
        if draw.oneIn(4) { seats.append(draw.pick(seats)) }
        for number in 0..<draw.below(3) {
            var seat = Seat(session: draw.pick(sessions), uid: ByteString("o\(number)"), device: "watch")
            seat.mode = .observer
            seat.isTrusted = draw.oneIn(2)
            if draw.oneIn(3) { seat.uid = .empty }
            if draw.oneIn(3) { seat.device = .empty }
            seats.append(seat)
        }
        strangers = draw.below(3)
        attackers = draw.below(3)
    }

    private mutating func drawFaults(_ draw: inout Draw) {
        weights = [
            .toRelay: 240, .toClient: 320, .wait: 90, .nextDeadline: 40, .longWait: 2, .start: 30, .command: 90,
            .churn: 12, .act: 10, .speak: 10, .resync: 10, .leave: 4, .cut: 10, .hold: 8, .slowDown: 10,
            .loseFrame: 2, .setClock: 3, .crashClient: 3, .rewindClient: 2, .crashRelay: 2, .stopRelay: 1,
            .startRelay: 6, .storeAnswers: 60, .storeFails: 3, .stranger: 40, .attack: 14, .calm: 4,
        ]
        // Each run has only some of the faults: with all of them at once long histories would be rare.
        if attributeSize > 1 { weights[.churn] = 40 }
        let faults: [Step.Kind] = [
            .longWait, .act, .resync, .leave, .cut, .hold, .slowDown, .loseFrame, .setClock, .crashClient,
            .rewindClient, .crashRelay, .stopRelay, .storeFails, .attack,
        ]
        for fault in faults {
            switch draw.below(8) {
            case 0...2: weights[fault] = 0
            case 3: weights[fault] = (weights[fault] ?? 0) * 4
            default: continue
            }
        }
    }

    /// Runs that go where few others come.
    private mutating func drawCorners(_ draw: inout Draw) {
        // A call that only strict readers come to, and that ends each time they go.
        if draw.oneIn(2) { sessions.append("aside") }
        if draw.oneIn(10) {
            // Slow readers for whom the difference is longer than what it may be, beside a snapshot that is still good.
            relay.maximumDelta = 250
            relay.ringBytes = draw.pick([512, 4_096])
            relay.maximumTombstones = 4_096
            relay.limits.attributes = 32
            weights[.churn] = 60
            weights[.slowDown] = 60
        }
        if draw.oneIn(8) {
            // Relays that stop by plan again and again, with slow readers and a store that fails or is slow.
            relay.durability = .sync
            weights[.stopRelay] = 20
            weights[.storeFails] = 10
            weights[.storeAnswers] = 25
            weights[.slowDown] = 40
        }
    }
}
