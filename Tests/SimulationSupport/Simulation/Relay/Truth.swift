import CallState

/// What the relay's state was at each position that it had.
struct Truth {
    private struct Key: Hashable {
        var session: Int
        var position: Position
    }

    private var digests: [Key: UInt64] = [:]

    /// The digest of a session's state at a position; nil when the relay never had it, as far as is known.
    func digest(_ session: Int, _ position: Position) -> UInt64? {
        digests[Key(session: session, position: position)]
    }

    /// Notes a state.
    ///
    /// Gives the digest that was known before, when it is another one.
    mutating func note(_ session: Int, _ position: Position, _ digest: UInt64) -> UInt64? {
        let known = digests.updateValue(digest, forKey: Key(session: session, position: position))
        return known == digest ? nil : known
    }
}

/// What is watched of the call of one session.
struct CallWatch {
    /// Somebody without a link.
    struct Lost {
        var device: Slot
        /// The version of the field that says so.
        ///
        /// It tells one loss from the next: a wall clock that was put back stands still, and then both end at one time.
        var version: UInt64
        /// What the record says.
        var until: UInt64
        /// When it was lost and how long it may stay, in the world's time.
        var since: UInt64
        var grace: UInt64 = 0
        /// How long the relay had stood still by then, in all: whoever is asleep takes nobody out.
        var standstill: UInt64 = 0

        func isSame(as other: Lost) -> Bool {
            device == other.device && version == other.version && until == other.until
        }
    }

    struct Name: Hashable {
        var uid: ByteString
        var device: ByteString
    }

    let session: ByteString
    /// Who has joined the running relay.
    var came: Set<Name> = []
    /// Where the state was when it was looked at last.
    var position = Position.zero
    /// Where it was when the end of a turn was judged last.
    var judged = Position.zero
    var lost: [Lost] = []
    /// Who had a hand up, and the version of it.
    var hands: [(person: Slot, version: UInt64)] = []
    var tombstoneFloor: UInt64 = 0
    /// Whether something waited for the end of a tick when a turn ended last.
    var gathers = false
    /// By epoch, up to which seq the store has kept the call, as far as it has said so.
    var kept: [UInt64: UInt64] = [:]
    /// By epoch that ended without a plan, up to which seq it is part of the history.
    var ends: [UInt64: UInt64] = [:]
    /// When the call was given to the running relay with somebody in; nil when it was not.
    var restoredAt: UInt64?
    /// Whether the store could not keep something, and has kept nothing since.
    var isStoreDoubted = false
    /// When that was over last.
    var storeFailedAt: UInt64 = 0
    /// The grace of the policy.
    var grace: UInt64 = 0

    /// By epoch, the lowest and the highest seq that the relay had.
    var range: [UInt64: ClosedRange<UInt64>] = [:]

    init(session: ByteString) { self.session = session }

    /// Notes where the relay is; before, it was at `last` of the same call, or had no call.
    mutating func note(_ position: Position, after last: Position) {
        let begin = last == .zero ? kept[position.epoch] ?? 0 : last.seq
        let known = range[position.epoch] ?? min(begin, position.seq)...position.seq
        range[position.epoch] = min(known.lowerBound, position.seq)...max(known.upperBound, position.seq)
    }

    /// Whether the relay had that position, as far as it was not looked at between two commits of one turn.
    func had(_ position: Position) -> Bool { range[position.epoch]?.contains(position.seq) ?? false }

    /// The call was freed, or its relay is gone.
    mutating func callIsGone() {
        position = .zero
        judged = .zero
        lost = []
        hands = []
        tombstoneFloor = 0
        restoredAt = nil
    }
}
