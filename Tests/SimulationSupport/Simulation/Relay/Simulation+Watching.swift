import CallState
import RelayCore
import RollcallProtocol

// What goes in and out of the relay is looked at on its way.

/// A secret that the relay has given.
struct GivenSecret {
    var secret: [UInt8]
    var incarnation: UInt64
    /// The relay that gave it: numbers of incarnations rise in the time of one.
    var givenIn: Int
    var session: ByteString
    var uid: ByteString
    var device: ByteString
    /// Whether it was given to who only looks: that ends nothing of a device with the same names.
    var isObserver: Bool
    /// Whether it can still be resumed.
    var life = Life.lives
    /// The relay in whose time it ended.
    var endedIn = 0

    func isOf(_ session: ByteString, _ uid: ByteString, _ device: ByteString) -> Bool {
        self.uid == uid && self.device == device && self.session == session
    }

    enum Life {
        case lives
        case over
        /// The relay ended, and nobody knows whether the last that became of it was kept.
        case unknown
    }
}

extension Simulation {
    /// The number of a session among those of the settings; nil for one that an attacker made up.
    func number(of session: ByteString) -> Int? { settings.sessions.firstIndex(of: session) }

    /// Gives the relay a frame, and judges what that did.
    mutating func take(_ frame: ClientFrame, _ link: Int, _ connection: ConnectionID) {
        links[link].heard(at: clock, standstill)
        if trace.isRecorded { trace.note("  link \(link) > relay: \(frame.line)") }
        switch frame {
        case .join(let join):
            // A second one on the same link is an offence, not an offer.
            if links[link].offered == nil { links[link].offered = join }
            noteOffer(join)
            let before = facts(of: join)
            lastJoined = nil
            apply(.received(connection, frame))
            if lastJoined?.connection == connection, lastJoined?.outcome == .resumed, let before {
                checkFacts(before, after: join)
            }
        case .command(let command):
            if let seat = sender(of: link), let stamp = Stamp(of: command) {
                let before = shownStamp(of: seat)
                apply(.received(connection, frame))
                checkStamp(stamp, of: seat, before: before)
            } else {
                apply(.received(connection, frame))
            }
        case .resync(let resync):
            switch resync.reason {
            case .gap: mark(.resyncGap)
            case .ahead: mark(.resyncAhead)
            case .unspecified: mark(.resyncUnspecified)
            default: break
            }
            checkResync(resync, of: link)
            apply(.received(connection, frame))
        default:
            apply(.received(connection, frame))
        }
    }

    /// The seat whose link it is; nil for others.
    private func sender(of link: Int) -> Int? {
        guard case .seat(let seat) = links[link].owner, seats[seat].plan.mode == .participant else { return nil }
        return seat
    }

    private mutating func noteOffer(_ join: Join) {
        let twin = active.contains { link in
            links[link].offered?.uid == join.uid && links[link].offered?.device == join.device
                && links[link].offered?.session == join.session && links[link].joined != nil
                && links[link].relayEnd == .open
        }
        if twin { mark(.duplicateConnection) }
    }

    /// Looks at the frames that the relay hands over for a link; the last one may not be whole yet.
    mutating func inspect(_ bytes: [UInt8], to link: Int) {
        let bytes = links[link].begunFrame.isEmpty ? bytes : links[link].begunFrame + bytes
        var offset = 0
        defer { links[link].begunFrame = Array(bytes[offset...]) }
        while offset + 4 < bytes.count {
            let length = bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            let end = offset + 4 + length
            guard end <= bytes.count else { break }
            links[link].frameEnds.append(4 + length)
            let kind = bytes[offset + 4] >> 3
            if trace.isRecorded, let frame = try? ServerFrame.decode(bytes.span.extracting(offset + 4..<end)) {
                trace.note("  relay > link \(link): \(frame.line)")
            }
            if kind != 4, links[link].isInSnapshot, kind != 3 { links[link].isInSnapshot = false }
            if kind == 4 { notePart(of: link) }
            switch kind {
            case 2, 3, 6, 9:
                if let frame = try? ServerFrame.decode(bytes.span.extracting(offset + 4..<end)) {
                    inspect(frame, to: link)
                } else {
                    fail(.strictCopyFits, "the relay sent a frame that can't be read")
                }
            default: break
            }
            offset = end
        }
    }

    private mutating func notePart(of link: Int) {
        links[link].parts += 1
        if links[link].parts == 2 { mark(.snapshotOfParts) }
    }

    private mutating func inspect(_ frame: ServerFrame, to link: Int) {
        switch frame {
        case .joined(let joined): inspect(joined, to: link)
        case .snapshot(let head):
            mark(head.reason)
            if links[link].isInSnapshot { mark(.snapshotCancelled) }
            links[link].isInSnapshot = true
            links[link].parts = 0
            if head.request == 0 { snapshotBegins(head, on: link) }
        case .ack(let ack):
            if ack.code == .rate { mark(.refusedRate) }
            mark(ack.code == .ok ? .commandAcknowledged : .commandRefused)
            if let joined = links[link].joined, ack.op <= joined.lastOp, ack.code == .ok { mark(.commandAnsweredAgain) }
        case .closed(let refusal): mark(refusal)
        default: break
        }
    }

    private mutating func snapshotBegins(_ head: SnapshotHead, on link: Int) {
        guard links[link].awaitsFirstSnapshot else { return links[link].snapshotsAfterJoin += 1 }
        links[link].awaitsFirstSnapshot = false
        checkReason(of: head, on: link)
    }

