import CallState
import RollcallProtocol

/// Names one call while it lives: a place in the table of calls and a generation, so that a stale name is harmless.
struct CallID: Hashable {
    private let place: UInt32
    /// Counts the uses of that place.
    let generation: UInt32

    /// The `generation`th use of place `index`.
    init(index: Int, generation: UInt32) {
        place = UInt32(index)
        self.generation = generation
    }

    /// Place in the table.
    var index: Int { Int(place) }
}

/// One call: its state, what is private to it, and who attends.
///
/// The functions in its extensions change the state and the private data; they know nothing of connections.
struct Call {
    /// A frame that waits until the store has answered.
    struct Waiting {
        var connection: ConnectionID
        var frame: ClientFrame
        /// When it came, on the monotonic clock.
        var since: UInt64
    }

    /// What caused a commit.
    typealias Cause = (actor: Slot, op: UInt64)

    /// Its name in the table.
    let id: CallID
    /// What the app calls it.
    let session: ByteString
    /// The authoritative state.
    var state = CallState()

    // Private data.

    /// Per device.
    var records: [Slot: PrivateRecord] = [:]
    /// Observers that act for others, in order of their incarnations, which is that of their coming.
    var actors: [PrivateRecord] = []
    /// Secrets of this meeting's incarnations that were replaced.
    var replaced = ReplacedSecrets()
    /// Who stays out until the meeting ends.
    var removed: Set<ByteString> = []
    /// The election of the dominant speaker.
    var election: Election
    /// Settings that may be done for all clients together.
    var commands = TokenBucket()
    /// ms since 1970; never goes back.
    var clock: UInt64 = 0
    /// seq at which the running epoch began.
    var epochStart: UInt64 = 0
    /// The running meeting, as it was named to the log; empty without one.
    var meeting = ByteString.empty

    // The store.

    /// What the store has, and what it is still to be given.
    var keeping: Keeping
    /// Whether the call waits for the store to give it, or an epoch, to the relay.
    var isClaiming = false
    /// Whether the store was asked for that and has not answered yet.
    var isClaimInFlight = false
    /// Whether the store has ever given it, so that it must be told when the call is freed.
    var isClaimed = false
    /// Whether somebody was in when the relay ended before: the store is asked until it answers.
    var isExpected = false
    /// Whether the store has noted that the call is in use, and has not given it.
    var isDoubtful = false
    /// The time until the store is asked again, in ms.
    var claimPause = Keeping.firstPause
    /// When the store was asked last, on the monotonic clock.
    var claimAsked: UInt64 = 0
    /// When the store may be asked again on the monotonic clock.
    var claimRetry: UInt64 = 0
    /// The nearest instant at which a look at the claim is due; `.max` is none.
    var claimWake = UInt64.max
    /// Until when devices that had a link at a planned stop may come back unnoticed; nil is not the case.
    ///
    /// Monotonic clock.
    var quietUntil: UInt64?
    /// The earlier epochs of the running meeting, oldest first, and up to which seq each is part of this history.
    var history: [Position] = []
    /// seq at which the first epoch of ``history`` began.
    var historyStart: UInt64 = 0
    /// The epoch that the next meeting will have.
    var nextEpoch: UInt64?
    /// Frames that wait for the store, in order of arrival.
    var waiting: [Waiting] = []

    // Who attends.

    /// Indices of the connections that get the call's frames.
    var readers: [Int] = []
    /// The place in ``readers`` of the one that is told of the next change first.
    var firstTold = 0
    /// How many of the attached connections are observers.
    var observers = 0

    // Output.

    /// What is shown, while ``state`` is ahead of it; empty when that is shown.
    ///
    /// In a list, so that a call which is never ahead has no room for a second state.
    var held: [CallState] = []
    /// The state at the batch that is on its way; empty without one, and when nothing waits for the store.
    var batched: [CallState] = []
    /// What caused the last commit of ``batched``.
    var batchedCause: Cause = (0, 0)
    /// What caused the last commit of what is shown; only while it waits for the store.
    var shownCause: Cause = (0, 0)
    /// Connections that are told something once it is kept.
    var holding: [ConnectionID] = []
    /// Frames encoded once for all.
    var ring = FrameRing(at: 0)
    /// The epoch of ``ring``.
    var ringEpoch: UInt64 = 0
    /// Up to which seq the readers were told that there is something; the ring has more while a tick gathers it.
    var told: UInt64 = 0
    /// seq up to which they were told before that: who has less has missed whole turns.
    var turnBegin: UInt64 = 0
    /// When they are told what changes.
    var tick = Tick()
    /// The nearest instant at which the end of a tick is due; `.max` is none.
    var tickWake = UInt64.max
    /// The last snapshot, for the next joiner.
    var snapshot: EncodedSnapshot?
    /// When it was made, on the monotonic clock.
    var snapshotMadeAt: UInt64 = 0
    /// The last snapshot that was made for somebody who gets no more frames.
    var parting: EncodedSnapshot?
    /// What happened in the running turn.
    var turn = Turn()
    /// Tombstones that were left when some were dropped last.
    var keptTombstones = 0

    // Time.

    /// Since when at most one person has been in; nil when nothing is counted.
    ///
    /// Monotonic clock; below 0 is before this relay started.
    var idleSince: Int64?
    /// The nearest instant at which a look at the idle period is due; `.max` is none.
    var idleWake = UInt64.max
    /// The nearest instant at which a look at the election is due; `.max` is none.
    var electionWake = UInt64.max
    /// When the request to unmute each person lapses, on the monotonic clock.
    ///
    /// May name persons who are not asked any more, or have left.
    var requests: [Slot: UInt64] = [:]
    /// The nearest instant at which a look at ``requests`` is due; `.max` is none.
    var requestWake = UInt64.max

    /// What happened in one turn.
    struct Turn {
        /// Slot of the device that caused the last commit; 0 is the relay.
        var actor: Slot = 0
        /// The command that caused the last commit; 0 is none.
        var op: UInt64 = 0
        /// Whether the call is on the list of those that changed.
        var isListed = false
        /// Whether the call is on the list of those whose election must be evaluated.
        var isElecting = false
        /// Whether the call is on the list of those that may be free.
        var isEmptied = false

        /// Notes a commit.
        mutating func note(actor: Slot, op: UInt64) {
            self.actor = actor
            self.op = op
        }
    }

    /// A call that nobody is in.
    init(id: CallID, session: ByteString, configuration: RelayConfiguration) {
        self.id = id
        self.session = session
        keeping = Keeping(configuration.durability, maximumBacklog: configuration.maximumBacklog)
        election = Election(
            qualifyingTime: configuration.takeoverSpeech,
            maximumChanges: configuration.maximumDominantChanges
        )
    }

    /// Whether somebody is in.
    var isOccupied: Bool { state.peopleCount > 0 }

    /// Whether the relay can forget it.
    var isFree: Bool {
        !isOccupied && readers.isEmpty && actors.isEmpty && waiting.isEmpty && !isClaiming && !keeping.isPending
    }
}
