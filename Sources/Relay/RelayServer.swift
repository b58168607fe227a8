public import Addresses
import CallState
public import CallStore
public import EventLoop
import RelayCore
import RollcallProtocol

/// The shell around the rules: it turns what the loop reports into inputs, does what the effects say, and hands the
/// output of each connection to its stream once per turn, right before the loop sleeps.
///
/// Everything happens on the loop's thread.
public final class RelayServer {
    let loop: EventLoop
    let settings: RelaySettings
    let log: Log
    let startedAt: UInt64
    // Several times for every frame these are entered and left, from one thread, and never by two at once, which tests
    // find out: their builds check it.
    #if !DEBUG
        @exclusivity(unchecked)
    #endif
    var core: RelayCore
    let store: StoreLink
    #if !DEBUG
        @exclusivity(unchecked)
    #endif
    var connections: ConnectionTable
    var listeners: [Listener] = []
    var timer: Timer?

    #if !DEBUG
        @exclusivity(unchecked)
    #endif
    var effects: [Effect] = []
    #if !DEBUG
        @exclusivity(unchecked)
    #endif
    var performing: [Effect] = []
    /// Connections whose output is to be handed over before the loop sleeps.
    var dirty: [ConnectionID] = []
    var flushing: [ConnectionID] = []
    /// Connections that are not read until the end of the turn.
    var throttled: [ConnectionID] = []
    /// Connections that have said goodbye and wait for the peer's end, with the moment at which they are cut.
    var lingering = Lingering()
    /// The time of the running turn, read once; nil while the turn has had no input.
    var turnTime: Now?
    /// The moment that the timer is set to; `.max` is none.
    var armedAt = UInt64.max
    var isStopping = false
    /// When the store's end is not waited for any longer; nil while it serves.
    var storeEnds: UInt64?
    var hasStopped = false
    /// What could not be kept at the end; nil when nothing is missing, or the end has not come.
    public internal(set) var loss: StopLoss?
    var lastAcceptWarning: UInt64?
    var refusedSinceWarning: UInt64 = 0

    /// What was done since the start.
    #if !DEBUG
        @exclusivity(unchecked)
    #endif
    public internal(set) var counters = RelayCounters()

    /// Called once when a stop is complete.
    public var onStopped: (() -> Void)?

    /// The addresses that it listens on, with the ports that were chosen.
    public var boundAddresses: [Address] { listeners.map(\.boundAddress) }

    /// A relay on `loop` that does not listen yet.
    ///
    /// - Parameters:
    ///   - store: Where calls are kept; nil is in memory.
    ///   - random: Draws secrets, meeting ids and jitter.
    public init(
        loop: EventLoop,
        settings: RelaySettings,
        log: Log,
        store: (any CallStore)? = nil,
        random: any RandomNumberGenerator
    ) {
        self.loop = loop
        self.settings = settings
        self.log = log
        startedAt = Self.wallClock()
        core = RelayCore(configuration: settings.rules, random: random)
        self.store = StoreLink(store ?? MemoryStore(startedAt: startedAt))
        connections = ConnectionTable(maximumFrame: Int(settings.rules.limits.frame))
    }

    /// Listens on every address, all or none, and takes up what the store has.
    ///
    /// Nobody is accepted before the loop runs, so the calls that are kept are known to whoever comes. The loop does not
    /// hold the server: whoever runs it does.
    public func start() throws {
        timer = try Timer(loop: loop) { [unowned self] in
            armedAt = .max
            openTurn()
        }
        loop.onBeforeSleep = { [unowned self] in endTurn() }
        do {
            try listen()
            // Calls that are taken up are marked as in use: not for a relay that will not serve.
            try settings.checkReach(ofBound: boundAddresses)
            try store.open(loop) { [unowned self] in received($0) }
            try store.start { apply(.store($0)) }
        } catch {
            // Nothing that is left would let the loop end.
            closeListeners()
            store.close()
            timer?.close()
            loop.onBeforeSleep = nil
            throw error
        }
    }

    func listen() throws(ListenError) {
        for address in settings.addresses {
            listeners.append(try Listener(loop: loop, address: address, access: settings.access, delegate: self))
        }
    }

    func closeListeners() {
        for listener in listeners { listener.close() }
        listeners.removeAll()
    }

    /// Writes to the log what was done since the start, and the ms until the next deadline; absent without one.
    public func logCounters() {
        var facts: [(StaticString, LogValue)] = [("connections", .number(UInt64(connections.count)))]
        facts += allCounters
        if armedAt != .max {
            let moment = UInt64(loop.now)
            facts.append(("next-deadline", .number(armedAt > moment ? armedAt - moment : 0)))
        }
        log.line(.info, "counters", facts)
    }

    var allCounters: [(StaticString, LogValue)] {
        // Without a store on disk there is nothing to tell of it.
        settings.rules.durability == .none ? counters.facts : counters.facts + store.counters.facts
    }

    // MARK: Inputs

    static func wallClock() -> UInt64 { UInt64(max(0, EventLoop.wallClock())) }

    func readClocks() -> Now { Now(monotonic: UInt64(loop.now), wall: Self.wallClock()) }

    /// The time of everything that happens in this turn.
    @discardableResult
    func openTurn() -> Now {
        if let turnTime { return turnTime }
        let time = readClocks()
        turnTime = time
        core.beginTurn()
        return time
    }

    func apply(_ input: Input) {
        core.apply(input, at: openTurn(), into: &effects)
        performEffects()
    }
}

@available(*, unavailable) extension RelayServer: Sendable {}
