import CallState
import RollcallProtocol

/// What the relay knows about one connection.
///
/// Small, and without memory of its own while it idles.
struct Connection {
    /// Where in its life a connection is.
    enum Phase: Hashable {
        /// The place in the table is not in use.
        case free
        /// Accepted; no Hello yet.
        case opened
        /// Has said Hello.
        case greeted
        /// Attends a call.
        case attached
        /// Gets what is left to say, Closed at the end.
        case closing
        /// The shell was told to close it.
        case gone
    }

    /// As whom a connection attends a call.
    enum Role: Hashable {
        /// A device of a person.
        case device(Slot)
        /// An observer that acts for others, by its incarnation.
        case actor(UInt64)
        /// An observer.
        case observer
    }

    /// What leaving has changed.
    enum Goodbye: Hashable {
        /// Nothing that the store has to know.
        case asItWas
        /// Something that a relay which starts anew does not know before it is kept.
        case changed
    }

    // In an order that leaves few gaps: a relay has many of these. What is small stands behind what ends with a gap.

    // From Hello.
    var clientName = ByteString.empty
    var phase = Phase.free
    var peer = Peer(isTrusted: false)
    /// Whether the connection is on the turn's list of those with output.
    var isListed = false
    var generation: UInt32 = 0
    var instance: [UInt8] = []

    // The attachment.
    var uid = ByteString.empty
    /// Whether the connection is on its call's list of those that are told something once it is kept.
    var isHolding = false
    /// Whether the shell was told not to read.
    var isPaused = false
    /// Whether the shell was told to bound the system's buffer.
    var isUnsentLimited = false
    private var readerPlace = UInt32.max
    var device = ByteString.empty
    /// Whether it was told that it is behind, and not yet that it has caught up.
    var isLagging = false
    /// Whether its Join was let in.
    var hasPassedGate = false
    /// The call that it attends or waits for.
    var call: CallID?
    var role = Role.observer
    var attachedAt: UInt64 = 0

    // Output.
    /// The last position that was handed over.
    var cursor = Position.zero
    /// The last position that the client is known to have.
    var acknowledged = Position.zero
    var output = Output()
    /// Bytes that were handed over and that the kernel has not taken.
    var inFlight = 0

    // Counts.
    /// How often something was handed over.
    var writes: UInt64 = 0
    /// Turns in which output was handed over, and the last one of them.
    var turns: UInt64 = 0
    var lastTurn: UInt32 = 0
    /// The most bytes that were held for it alone at once.
    var heldMost: UInt32 = 0

    // Liveness; the monotonic clock, except where said.
    var openedAt: UInt64 = 0
    /// ms since 1970.
    var openedWall: UInt64 = 0
    /// When the last byte came, on the clock that stands while the relay does not read.
    var heardAt: UInt64 = 0
    var nextPing = UInt64.max
    /// `time` of the last Ping, and when it was handed over.
    var pingTime: UInt64 = 0
    var pingSentAt: UInt64 = 0
    /// Last round trip in ms, plus one; 0 is not known.
    var roundTrip: UInt64 = 0
    /// The nearest entry among the deadlines; `.max` is none.
    var wakeAt = UInt64.max

    /// Frames that may be read from it.
    var frames = TokenBucket()

    /// What few connections have; empty while this one has none of it.
    ///
    /// In a list, so that nearly all are smaller.
    var rare: [Rare] = []

    /// Its place in the call's list of readers; nil when it gets no frames.
    var reader: Int? {
        get { readerPlace == .max ? nil : Int(readerPlace) }
        set { readerPlace = newValue.map { UInt32($0) } ?? .max }
    }

    /// Whether it gets a call's frames.
    var isReader: Bool { reader != nil }
}
