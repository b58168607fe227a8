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
    /// Frames that many local readers are given in one turn.
    let pages = SharedPages()
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
    /// Which of the relay's loops this is.
    let place: LoopPlace
    /// Counts for all loops; nil for the only one.
    let census: SharedCensus?
    /// The ways to the other loops; nil for the only one.
    var links: LoopLinks?
    /// By the place of a connection that is not to be read: what was read of it and not given to the rules.
    var suspended: [UInt32: [UInt8]] = [:]
    /// Connections of which that is to be given now.
    var proceeding: [ConnectionID] = []
    /// The loop that got the last connection which came.
    var nextLoop = 0
    /// Counters of all loops that are being asked for, by number.
    var counting: [UInt64: Counting] = [:]
    var lastCount: UInt64 = 0
    /// Of a stop: loops whose rules are done, the calls of which the store does not have everything, and what the other
    /// loops have done.
    var finishedLoops = 0
    var unkeptCalls = 0
    var othersCounters = RelayCounters()
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
    public convenience init(
        loop: EventLoop,
        settings: RelaySettings,
        log: Log,
        store: (any CallStore)? = nil,
        random: any RandomNumberGenerator
    ) {
        self.init(loop: loop, settings: settings, log: log, store: store, random: random, place: .alone, census: nil)
    }

    /// A relay's loop, or the only one.
    ///
    /// - Parameters:
    ///   - place: Which of the relay's loops it is.
    ///   - census: Counts for all loops, if there are several.
    init(
        loop: EventLoop,
        settings: RelaySettings,
        log: Log,
        store: (any CallStore)?,
        random: any RandomNumberGenerator,
        place: LoopPlace,
        census: SharedCensus?
    ) {
        self.loop = loop
        self.settings = settings
        self.log = log
        startedAt = Self.wallClock()
        self.place = place
        self.census = census
        core = RelayCore(configuration: settings.rules, random: random, place: place, census: census)
        self.store = StoreLink(store ?? MemoryStore(startedAt: startedAt))
        connections = ConnectionTable(maximumFrame: Int(settings.rules.limits.frame), loop: place.index)
    }

    /// Listens on every address, all or none, and takes up what the store has.
    ///
    /// Nobody is accepted before the loop runs, so the calls that are kept are known to whoever comes. The loop does
    /// not hold the server: whoever runs it does.
    public func start() throws {
        try prepare()
        try open { [unowned self] in apply(.store($0)) }
    }

    /// Makes what the loop needs.
    func prepare() throws(UVError) {
        timer = try Timer(loop: loop) { [unowned self] in
            armedAt = .max
            openTurn()
        }
        loop.onBeforeSleep = { [unowned self] in endTurn() }
    }

    /// Listens, and gives what the store has to `takeUp`.
    func open(takeUp: (StoreAnswer) -> Void) throws {
        do {
            try listen()
            // Calls that are taken up are marked as in use: not for a relay that will not serve.
            try settings.checkReach(ofBound: boundAddresses)
            try store.open(loop) { [unowned self] in received($0) }
            try store.start(elsewhere: links.map(Self.route), contents: takeUp)
        } catch {
            giveUp()
            throw error
        }
    }

    /// Closes what would keep the loop from ending.
    func giveUp() {
        closeListeners()
        store.close()
        timer?.close()
        loop.onBeforeSleep = nil
    }

    /// Posts what a store says of a call of another loop to that loop; false when it is of this one.
    private static func route(_ links: LoopLinks) -> @Sendable (StoreAnswer) -> Bool {
        { answer in
            guard let session = answer.session else { return false }
            let home = links.place.homes.home(of: session)
            if home == links.place.index { return false }
            links.post(.store(answer), to: home)
            return true
        }
    }

    func listen() throws(ListenError) {
        for address in settings.addresses {
            let listener = try Listener(loop: loop, address: address, access: settings.access, delegate: self)
            let bound = "\(listener.boundAddress)"
            if links != nil { listener.divert = { [unowned self] in divert($0, from: bound) } }
            listeners.append(listener)
        }
    }

    func closeListeners() {
        for listener in listeners { listener.close() }
        listeners.removeAll()
    }

    /// Writes to the log what was done since the start, and the ms until the next deadline; absent without one.
    ///
    /// Of all loops: then a little later.
    public func logCounters() {
        if let links { askForCounts(links) } else { tell(counts) }
    }

    func tell(_ counts: LoopCounts) {
        var facts: [(StaticString, LogValue)] = [("connections", .number(UInt64(counts.connections)))]
        facts += self.facts(of: counts.counters)
        if counts.nextDeadline != .max {
            let moment = UInt64(loop.now)
            let left = counts.nextDeadline - min(counts.nextDeadline, moment)
            facts.append(("next-deadline", .number(left)))
        }
        if let links { facts.append(("loops", .number(UInt64(links.count)))) }
        log.line(.info, "counters", facts)
    }

    func facts(of counters: RelayCounters) -> [(StaticString, LogValue)] {
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
