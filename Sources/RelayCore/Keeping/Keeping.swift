import CallState

/// What a call has given to its store, and what it still has to give.
///
/// Batches are counted: what a connection is told says by the number of a batch what must be kept before it may leave.
/// At most one batch is on its way; one that failed is made anew, larger by what has happened since.
struct Keeping {
    /// A batch that is on its way.
    struct Batch {
        /// seq that the store has once it is kept.
        var seq: UInt64
        /// The private data in it.
        var keys: Set<UInt64>
        /// How many of ``Keeping/gone`` are in it.
        var gone: Int
        /// How many of ``Keeping/attendance`` are in it.
        var attendance: Int
        /// Whether it says that the relay has stopped by plan.
        var isClean: Bool
    }

    /// When what changes counts.
    let durability: RelayConfiguration.Durability
    /// Whether the store has given the call to this relay; without a store it is the relay's from the start.
    var isOwned: Bool
    /// seq that the store is known to have.
    private(set) var seq: UInt64 = 0
    /// The number of the last batch that was made.
    private(set) var made: UInt64 = 0
    /// The number of the last batch that is kept.
    private(set) var kept: UInt64 = 0
    /// The batch that is on its way.
    private(set) var inFlight: Batch?
    /// Whether something has changed since the last batch was made.
    private(set) var isDirty = false
    /// The private data that has changed since.
    private(set) var keys: Set<UInt64> = []
    /// The slots whose tombstones were dropped since what is kept.
    private(set) var gone: [Slot] = []
    /// What has changed of what call logs show since what is kept.
    private(set) var attendance: [TimedAttendanceChange] = []
    /// Whether the last answer was that nothing can be kept: it is tried again when that is due.
    private(set) var isRefused = false
    /// Whether the batch on its way has had no answer for longer than a store may take.
    private(set) var isSilent = false
    /// Whether it was told that nothing can be changed, and not yet that it can again.
    var isOutageTold = false
    /// When the batch on its way was sent, on the monotonic clock.
    private(set) var sentAt: UInt64 = 0
    /// When a look at the batch on its way, and at how much waits, is due; `.max` is not said.
    var silenceWake = UInt64.max
    /// Bytes of ``attendance`` in memory, about.
    private var attendanceBytes = 0
    /// So many bytes may wait for the store, about.
    private let maximumBacklog: Int
    /// The time until the next try, in ms.
    private var pause = Keeping.firstPause
    /// When the next batch is due on the monotonic clock; `.max` is not said.
    var due = UInt64.max
    /// Whether the call is on the turn's list of those with something to keep.
    var isListed = false
    /// Whether the store has kept everything, and that the relay has stopped by plan.
    private(set) var isClean = false

    /// The first try after a failure comes after so many ms; each next one after twice the time.
    static let firstPause: UInt64 = 500
    /// The longest time between two tries, in ms.
    static let longestPause: UInt64 = 5_000

    /// Nothing has been given.
    ///
    /// - Parameter maximumBacklog: So many bytes of what only gathers may wait for the store.
    init(_ durability: RelayConfiguration.Durability, maximumBacklog: Int = .max) {
        self.durability = durability
        self.maximumBacklog = maximumBacklog
        isOwned = durability == .none
    }

    /// Whether what is shown waits for the store.
    var isSync: Bool { durability == .sync }

    /// Whether the store does not have everything.
    var isPending: Bool { isDirty || inFlight != nil }

    /// Whether more of what only gathers waits for the store than may: records replace each other, this does not.
    var isFull: Bool { attendanceBytes + gone.count * MemoryLayout<Slot>.stride > maximumBacklog }

    /// Whether nothing is changed for anybody, until the store has kept what there is.
    var isUnavailable: Bool { isRefused || isSilent || isFull }

    /// The number of the batch that must be kept before something that follows from the present state may be told.
    var needed: UInt64 { isDirty ? made + 1 : made }

    /// Something has changed; `key` names what of the private data, nil is the state.
    mutating func mark(_ key: PrivateKey?) {
        isDirty = true
        isClean = false
        if let key { keys.insert(key.number) }
    }

