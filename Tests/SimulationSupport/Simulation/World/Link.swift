import RelayCore
import RollcallProtocol

/// One connection between somebody and the relay: the bytes on their way, and which end knows what.
struct Link {
    enum Owner: Hashable {
        case seat(Int)
        case stranger(Int)
        case attacker(Int)
    }

    enum ClientEnd {
        case connecting
        case open
        case closed
    }

    enum RelayEnd {
        case notAccepted
        case open
        case closed
    }

    let owner: Owner
    let isTrusted: Bool
    var clientEnd = ClientEnd.connecting
    var relayEnd = RelayEnd.notAccepted
    /// The relay's name for it.
    var connection: ConnectionID?
    /// From the client to the relay.
    var up = Pipe()
    /// In the network and the sockets, from the relay to the client.
    var down = Pipe()
    /// Kept by the relay's shell, since the socket was full.
    var unsent = Pipe()
    /// What the socket takes before the shell must keep more; nil is anything.
    var capacity: Int?
    /// The network has failed: nothing arrives any more.
    var isCut = false
    /// Of a failed network, or a relay that is gone: which end will learn it.
    var clientLearns = true
    var relayLearns = true
    /// Nothing arrives before, in the world's time.
    var heldUp: UInt64 = 0
    var heldDown: UInt64 = 0
    /// The relay does not read for now.
    var isPaused = false
    /// Whether a frame was lost on it, which no client is to blame for.
    var hasLost = false
    /// Bytes that came from a client are not read any more: the first illegal one was too much.
    var isUnreadable = false
    /// The begin of a frame of which the relay has not handed over the rest.
    var begunFrame: [UInt8] = []
    /// Where the frames end that the relay handed over, counted in bytes from the begin of the link.
    var frameEnds = FrameEnds()
    var splitter = FrameSplitter(maximumFrameLength: WireLimits.clientFrame, expectsPreface: true)
    /// What the client offered in its Join.
    var offered: Join?
    /// What the relay answered.
    var joined: Joined?
    /// Where the client is in a snapshot: the relay has begun one and not ended it.
    var isInSnapshot = false
    /// Parts of it so far.
    var parts = 0
    /// Snapshots that the relay has begun, but for one that came with Joined.
    var snapshotsAfterJoin = 0
    /// Whether a snapshot that Joined has promised is still to begin.
    var awaitsFirstSnapshot = false
    /// Resyncs that the client had to send.
    var resyncs = 0

    init(owner: Owner, isTrusted: Bool) {
        self.owner = owner
        self.isTrusted = isTrusted
    }

    /// When the relay heard from it last, and how long relays had stood still by then.
    var heardAt: UInt64 = 0
    var heardStandstill: UInt64 = 0

    /// The relay has heard from it.
    mutating func heard(at clock: UInt64, _ standstill: UInt64) {
        heardAt = clock
        heardStandstill = standstill
    }

    /// Whether both ends are done with it.
    var isDone: Bool { clientEnd == .closed && relayEnd == .closed }

    /// Whether the relay has something to learn at `now`.
    func isReadyForRelay(at now: UInt64) -> Bool {
        guard relayEnd != .closed, !isPaused, heldUp <= now else { return false }
        if isCut { return relayEnd == .open && relayLearns }
        return !up.isEmpty || clientEnd == .closed
    }

    /// Whether the client has something to learn at `now`.
    func isReadyForClient(at now: UInt64) -> Bool {
        guard clientEnd != .closed, heldDown <= now else { return false }
        if clientEnd == .connecting { return true }
        if isCut { return clientLearns }
        return !down.isEmpty || relayEnd == .closed && clientLearns
    }

    /// Whether nothing is wrong with it: what is sent will arrive.
    var isGood: Bool { clientEnd == .open && relayEnd != .closed && !isCut }
}

/// Where frames end in a stream, and how far the stream was read.
struct FrameEnds {
    private var ends: [Int] = []
    private var first = 0
    private var handedOver = 0
    private var read = 0
    /// Whether the reader is between two frames.
    private(set) var isBetweenFrames = true

    /// A frame of so many bytes was handed over.
    mutating func append(_ length: Int) {
        handedOver += length
        ends.append(handedOver)
    }

    /// So many bytes were read, or lost.
    mutating func advance(_ count: Int) {
        read += count
        if count > 0 { isBetweenFrames = false }
        while first < ends.count, ends[first] <= read {
            isBetweenFrames = ends[first] == read
            first += 1
        }
        if first > 64 {
            ends.removeFirst(first)
            first = 0
        }
    }
}
