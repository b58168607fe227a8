import CallState
import RollcallProtocol

// The table of calls, the store's answers, commits.
extension RelayCore {
    /// The call of a session; nil when there is none.
    func call(named session: ByteString) -> Int? { callBySession[session] }

    /// The call of a session, made if there is none; nil when there are too many.
    mutating func makeCall(named session: ByteString) -> Int? {
        if let known = callBySession[session] { return known }
        if let census {
            guard census.callCame(within: configuration.maximumCalls) else { return nil }
        } else if sessions.count >= configuration.maximumCalls {
            return nil
        }
        return addCall(named: session)
    }

    /// A new call of a session that has none; counted by the caller.
    mutating func addCall(named session: ByteString) -> Int {
        let index: Int
        if let free = freeCalls.popLast() {
            index = free
        } else {
            index = calls.count
            calls.append(nil)
            callGenerations.append(0)
        }
        let id = CallID(index: index, generation: callGenerations[index])
        calls[index] = Call(id: id, session: session, configuration: configuration)
        callBySession[session] = index
        sessions.insert(session, at: place(of: session))
        return index
    }

    /// Where a session is, or would be, in the sorted list.
    ///
    /// O(log calls).
    func place(of session: ByteString) -> Int {
        var low = 0
        var high = sessions.count
        while low < high {
            let middle = (low + high) / 2
            if sessions[middle] < session { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Looks at the end of the turn whether the call is still needed.
    mutating func emptied(_ call: Int) {
        guard !calls[call]!.turn.isEmptied else { return }
        calls[call]!.turn.isEmptied = true
        turn.emptied.append(calls[call]!.id)
    }

    mutating func freeCallsThatEmptied() {
        if turn.emptied.isEmpty { return }
        for id in turn.emptied {
            guard let call = index(of: id) else { continue }
            calls[call]!.turn.isEmptied = false
            guard calls[call]!.isFree else { continue }
            let session = calls[call]!.session
            if calls[call]!.isClaimed { effects.append(.release(session: session)) }
            free(call)
        }
        turn.emptied.removeAll(keepingCapacity: true)
    }

    /// Forgets a call.
    mutating func free(_ call: Int) {
        let id = calls[call]!.id
        let session = calls[call]!.session
        callBySession[session] = nil
        sessions.remove(at: place(of: session))
        for subject in Deadlines.Subject.ofCall(id) { deadlines.remove(subject) }
        census?.callWent()
        calls[call] = nil
        callGenerations[call] &+= 1
        freeCalls.append(call)
    }

    // MARK: The store

    /// Takes in what the store says.
    mutating func answered(_ answer: StoreAnswer) {
        switch answer {
        case .claimed(let session, let claim): claimed(session, claim)
        case .attendance(let session, let changes):
            for entry in changes { attendanceLog.record([entry.change], of: session, at: entry.at) }
        case .occupied(let sessions): occupied(sessions)
        case .kept(let session, let seq): kept(session, seq)
        case .unavailable(let session, let reason): unavailable(session, reason)
        case .doubtful(let session, let reason): doubtful(session, reason)
        case .fenced(let session): fenced(session)
        }
    }

    /// Takes the epoch that the store gave, for a meeting that is about to begin.
    ///
    /// False when the store gave one that the call has had.
    mutating func beginEpoch(of call: Int) -> Bool {
        guard let epoch = calls[call]!.nextEpoch, epoch > calls[call]!.state.position.epoch else { return false }
        calls[call]!.nextEpoch = nil
        calls[call]!.holdShown()
        // Nobody of an earlier meeting can resume, so nobody needs to be told what was removed in it.
        let head = calls[call]!.state.position.seq
        calls[call]!.dropTombstones(through: head)
        calls[call]!.state.beginEpoch(epoch)
        calls[call]!.history = []
        calls[call]!.historyStart = 0
        calls[call]!.epochStart = head
        mark(call)
        if !calls[call]!.keeping.isSync { calls[call]!.beginRing() }
        return true
    }

    // MARK: Commits

    /// Begins a commit of a call.
    mutating func beginCommit(_ call: Int) {
        calls[call]!.tell(now.wall)
        calls[call]!.holdShown()
        calls[call]!.state.beginCommit()
    }

    /// Ends a commit; `actor` is the device that caused it, 0 the relay.
    mutating func endCommit(_ call: Int, actor: Slot = 0) {
        if calls[call]!.state.endCommit() { changed(call, actor: actor) } else { calls[call]!.releaseUnchanged() }
    }

    /// A call's state has gone one commit further.
    mutating func changed(_ call: Int, actor: Slot, op: UInt64 = 0) {
        let news = calls[call]!.noteCommit(actor: actor, op: op)
        mark(call)
        // What waits for the store is told when it is kept.
        if configuration.durability != .sync || !calls[call]!.keeping.isSync { listChanged(call) }
        if news.changesAttendance { recordAttendance(of: call) }
        if news.beginsMeeting { meetingBegan(call) }
        if news.endsMeeting { meetingEnded(call) }
        if news.concernsIdle { watchIdle(call, people: news.people) }
        if news.concernsSpeech { reconcileSpeech(call) }
    }

    /// What is shown of a call has changed: the turn tells it.
    mutating func listChanged(_ call: Int) {
        guard !calls[call]!.turn.isListed else { return }
        calls[call]!.turn.isListed = true
        turn.changed.append(calls[call]!.id)
    }

    private mutating func meetingBegan(_ call: Int) {
        let meeting = calls[call]!.state.text(CallField.meetingID, of: .call)
        calls[call]!.meeting = meeting
        let epoch = calls[call]!.state.position.epoch
        effects.append(.log(.meetingBegan(session: calls[call]!.session, meeting: meeting, epoch: epoch)))
    }

    /// Locks and removals are forgotten with the meeting.
    private mutating func meetingEnded(_ call: Int) {
        let session = calls[call]!.session
        let position = calls[call]!.state.position
        effects.append(.log(.meetingEnded(session: session, meeting: calls[call]!.meeting, position: position)))
        calls[call]!.meeting = .empty
        if !calls[call]!.removed.isEmpty {
            calls[call]!.removed = []
            mark(call, .removed)
        }
        if !calls[call]!.replaced.isEmpty {
            calls[call]!.replaced.removeAll()
            mark(call, .replaced)
        }
        calls[call]!.requests = [:]
        calls[call]!.election = Election(
            qualifyingTime: configuration.takeoverSpeech,
            maximumChanges: configuration.maximumDominantChanges
        )
        emptied(call)
    }
}
