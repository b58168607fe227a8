import CallState
import RollcallProtocol

// Claims: the store gives a call, or an epoch for its next meeting, to this relay. What concerns the call waits
// meanwhile, in order of arrival.
extension RelayCore {
    /// The calls that somebody was in when the relay ended before, and how far their claims are.
    struct ExpectedCalls {
        var sessions: [ByteString] = []
        /// The next one to ask for.
        var next = 0
        /// Those that were asked for and are not answered.
        var asked = 0
        /// Those that are claimed, or can't be.
        var done = 0
    }

    /// Claims that are on their way at once at a start, so that who comes does not wait behind all of them.
    private static let claimsAtOnce = 64
    /// How long a frame waits for a claim before it is refused, in ms.
    static let claimPatience: UInt64 = 5_000

    /// Frames that one connection may have waiting for the store.
    static let maximumWaitingFrames = 64

    /// Whether a frame must wait behind others of its connection.
    func waits(_ frame: ClientFrame) -> Bool {
        switch frame {
        case .pong, .hello: false
        default: true
        }
    }

    /// Whether the store must be asked before anything is done in a call.
    func mustBeClaimed(_ call: Int) -> Bool { calls[call]!.isClaiming || !calls[call]!.keeping.isOwned }

    // MARK: Asking

    /// At the start: somebody was in these calls when the relay ended before.
    mutating func occupied(_ sessions: [ByteString]) {
        guard configuration.durability != .none else { return }
        for session in sessions where callBySession[session] == nil {
            _ = census?.callCame(within: .max)
            let call = addCall(named: session)
            calls[call]!.isClaiming = true
            calls[call]!.isExpected = true
            expected.sessions.append(session)
        }
        guard !expected.sessions.isEmpty else { return }
        tellClaims()
        askForExpected()
    }

    /// Asks for the next of the calls that are expected.
    mutating func askForExpected() {
        // What a relay that stops has not asked for stays as it is.
        while stop == nil, expected.asked < Self.claimsAtOnce, expected.next < expected.sessions.count {
            let session = expected.sessions[expected.next]
            expected.next += 1
            // It may have been asked for already by somebody who came.
            guard let call = callBySession[session], calls[call]!.isExpected, !calls[call]!.isClaimInFlight else {
                continue
            }
            ask(for: call)
        }
    }

    /// A call that was expected is claimed, or can't be.
    mutating func hasExpected(_ call: Int) {
        guard calls[call]!.isExpected else { return }
        calls[call]!.isExpected = false
        expected.done += 1
        tellClaims()
        if expected.done == expected.sessions.count { expected = ExpectedCalls() }
    }

    private mutating func tellClaims() {
        let (done, all) = (expected.done, expected.sessions.count)
        guard done == 0 || done == all || done % 1_000 == 0 else { return }
        effects.append(.log(.claiming(done: done, of: all)))
    }

    private mutating func ask(for call: Int) {
        if calls[call]!.isExpected { expected.asked += 1 }
        calls[call]!.isClaiming = true
        calls[call]!.isClaimInFlight = true
        calls[call]!.claimAsked = now.monotonic
        wakeForClaim(of: call, at: now.monotonic + configuration.storeTimeout)
        effects.append(.claim(session: calls[call]!.session))
    }

    /// Keeps a frame until the store has answered, and asks it if nobody has.
    mutating func claim(_ call: Int, for frame: ClientFrame, on index: Int) {
        if isClaimSilent(call) {
            let frame = Call.Waiting(connection: name(index), frame: frame, since: now.monotonic)
            return refuse(frame, storeRefusal)
        }
        connections[index].call = calls[call]!.id
        wait(frame, on: index)
        // The connection may have had too many.
        guard self.call(of: index) == call, !calls[call]!.waiting.isEmpty else { return }
        calls[call]!.isClaiming = true
        wakeForClaim(of: call, at: now.monotonic + Self.claimPatience)
        proceedWithClaim(of: call)
    }

    /// Whether the store was asked for the call and has not answered for longer than it may.
    private func isClaimSilent(_ call: Int) -> Bool {
        calls[call]!.isClaimInFlight && now.monotonic - calls[call]!.claimAsked >= configuration.storeTimeout
    }

