import CallState
import RollcallProtocol

// A store that can't keep what changes, or does not say: nothing more is changed, and nothing is told that is not kept.
extension RelayCore {
    /// Whether nothing may be changed in a call for anybody, since the store can't keep it.
    func refusesChanges(_ call: Int) -> Bool { calls[call]!.keeping.isUnavailable }

    /// What somebody is told who may change nothing, since the store can't keep it.
    var storeRefusal: Refusal {
        let text = "the store can't keep changes of this call now: nothing was changed, try again later"
        return Refusal(code: .store, text: text, advice: .after, after: Keeping.longestPause)
    }

    /// What somebody is told of whom something was changed that the store can't keep now.
    private var unkeptRefusal: Refusal {
        let text = "the store can't keep now what was changed: it may be undone, try again later"
        return Refusal(code: .store, text: text, advice: .after, after: Keeping.longestPause)
    }

    // MARK: Silence

    /// Looks at the batch on its way when the store should have answered.
    ///
    /// One look for many batches: one that finds a younger batch looks again.
    mutating func watchSilence(of call: Int) {
        guard calls[call]!.keeping.silenceWake == .max else { return }
        wakeForSilence(of: call, at: now.monotonic + configuration.storeTimeout)
    }

    private mutating func wakeForSilence(of call: Int, at instant: UInt64) {
        calls[call]!.keeping.silenceWake = instant
        deadlines.set(.silence(calls[call]!.id), at: instant)
    }

    /// The store has had the time for an answer; it may have answered to that batch, and have got others.
    mutating func silenceIsDue(in id: CallID, at instant: UInt64) {
        guard let call = index(of: id), calls[call]!.keeping.silenceWake == instant else { return }
        calls[call]!.keeping.silenceWake = .max
        if calls[call]!.keeping.isFull { outageBegins(in: call, "more is to be kept for call logs than may wait") }
        guard calls[call]!.keeping.inFlight != nil, !calls[call]!.keeping.isSilent else { return }
        let due = calls[call]!.keeping.sentAt + configuration.storeTimeout
        guard due <= now.monotonic else { return wakeForSilence(of: call, at: due) }
        if now.monotonic - instant >= Self.standstillThreshold {
            // The relay itself did not run: an answer may be there that was not read.
            return wakeForSilence(of: call, at: now.monotonic + Self.standstillThreshold)
        }
        calls[call]!.keeping.isSilentNow()
        outageBegins(in: call, silence)
    }

    /// Looks later in this turn whether more waits than may: in the middle of a commit nobody can be told.
    mutating func watchBacklog(of call: Int) {
        guard calls[call]!.keeping.isFull, !calls[call]!.keeping.isOutageTold else { return }
        wakeForSilence(of: call, at: now.monotonic)
    }

    /// Why a store that does not answer can't keep anything.
    var silence: ByteString { ByteString("no answer for \(configuration.storeTimeout) ms") }

    // MARK: The begin of an outage

    /// From now on nothing is changed in a call: who waits for something that was to be kept is told, once.
    ///
    /// A command that was done stays done, and is answered once it is kept. Who has no answer to its Join has seen
    /// nothing yet and comes back. Who is to be told goodbye is told that it is not kept.
    mutating func outageBegins(in call: Int, _ reason: ByteString) {
        guard !calls[call]!.keeping.isOutageTold else { return }
        calls[call]!.keeping.isOutageTold = true
        effects.append(.log(.storeUnavailable(session: calls[call]!.session, reason: reason)))
        for name in calls[call]!.holding {
            guard let index = index(of: name), !connections[index].output.held.isEmpty else { continue }
            switch connections[index].phase {
            case .closing: endUnkept(index)
            case .attached where connections[index].output.isLeadHeld: fail(index, unkeptRefusal)
            case .attached:
                let text =
                    "the store can't keep changes now: what was done and is not answered is answered once it is kept"
                send(.notice(code: .unkept, text: text), on: index)
            case .free, .opened, .greeted, .gone: continue
            }
        }
    }

    /// What somebody is told for `refusal` while what it tells of can't be kept.
    func unkept(_ refusal: Refusal, on index: Int) -> Refusal {
        switch refusal.code {
        case .left: goodbye(to: index)
        case .removed, .replaced, .locked, .staleAttempt, .idle, .limit: unkeptRefusal
        default: refusal
        }
    }

    private func goodbye(to index: Int) -> Refusal {
        switch connections[index].goodbye {
        case .asItWas: Self.hasLeft
        case .changed: Self.unkeptLeave
        case nil: unkeptRefusal
        }
    }

    private static let unkeptLeave = Refusal(
        code: .store,
        text: "left, which the store can't keep now: a relay that starts anew may take it for a lost link",
        advice: .never
    )

    /// Ends a connection that closes and waits for what is not kept: it is told that, instead of what it waits for.
    mutating func endUnkept(_ index: Int) {
        let hasJoined = !connections[index].output.isLeadHeld
        connections[index].output.dropHeld()
        // Who has no answer to its Join, or is not given a snapshot that it waited for, gets nothing of the call any
        // more: no answer either that refers to it.
        if !hasJoined {
            connections[index].output.trailing = []
            detach(index, isHeard: false)
        }
        let refusal: Refusal =
            if let stop, connections[index].goodbye == nil {
                goingAway(after: stop.resumeAfter)
            } else {
                goodbye(to: index)
            }
        send(.closed(refusal), on: index)
    }
}
