package import CallState
package import RollcallProtocol

/// The client's rules for one call, as a value: bytes and time in, bytes, events and deadlines out.
///
/// It reads no clock and opens no socket. The owner does the effects in their order, tells what became of them, and
/// calls ``tick(at:into:)`` when ``nextDeadline`` has come. Times are ms on a clock that never goes back; an earlier
/// one counts as the latest seen.
///
/// Total: every input is legal at any time, and nothing that a relay sends is a trap.
package struct ClientCore: Sendable {
    /// Where the client is in the life of its call.
    enum Phase: Hashable, Sendable {
        /// Nothing has happened yet. Goes to `connecting` on ``ClientCore/start(at:into:)``.
        case idle
        /// A connection is being made. Goes to `joining`, or to `waiting` when that fails.
        case connecting
        /// Hello and Join are sent. Goes to `synchronising` when the relay has accepted.
        case joining
        /// The copy is below J, or not there. Goes to `settling` or `live` when it is whole.
        case synchronising
        /// The copy is whole again after a lost link; commands up to that op, sent again, are to be answered first.
        case settling(through: UInt64)
        /// The copy follows the relay.
        case live
        /// No connection until then. Goes to `connecting`.
        case waiting(until: UInt64)
        /// Leave is sent, or will be as soon as the relay has accepted. Goes to `closed` at the answer or then.
        case leaving(until: UInt64)
        /// It is over.
        case closed
    }

    let configuration: ClientConfiguration
    let own: OwnIdentity
    var random: JitterSource
    var now: UInt64 = 0
    var phase = Phase.idle

    // The connection.
    var splitter = FrameSplitter(maximumFrameLength: WireLimits.serverFrame)
    /// Counts connections, so that bytes that were read before a loss are not taken after it.
    var link: UInt64 = 0
    var isWelcomed = false
    /// Whether the relay has accepted this connection's Join.
    var isAttached = false
    var limits = Limits()
    /// Whether the relay says that this client is behind.
    package internal(set) var isLagging = false
    var lastByteAt: UInt64 = 0
    var deadAfter = ClientCore.defaultDeadAfter
    var handshakeDeadline: UInt64?
    /// The epoch that a Delta means when it names none.
    var streamEpoch: UInt64 = 0

    // The copy.
    /// The copy as the relay stated it.
    package internal(set) var confirmed = CallState()
    /// Whether the copy stands for nothing: before the first snapshot, and when the relay has said so.
    var isCopyVoid = true
    /// Whether Deltas and Pings count for nothing until a snapshot is applied.
    var awaitsSnapshot = false
    var assembly: SnapshotAssembly?
    /// Resyncs since a snapshot was right.
    var resyncs = 0
    /// The relay must have answered a Resync by then.
    var resyncDeadline: UInt64?

    // The attachment.
    /// The relay's answer to the last join.
    package internal(set) var joined = Joined()
    var hasJoined = false
    var attempt: UInt64
    /// Whether the join was complete once: from then on the app has the call.
    package internal(set) var isComplete = false
    /// The own slots in the copy as the app sees it.
    var ownSlots = OwnSlots()
    /// The facts of the own device, for the next join.
    var facts: (audioMuted: Bool, videoPaused: Bool, presenting: Bool)
    var isSpeaking = false
    var leaveReason = LeaveReason.left

    // Coming back.
    var backoff = Backoff()
    /// When the link was lost; nil while it lives.
    var lostAt: UInt64?

    // Commands.
    var commands = CommandQueue()
    /// What the app sees over the copy.
    var overlay = Overlay()

    /// Silence after which a relay is given up unless it says otherwise, in ms.
    static let defaultDeadAfter: UInt64 = 25_000
    /// What is believed of a relay's own word about that, in ms.
    static let believableDeadAfter: ClosedRange<UInt64> = 1_000...600_000

    /// Rules for one call; nothing happens before ``start(at:into:)``.
    ///
    /// - Parameter seed: What the jitter is drawn from.
    package init(_ configuration: ClientConfiguration, seed: UInt64) {
        let join = configuration.join
        self.configuration = configuration
        own = OwnIdentity(uid: join.uid, device: join.device, isObserver: join.mode == .observer)
        random = JitterSource(seed: seed)
        attempt = join.attempt
        facts = (join.audioMuted ?? true, join.videoPaused ?? true, join.presenting ?? false)
    }

    /// When ``tick(at:into:)`` must be called even if nothing happens; nil is never.
    package var nextDeadline: UInt64? {
        switch phase {
        case .idle, .connecting, .closed:
            return nil
        case .waiting(let until):
            return min(until, giveUpDeadline ?? until)
        case .leaving(let until):
            return until
        case .joining, .synchronising, .settling, .live:
            var deadline = lastByteAt + deadAfter
            if let handshakeDeadline { deadline = min(deadline, handshakeDeadline) }
            if let resyncDeadline { deadline = min(deadline, resyncDeadline) }
            return deadline
        }
    }

    /// When the call is given up for want of a connection; nil is never.
    var giveUpDeadline: UInt64? {
        guard let lostAt, let after = configuration.reconnect.giveUpAfter else { return nil }
        return lostAt + after.milliseconds
    }

    /// Whether the copy is on its way to where the join was: it may be without the own person and device as yet.
    var isSynchronising: Bool { phase == .synchronising }

    /// What the app sees.
    package var snapshot: CallSnapshot {
        CallSnapshot(
            confirmed: confirmed,
            session: configuration.join.session.string,
            overlay: overlay,
            own: ownSlots
        )
    }

    /// Takes the time of an input.
    mutating func advance(to time: UInt64) {
        now = max(now, time)
    }
}