    /// Asks the store as soon as it has nothing else to answer for the call: its answers do not say to what.
    mutating func proceedWithClaim(of call: Int) {
        guard calls[call]!.isClaiming, !calls[call]!.isClaimInFlight, calls[call]!.keeping.inFlight == nil,
            calls[call]!.claimRetry <= now.monotonic
        else { return }
        ask(for: call)
    }

    /// Keeps a frame behind others of its connection that wait for the store.
    mutating func wait(_ frame: ClientFrame, on index: Int) {
        guard connections[index].waitingFrames < Self.maximumWaitingFrames else {
            let text = "\(Self.maximumWaitingFrames) frames are waiting for the call: wait for Joined"
            return fail(index, Refusal(code: .limit, text: text))
        }
        if connections[index].errand != nil {
            connections[index].waitingFrames += 1
            connections[index].errand!.frames.append(frame)
            return
        }
        guard let call = call(of: index) else { return }
        connections[index].waitingFrames += 1
        calls[call]!.waiting.append(Call.Waiting(connection: name(index), frame: frame, since: now.monotonic))
        // What is not read takes no memory here.
        pauseReading(index)
    }

    private mutating func wakeForClaim(of call: Int, at instant: UInt64) {
        guard instant < calls[call]!.claimWake else { return }
        calls[call]!.claimWake = instant
        deadlines.set(.claiming(calls[call]!.id), at: instant)
    }

    /// A claim is to be tried again, or somebody has waited long enough for it.
    mutating func claimIsDue(in id: CallID, at instant: UInt64) {
        guard let call = index(of: id), calls[call]!.claimWake == instant else { return }
        calls[call]!.claimWake = .max
        guard calls[call]!.isClaiming else { return }
        // A relay that stops asks only for what it must take a note back of.
        if stop != nil, !calls[call]!.isDoubtful { return }
        refuseWaiting(in: call, since: now.monotonic - min(now.monotonic, Self.claimPatience))
        proceedWithClaim(of: call)
        if isClaimSilent(call) {
            isInTrouble(call, silence)
        } else if calls[call]!.isClaimInFlight {
            wakeForClaim(of: call, at: calls[call]!.claimAsked + configuration.storeTimeout)
        }
        if calls[call]!.claimRetry > now.monotonic, !calls[call]!.isClaimInFlight {
            wakeForClaim(of: call, at: calls[call]!.claimRetry)
        }
        if let first = calls[call]!.waiting.first { wakeForClaim(of: call, at: first.since + Self.claimPatience) }
    }

    // MARK: Answers

    /// The store has given the call, or an epoch.
    mutating func claimed(_ session: ByteString, _ claim: StoreAnswer.Claim) {
        guard let call = callBySession[session], calls[call]!.isClaimInFlight else { return }
        endClaim(of: call)
        calls[call]!.isClaimed = true
        calls[call]!.isClaiming = false
        calls[call]!.isDoubtful = false
        isOutOfTrouble(session)
        calls[call]!.claimPause = Keeping.firstPause
        calls[call]!.claimRetry = 0
        hasExpected(call)
        defer { askForExpected() }
        listUnkept(call)
        do throws(KeptError) {
            guard (1...WireLimits.position).contains(claim.epoch) else {
                throw KeptError("the store gave epoch \(claim.epoch), which there can't be")
            }
            if calls[call]!.keeping.isOwned { calls[call]!.nextEpoch = claim.epoch } else { try restart(call, claim) }
        } catch {
            effects.append(.log(.damaged(session: session, reason: error.description)))
            let text = "what is kept of this call is damaged: it can't go on before somebody has repaired it"
            return drop(call, Refusal(code: .store, text: text, advice: .after, after: 60_000))
        }
        serveWaiting(of: call)
        // Whoever wanted the meeting may have been refused, or gone.
        calls[call]?.nextEpoch = nil
        if calls[call] != nil { emptied(call) }
    }

    /// The store has answered to a claim.
    mutating func endClaim(of call: Int) {
        guard calls[call]!.isClaimInFlight else { return }
        calls[call]!.isClaimInFlight = false
        if calls[call]!.isExpected { expected.asked -= 1 }
    }

