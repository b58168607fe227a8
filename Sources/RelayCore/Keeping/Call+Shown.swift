import CallState
import RollcallProtocol

// What is shown of a call: with a store that everything waits for, the state at the last kept batch; else the state as
// it is.
//
// These are `mutating` even where they only look, since the state of a call in the relay's table is then read where it
// is; else all of it is copied.
extension Call {
    /// Keeps what is shown apart from what is about to change.
    mutating func holdShown() {
        if keeping.isSync, held.isEmpty { held.append(state) }
    }

    /// After a change that came to nothing.
    mutating func releaseUnchanged() {
        if !held.isEmpty, held[0].position == state.position { held = [] }
    }

    /// The batch on its way is kept: what it held is shown from now on.
    ///
    /// False when that is what was shown already.
    mutating func showKept() -> Bool {
        guard !batched.isEmpty else { return false }
        let before = shownPosition
        held = batched[0].position == state.position ? [] : batched
        shownCause = batchedCause
        batched = []
        return shownPosition != before
    }

    /// Where what is shown is in its history.
    var shownPosition: Position {
        mutating get { held.isEmpty ? state.position : held[0].position }
    }

    /// The digest of what is shown.
    var shownDigest: UInt64 {
        mutating get { held.isEmpty ? state.digest : held[0].digest }
    }

    /// The floor of what is shown.
    var shownFloor: UInt64 {
        mutating get { held.isEmpty ? state.floor : held[0].floor }
    }

    /// How many people are in.
    var shownPeople: Int {
        mutating get { held.isEmpty ? state.peopleCount : held[0].peopleCount }
    }

    /// The slots of what changed above `seq`, of what is shown.
    mutating func collectChanges(since seq: UInt64, into slots: inout [Slot]) {
        if held.isEmpty {
            state.findSlots(changedSince: seq, into: &slots)
        } else {
            held[0].findSlots(changedSince: seq, into: &slots)
        }
    }

    /// Where a state is, and what decides whether a difference leads to it.
    struct Head {
        var position: Position
        var floor: UInt64
        var digest: UInt64

        init(_ state: borrowing CallState) {
            position = state.position
            floor = state.floor
            digest = state.digest
        }
    }

    /// Where what is shown is, or the call `asItIs`.
    mutating func head(asItIs: Bool) -> Head {
        asItIs || held.isEmpty ? Head(state) : Head(held[0])
    }

    /// Appends a Delta from `cursor` to what is shown, or to the call `asItIs`, for one receiver.
    mutating func encodeDifference(from cursor: Position, asItIs: Bool, into bytes: inout [UInt8]) {
        func encode(_ state: borrowing CallState) {
            var slots: [Slot] = []
            state.findSlots(changedSince: cursor.seq, into: &slots)
            ServerFrame.encodeDelta(of: state, in: slots, from: cursor, digest: state.digest, into: &bytes)
        }
        if asItIs { encode(state) } else { readShown(encode) }
    }

    /// Lets `body` read what is shown.
    mutating func readShown<Result>(_ body: (borrowing CallState) -> Result) -> Result {
        held.isEmpty ? body(state) : body(held[0])
    }

    /// Whether a difference leads from a position to one in `epoch`: it is of the same epoch, or of an earlier one of
    /// this meeting and in the part that is shared.
    func isShared(_ position: Position, with epoch: UInt64) -> Bool {
        if position.epoch == epoch { return true }
        guard let end = history.first(where: { $0.epoch == position.epoch }), let begin = begin(of: position.epoch)
        else { return false }
        return begin <= position.seq && position.seq <= end.seq
    }

    /// The first seq of an epoch of this meeting; nil when it is not known.
    ///
    /// An epoch begins where the one before it ends: below that no position of it was ever given.
    func begin(of epoch: UInt64) -> UInt64? {
        if epoch == state.position.epoch { return epochStart }
        var first = historyStart
        for end in history {
            if end.epoch == epoch { return first }
            first = end.seq
        }
        return nil
    }

    /// The running epoch is over at `last`: it is the last one of the history, which knows `limit` at most.
    mutating func remember(_ last: Position, atMost limit: Int) {
        if history.isEmpty { historyStart = epochStart }
        history.append(last)
        while history.count > limit { historyStart = history.removeFirst().seq }
    }
}