    private mutating func inspect(_ joined: Joined, to link: Int) {
        links[link].joined = joined
        links[link].awaitsFirstSnapshot = joined.follows == .snapshot
        // A Join that waited for the store counts when it is taken.
        links[link].heard(at: clock, standstill)
        guard let join = links[link].offered else { return }
        if trace.isRecorded {
            trace.note("  \(join.uid)/\(join.device) on link \(link): \(joined.outcome) at \(joined.position)")
        }
        switch joined.outcome {
        case .new: mark(.joinedNew)
        case .resumed: mark(.joinedResumed)
        case .expired: mark(.joinedExpired)
        case .replaced: mark(.joinedReplaced)
        default: mark(.joinedObserver)
        }
        if case .seat(let seat) = links[link].owner, joined.outcome == .resumed {
            if links[link].offered?.resume?.position == .zero { mark(.resumeInsideSnapshot) }
            if seats[seat].resumed == joined.incarnation { mark(.resumeTwice) }
            seats[seat].resumed = joined.incarnation
        }
        if joined.follows == .delta, join.resume.map({ $0.position.epoch < joined.position.epoch }) == true {
            mark(.followsDeltaAcrossEpochs)
        }
        switch joined.follows {
        case .nothing: mark(.followsNothing)
        case .delta: mark(.followsDelta)
        default: mark(.followsSnapshot)
        }
        if joined.outcome == .resumed { noteSharing(join, by: links[link].owner) }
        checkPosition(offeredBy: join, joined)
        noteSecret(of: join, joined)
    }

    /// Somebody else has the secret of a seat: the op ids of that incarnation are not the seat's alone any more.
    private mutating func noteSharing(_ join: Join, by owner: Link.Owner) {
        for seat in seats.indices where owner != .seat(seat) {
            let plan = seats[seat].plan
            guard plan.session == join.session, plan.uid == join.uid, plan.device == join.device else { continue }
            seats[seat].isShared = true
        }
    }

    private mutating func noteSecret(of join: Join, _ joined: Joined) {
        if joined.secret.isEmpty || joined.outcome == .resumed { return }
        if secrets.contains(where: { $0.secret == joined.secret }) { return mark(.actorResumed) }
        var given = GivenSecret(
            secret: joined.secret,
            incarnation: joined.incarnation,
            givenIn: relayRun,
            session: join.session,
            uid: join.uid,
            device: join.device,
            isObserver: joined.outcome == .observer
        )
        if !given.isObserver {
            // Of two joins in one turn the answer to the later one may come first.
            let isReplaced = secrets.contains {
                !$0.isObserver && $0.isOf(join.session, join.uid, join.device)
                    && $0.incarnation > joined.incarnation && $0.givenIn == relayRun
            }
            if isReplaced { given.life = .over }
        }
        secrets.append(given)
    }

    /// The incarnations of a device are over.
    mutating func secretsEnd(_ session: ByteString, _ uid: ByteString, _ device: ByteString) {
        for index in secrets.indices
        where secrets[index].life != .over && secrets[index].isOf(session, uid, device) {
            secrets[index].life = .over
            secrets[index].endedIn = relayRun
        }
    }

    /// Something that the relay's log has.
    mutating func note(_ event: LogEvent) {
        switch event {
        case .joined(let connection, let session, let uid, let device, let outcome):
            lastJoined = (connection, outcome)
            if let watch = number(of: session) { watches[watch].came.insert(CallWatch.Name(uid: uid, device: device)) }
            if outcome == .resumed {
                checkSecret(offeredOn: connection)
            } else if outcome != .observer {
                secretsEnd(session, uid, device)
            }
        case .left(let session, let uid, let device, let reason):
            if trace.isRecorded { trace.note("  \(uid)/\(device) left: \(reason.rawValue)") }
            if reason == .lost {
                mark(.leftLost)
                checkRestartGrace(session, uid, device)
            }
            if reason == .left { mark(.leftLeft) }
            secretsEnd(session, uid, device)
        case .meetingEnded: mark(.meetingEnded)
        case .damaged(_, let reason): fail(.restoredIsKept, "the relay calls what is kept damaged: \(reason)")
        case .fenced: fail(.restoredIsKept, "the relay was fenced, and nobody else is there")
        case .storeUnavailable(let session, _): doubtStore(of: session)
        case .storeRecovered(let session): trustStore(of: session)
        case .meetingBegan, .restored, .claiming, .notKept: break
        case .refused(_, let refusal):
            // Who takes nothing is cut without a word.
            if refusal.code == .lagged { mark(.closedLagged) }
            if trace.isRecorded { trace.note("  refused: \(refusal.code.rawValue) \(refusal.text)") }
        }
    }

    // MARK: Counting

    private mutating func mark(_ reason: SnapshotReason) {
        switch reason {
        case .join: mark(.snapshotJoin)
        case .belowFloor: mark(.snapshotBelowFloor)
        case .epoch: mark(.snapshotEpoch)
        case .unknownPosition: mark(.snapshotUnknownPosition)
        case .digest: mark(.snapshotDigest)
        case .lagged: mark(.snapshotLagged)
        case .requested: mark(.snapshotRequested)
        default: break
        }
    }

    private mutating func mark(_ refusal: Refusal) {
        switch refusal.code {
        case .replaced: mark(refusal.advice == .never ? .closedReplacedNever : .closedReplacedNow)
        case .staleAttempt: mark(.closedStaleAttempt)
        case .removed: mark(.closedRemoved)
        case .idle: mark(.closedIdle)
        case .locked: mark(.closedLocked)
        case .limit: mark(.closedLimit)
        case .overload: mark(.refusedOverload)
        case .silent: mark(.closedSilent)
        case .goingAway: mark(.closedGoingAway)
        case .badFrame, .badPreface: mark(.closedBadFrame)
        case .outOfOrder: mark(.closedOutOfOrder)
        case .left: mark(.closedLeft)
        case .helloTimeout: mark(.helloTimeout)
        default: break
        }
    }
}