    /// Does what has waited, in order of arrival.
    private mutating func serveWaiting(of call: Int) {
        let waiting = calls[call]!.waiting
        calls[call]!.waiting = []
        for frame in waiting {
            if let index = index(of: frame.connection) { connections[index].waitingFrames = 0 }
        }
        for frame in waiting {
            guard let index = index(of: frame.connection) else { continue }
            received(frame.frame, on: index)
        }
        for frame in waiting {
            if let index = index(of: frame.connection) { resumeReading(index) }
        }
    }

    /// The store can't give the call now: it is asked again, for as long as somebody wants it.
    mutating func claimFailed(_ call: Int, _ reason: ByteString) {
        isInTrouble(call, reason)
        endClaim(of: call)
        let pause = calls[call]!.claimPause
        calls[call]!.claimPause = min(2 * pause, Keeping.longestPause)
        calls[call]!.claimRetry = now.monotonic + pause
        wakeForClaim(of: call, at: calls[call]!.claimRetry)
        askForExpected()
        giveUpIfUnwanted(call)
    }

    /// The store can't give the call now, and has noted all the same that it is in use.
    mutating func doubtful(_ session: ByteString, _ reason: ByteString) {
        if let call = callBySession[session], calls[call]!.isClaimInFlight { calls[call]!.isDoubtful = true }
        unavailable(session, reason)
    }

    /// Sessions that the log is told of at most while the store does not give them: the others have the same trouble.
    private static let maximumTroubled = 1_024

    /// The log is told once that the store does not give a call, however often it is asked, and by whomever.
    private mutating func isInTrouble(_ call: Int, _ reason: ByteString) {
        let session = calls[call]!.session
        guard troubledClaims.count < Self.maximumTroubled, troubledClaims.insert(session).inserted else { return }
        effects.append(.log(.storeUnavailable(session: session, reason: reason)))
    }

    /// The store gives calls again; those that nobody wants any more are forgotten.
    private mutating func isOutOfTrouble(_ session: ByteString) {
        guard !troubledClaims.isEmpty else { return }
        if troubledClaims.remove(session) != nil { effects.append(.log(.storeRecovered(session: session))) }
        troubledClaims = troubledClaims.filter { callBySession[$0] != nil }
    }

    /// Nobody gets the epoch that was wanted: whoever waits is served as the call is.
    mutating func giveUpClaim(of call: Int) {
        guard !calls[call]!.isClaimInFlight else { return }
        calls[call]!.isClaiming = false
        serveWaiting(of: call)
        if calls[call] != nil { emptied(call) }
    }

    private mutating func giveUpIfUnwanted(_ call: Int) {
        guard calls[call]!.waiting.isEmpty, !calls[call]!.isExpected, !calls[call]!.isClaimInFlight else { return }
        calls[call]!.isClaiming = false
        emptied(call)
    }

    // MARK: Refusing

    /// Refuses what has waited since `instant` or longer.
    private mutating func refuseWaiting(in call: Int, since instant: UInt64) {
        let waiting = calls[call]!.waiting
        let late = waiting.prefix { $0.since <= instant }
        guard !late.isEmpty else { return }
        calls[call]!.waiting.removeFirst(late.count)
        for frame in late {
            guard let index = index(of: frame.connection) else { continue }
            connections[index].waitingFrames -= min(1, connections[index].waitingFrames)
            refuse(frame, storeRefusal)
            resumeReading(index)
        }
        if calls[call] != nil { giveUpIfUnwanted(call) }
    }

    /// Refuses a frame that has waited.
    mutating func refuse(_ waiting: Call.Waiting, _ refusal: Refusal) {
        guard let index = index(of: waiting.connection) else { return }
        switch waiting.frame {
        case .join: close(index, refusal)
        case .command(let command):
            guard connections[index].phase == .attached else { return }
            let position = call(of: index).map { calls[$0]!.shownPosition } ?? .zero
            acknowledge(
                Ack(op: command.op, code: .store, position: position, text: refusal.text, after: refusal.after),
                on: index
            )
        case .peek(_, let request): refuse(refusal, request, on: index)
        default: received(waiting.frame, on: index)
        }
    }
}
