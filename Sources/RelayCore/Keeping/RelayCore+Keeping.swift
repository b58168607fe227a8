import CallState
import RollcallProtocol

// Giving the store what has changed, and what follows from its answers.
extension RelayCore {
    /// Something of a call has changed that the store must have; `key` names what of its private data, nil is its
    /// state.
    mutating func mark(_ call: Int, _ key: PrivateKey? = nil) {
        guard configuration.durability != .none else { return }
        if !calls[call]!.keeping.isPending { unkeptCalls += 1 }
        calls[call]!.keeping.mark(key)
        listUnkept(call)
    }

    /// Looks at the end of the turn whether the call has something for the store.
    mutating func listUnkept(_ call: Int) {
        guard !calls[call]!.keeping.isListed else { return }
        calls[call]!.keeping.isListed = true
        turn.unkept.append(calls[call]!.id)
    }

    /// Gives the store what is due.
    mutating func keepChanges() {
        if turn.unkept.isEmpty { return }
        for id in turn.unkept {
            guard let call = index(of: id) else { continue }
            calls[call]!.keeping.isListed = false
            keepChanges(of: call)
        }
        turn.unkept.removeAll(keepingCapacity: true)
    }

    private mutating func keepChanges(of call: Int) {
        guard calls[call]!.keeping.isDirty else { return }
        let mayGather = configuration.durability == .async && stop == nil && !calls[call]!.keeping.isRefused
        if mayGather, calls[call]!.keeping.due == .max {
            // Also while a batch is on its way: what has waited long enough by then follows it at once.
            wakeForKeeping(of: call, at: now.monotonic + configuration.keepDelay)
        }
        let isDue = calls[call]!.keeping.due <= now.monotonic
        guard isDue || !(mayGather || calls[call]!.keeping.isRefused) else { return }
        guard calls[call]!.keeping.inFlight == nil, !calls[call]!.isClaimInFlight else { return }
        effects.append(.append(calls[call]!.makeBatch(clean: stop != nil, at: now)))
        watchSilence(of: call)
    }

    private mutating func wakeForKeeping(of call: Int, at instant: UInt64) {
        calls[call]!.keeping.due = instant
        deadlines.set(.keeping(calls[call]!.id), at: instant)
    }

    /// What has gathered in a call, or failed, is given to the store at the end of this turn.
    mutating func keepingIsDue(in id: CallID, at instant: UInt64) {
        guard let call = index(of: id), calls[call]!.keeping.due == instant else { return }
        listUnkept(call)
    }

    // MARK: Answers

    /// Everything of the call up to `seq` is on the disk.
    mutating func kept(_ session: ByteString, _ seq: UInt64) {
        guard let call = callBySession[session] else { return }
        guard calls[call]!.keeping.hasKept(seq) else { return }
        if !calls[call]!.keeping.isPending { unkeptCalls -= 1 }
        if calls[call]!.keeping.isSync {
            if calls[call]!.showKept() { listChanged(call) }
            tellKept(call)
        }
        if calls[call]!.keeping.isOutageTold, !calls[call]!.keeping.isUnavailable {
            calls[call]!.keeping.isOutageTold = false
            effects.append(.log(.storeRecovered(session: session)))
            renewGraces(of: call)
        }
        if calls[call]!.keeping.isPending { listUnkept(call) } else { emptied(call) }
        proceedWithClaim(of: call)
    }

    /// The store could not do what it was asked for.
    mutating func unavailable(_ session: ByteString, _ reason: ByteString) {
        guard let call = callBySession[session] else { return }
        if calls[call]!.isClaimInFlight { return claimFailed(call, reason) }
        guard let pause = calls[call]!.keeping.hasFailed() else { return }
        wakeForKeeping(of: call, at: now.monotonic + pause)
        outageBegins(in: call, reason)
        // Who waits for an epoch is refused as everybody is.
        if calls[call]!.isClaiming { giveUpClaim(of: call) }
    }

    /// Another relay owns the call.
    mutating func fenced(_ session: ByteString) {
        guard let call = callBySession[session] else { return }
        effects.append(.log(.fenced(session: session)))
        endClaim(of: call)
        hasExpected(call)
        defer { askForExpected() }
        let text = "another relay has this call now: come back later"
        drop(call, Refusal(code: .store, text: text, advice: .after, after: Keeping.longestPause))
    }

    /// Forgets a call that this relay can't go on with: all who attend it or wait for it are told so; the store keeps
    /// what it has.
    mutating func drop(_ call: Int, _ refusal: Refusal) {
        // Nobody is told anything that was not kept: the call is what was shown of it, for as long as it takes.
        if let shown = calls[call]!.held.first { calls[call]!.state = shown }
        calls[call]!.held = []
        if calls[call]!.keeping.isPending { unkeptCalls -= 1 }
        calls[call]!.keeping = Keeping(.none)
        for name in calls[call]!.holding {
            guard let index = index(of: name) else { continue }
            // Who is to be told goodbye is told that what it did is not kept; the others are closed below.
            if connections[index].phase == .closing, !connections[index].output.held.isEmpty { endUnkept(index) }
            connections[index].output.dropHeld()
            hasOutput(index)
        }
        let waiting = calls[call]!.waiting
        calls[call]!.waiting = []
        for index in calls[call]!.readers {
            // Who was told goodbye gets no more frames of the call either.
            if connections[index].phase == .closing { detach(index, isHeard: true) } else { close(index, refusal) }
        }
        free(call)
        for frame in waiting {
            if let index = index(of: frame.connection) { connections[index].waitingFrames = 0 }
        }
        for frame in waiting { refuse(frame, refusal) }
    }
}