    /// Nothing is known any more of what was in `slot`.
    mutating func forget(_ slot: Slot) {
        if durability != .none { gone.append(slot) }
    }

    /// Something that call logs show has changed.
    mutating func record(_ changes: [AttendanceChange], at clock: UInt64) {
        guard durability != .none else { return }
        for change in changes {
            attendance.append(TimedAttendanceChange(at: clock, change))
            attendanceBytes += change.size
        }
    }

    /// The store has this already, and nothing else: the call comes from it.
    mutating func restored(at seq: UInt64) {
        self.seq = seq
        isOwned = true
    }

    /// A batch to `seq` goes on its way at `now`, on the monotonic clock; `clean`: nothing will follow it.
    mutating func send(to seq: UInt64, clean: Bool, at now: UInt64) {
        made += 1
        sentAt = now
        inFlight = Batch(seq: seq, keys: keys, gone: gone.count, attendance: attendance.count, isClean: clean)
        isDirty = false
        keys = []
        due = .max
    }

    /// The batch on its way is kept; false when none was, or another one.
    mutating func hasKept(_ seq: UInt64) -> Bool {
        guard let batch = inFlight, batch.seq == seq else { return false }
        self.seq = seq
        gone.removeFirst(batch.gone)
        for entry in attendance.prefix(batch.attendance) { attendanceBytes -= entry.change.size }
        attendance.removeFirst(batch.attendance)
        inFlight = nil
        kept = made
        isRefused = false
        isSilent = false
        pause = Self.firstPause
        isClean = batch.isClean && !isDirty
        return true
    }

    /// The batch on its way is not kept; gives how long to wait before the next try, nil when none was on its way.
    mutating func hasFailed() -> UInt64? {
        guard let batch = inFlight else { return nil }
        keys.formUnion(batch.keys)
        inFlight = nil
        isDirty = true
        isRefused = true
        isSilent = false
        defer { pause = min(2 * pause, Self.longestPause) }
        return pause
    }
}

extension Keeping {
    /// The batch on its way is not waited for any longer; an answer that comes still counts.
    mutating func isSilentNow() { isSilent = inFlight != nil }
}

extension AttendanceChange {
    /// The bytes that it takes in memory while it waits for the store, about.
    fileprivate var size: Int {
        let texts: [ByteString] =
            switch self {
            case .left, .ended: []
            case .began(let meeting, _): [meeting]
            case .device(let facts): [facts.uid, facts.device]
            case .profile(let uid, let name, let avatar): [uid, name, avatar]
            case .title(let title): [title]
            case .recording(let recording): [recording?.byUID ?? .empty, recording?.byName ?? .empty]
            }
        // Each text with the block of memory that it is in.
        return texts.reduce(MemoryLayout<TimedAttendanceChange>.stride) { $0 + ($1.isEmpty ? 0 : 48 + $1.count) }
    }
}

/// Names a piece of what a call keeps and never shows.
enum PrivateKey: Hashable {
    /// What belongs to a device.
    case device(Slot)
    /// What belongs to an observer that acts for others, by its incarnation.
    case actor(UInt64)
    /// Who stays out.
    case removed
    /// The secrets that were replaced.
    case replaced

    private static let actors: UInt64 = 1 << 63
    private static let lists: UInt64 = 1 << 62

    /// Its number in a batch.
    var number: UInt64 {
        switch self {
        case .device(let slot): UInt64(slot)
        case .actor(let incarnation): Self.actors | incarnation
        case .removed: Self.lists
        case .replaced: Self.lists | 1
        }
    }

    /// What a number in a batch names; nil is nothing.
    init?(number: UInt64) {
        switch number {
        case Self.lists: self = .removed
        case Self.lists | 1: self = .replaced
        case Self.actors...: self = .actor(number & ~Self.actors)
        default:
            guard let slot = Slot(exactly: number) else { return nil }
            self = .device(slot)
        }
    }
}
