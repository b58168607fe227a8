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
    private let loop: EventLoop
    private let settings: RelaySettings
    private let log: Log
    private let startedAt: UInt64
    // Several times for every frame these are entered and left, from one thread, and never by two at once, which tests
    // find out: their builds check it.
    #if !DEBUG
        @exclusivity(unchecked)
    #endif
    private var core: RelayCore
    private let store: StoreLink
    #if !DEBUG
        @exclusivity(unchecked)
    #endif
    private var connections: ConnectionTable
    private var listeners: [Listener] = []
    private var timer: Timer?

    #if !DEBUG
        @exclusivity(unchecked)
    #endif
    private var effects: [Effect] = []
    #if !DEBUG
        @exclusivity(unchecked)
    #endif
    private var performing: [Effect] = []
    /// Connections whose output is to be handed over before the loop sleeps.
    private var dirty: [ConnectionID] = []
    private var flushing: [ConnectionID] = []
    /// Connections that are not read until the end of the turn.
    private var throttled: [ConnectionID] = []
    /// Connections that have said goodbye and wait for the peer's end, with the moment at which they are cut.
    private var lingering = Lingering()
    /// The time of the running turn, read once; nil while the turn has had no input.
    private var turnTime: Now?
    /// The moment that the timer is set to; `.max` is none.
    private var armedAt = UInt64.max
    private var isStopping = false
    /// When the store's end is not waited for any longer; nil while it serves.
    private var storeEnds: UInt64?
    private var hasStopped = false
    private var lastAcceptWarning: UInt64?
    private var refusedSinceWarning: UInt64 = 0

    /// What was done since the start.
    #if !DEBUG
        @exclusivity(unchecked)
    #endif
    public private(set) var counters = RelayCounters()

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
            closeListeners()
            throw error
        }
    }

    private func listen() throws(ListenError) {
        for address in settings.addresses {
            listeners.append(try Listener(loop: loop, address: address, access: settings.access, delegate: self))
        }
    }

    /// Stops: accepts nobody any more, tells every client to come back, lets the last frames go, and removes the socket
    /// files.
    ///
    /// A second call cuts what is left.
    public func stop() {
        if isStopping {
            for stream in connections.streams { stream.close() }
            return
        }
        isStopping = true
        log.line(.info, "stopping", [("connections", .number(UInt64(connections.count)))])
        closeListeners()
        apply(.stopping(resumeAfter: settings.resumeAfter))
    }

    private func closeListeners() {
        for listener in listeners { listener.close() }
        listeners.removeAll()
    }

    // MARK: Inputs

    private static func wallClock() -> UInt64 { UInt64(max(0, EventLoop.wallClock())) }

    private func readClocks() -> Now { Now(monotonic: UInt64(loop.now), wall: Self.wallClock()) }

    /// The time of everything that happens in this turn.
    @discardableResult
    private func openTurn() -> Now {
        if let turnTime { return turnTime }
        let time = readClocks()
        turnTime = time
        return time
    }

    private func apply(_ input: Input) {
        core.apply(input, at: openTurn(), into: &effects)
        performEffects()
    }

    /// Gives the rules every frame of what was read, until one of them ends the connection.
    private func received(_ bytes: UnsafeRawBufferPointer, at index: Int) {
        guard connections[index].isReadable else { return }
        let id = connections.id(at: index)
        counters.bytesIn += UInt64(bytes.count)
        // Out of the table while it runs: the rules may close this very connection meanwhile.
        var splitter = connections.takeSplitter(at: index)
        let span = bytes.assumingMemoryBound(to: UInt8.self).span
        do throws(WireError) {
            try splitter.feed(span) { frame in
                counters.framesIn += 1
                do throws(WireError) {
                    apply(.received(id, try ClientFrame.decode(frame)))
                } catch {
                    malformed(error, from: id)
                }
                return connections.isReadable(id) ? .proceed : .stop
            }
        } catch {
            malformed(error, from: id)
        }
        connections.putBack(splitter, of: id)
    }

    private func malformed(_ error: WireError, from id: ConnectionID) {
        connections[Int(id.index)].isReadable = false
        apply(.malformed(id, error))
    }

    /// Takes in what the store has reported since.
    private func received(_ events: [StoreLink.Event]) {
        for event in events {
            switch event {
            case .answer(let answer): apply(.store(answer))
            case .stopped: storeHasStopped()
            }
        }
    }

    // MARK: Effects

    /// Does what the rules want done.
    ///
    /// Performing may cause inputs with effects of their own; they come after.
    private func performEffects() {
        guard !effects.isEmpty, performing.isEmpty else { return }
        while !effects.isEmpty {
            swap(&effects, &performing)
            for effect in performing { perform(effect) }
            performing.removeAll(keepingCapacity: true)
        }
    }

    private func perform(_ effect: Effect) {
        switch effect {
        case .output(let id):
            guard connections.stream(of: id) != nil, !connections[Int(id.index)].isDirty else { return }
            connections[Int(id.index)].isDirty = true
            dirty.append(id)
        case .pauseReading(let id):
            guard let stream = connections.stream(of: id) else { return }
            connections[Int(id.index)].isPaused = true
            stream.pauseReading()
        case .resumeReading(let id):
            guard let stream = connections.stream(of: id) else { return }
            connections[Int(id.index)].isPaused = false
            stream.resumeReading()
        case .limitUnsent(let id, let isBehind):
            let bytes = isBehind ? min(settings.socketBuffer, RelaySettings.leastSocketBuffer) : settings.socketBuffer
            // It fails only for a connection that has just ended.
            try? connections.stream(of: id)?.limitUnsentBytes(bytes)
        case .close(let id):
            guard let stream = connections.stream(of: id) else { return }
            connections[Int(id.index)].isReadable = false
            stream.finish()
            lingering.append(id, until: UInt64(loop.now) + settings.rules.closeTimeout)
        case .reportProgress(let id):
            guard let stream = connections.stream(of: id) else { return }
            core.apply(.progress(id, unsent: stream.unsentBytes), at: openTurn(), into: &effects)
        case .claim(let session): request(.claim(session))
        case .append(let batch): request(.append(batch))
        case .release(let session): request(.release(session))
        case .log(let event): log.write(event)
        case .stopped: stopStore()
        }
    }

    private func request(_ request: StoreRequest) {
        guard let answer = store.take(request) else { return }
        core.apply(.store(answer), at: openTurn(), into: &effects)
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

    private var allCounters: [(StaticString, LogValue)] {
        // Without a store on disk there is nothing to tell of it.
        settings.rules.durability == .none ? counters.facts : counters.facts + store.counters.facts
    }

    // MARK: The end

    /// How long the end of the store is waited for, in ms: it writes to a disk.
    private static let storePatience: UInt64 = 10_000

    /// The rules are done; what they have given to the store must be on the disk.
    private func stopStore() {
        guard storeEnds == nil else { return }
        storeEnds = UInt64(loop.now) + Self.storePatience
        store.stop()
    }

    private func storeHasStopped() {
        guard !hasStopped else { return }
        hasStopped = true
        log.line(.info, "stopped", allCounters)
        store.close()
        timer?.close()
        loop.stop()
        onStopped?()
    }

    // MARK: The end of a turn

    private func endTurn() {
        counters.turns += 1
        guard turnTime != nil else { return }
        // The loop has read its clock since: a timer that has fired must find its deadline due.
        let now = readClocks()
        turnTime = now
        // First: whom this turn says goodbye to is listened to at least once before it is cut.
        cutLingering()
        repeat {
            core.endTurn(at: now, into: &effects)
            performEffects()
            flush(at: now)
            performEffects()
        } while !dirty.isEmpty
        resumeThrottled()
        if let storeEnds, storeEnds <= UInt64(loop.now), !hasStopped {
            log.line(.error, "store-slow", [("waited", .number(Self.storePatience))])
            storeHasStopped()
        }
        arm()
        turnTime = nil
    }

    private func flush(at now: Now) {
        swap(&dirty, &flushing)
        for id in flushing {
            guard let stream = connections.stream(of: id) else { continue }
            connections[Int(id.index)].isDirty = false
            guard !stream.isWriting else { continue }
            core.takeOutput(of: id, at: now, into: &effects) { bytes in
                counters.writes += 1
                counters.bytesOut += UInt64(bytes.count)
                let result = bytes.withUnsafeBytes { stream.write($0) }
                switch result {
                case .sent: return 0
                case .inFlight: return max(1, stream.inFlightBytes)
                // The stream is closing: its end is reported, and nothing more may be handed over until then.
                case .busy, .closed: return bytes.count
                }
            }
        }
        flushing.removeAll(keepingCapacity: true)
    }

    /// Reads on where a connection had to wait for the others.
    private func resumeThrottled() {
        guard !throttled.isEmpty else { return }
        for id in throttled {
            guard let stream = connections.stream(of: id), !connections[Int(id.index)].isPaused else { continue }
            stream.resumeReading()
        }
        throttled.removeAll(keepingCapacity: true)
    }

    private func cutLingering() {
        let moment = UInt64(loop.now)
        lingering.dropFirst { connections.stream(of: $0) == nil }
        while let id = lingering.popFirst(dueAt: moment) {
            connections.stream(of: id)?.close()
        }
    }

    private func arm() {
        let next = min(core.nextDeadline ?? .max, lingering.nextDeadline ?? .max, storeEnds ?? .max)
        guard next != armedAt else { return }
        armedAt = next
        if next == .max { timer?.disarm() } else { timer?.arm(at: Int64(clamping: next)) }
    }
}

@available(*, unavailable) extension RelayServer: Sendable {}

extension RelayServer: ListenerDelegate {
    /// A connection has come in.
    public func listener(_ listener: Listener, didAccept stream: Stream) {
        let id = connections.insert(stream)
        stream.start(delegate: self, tag: Int(id.index))
        counters.accepted += 1
        let peer = Peer(isTrusted: ProcessIdentity.trusts(stream))
        log.line(
            .debug,
            "connected",
            [("connection", .number(id.number)), ("address", .text("\(listener.boundAddress)"))]
        )
        apply(.opened(id, peer))
    }

    /// There are no descriptors left, or another shortage: told once a second at most.
    public func listener(_ listener: Listener, failedToAccept error: UVError, refused: Int) {
        counters.refused += UInt64(refused)
        refusedSinceWarning += UInt64(refused)
        let moment = UInt64(loop.now)
        if let last = lastAcceptWarning, moment < last + 1_000 { return }
        lastAcceptWarning = moment
        log.line(
            .warning,
            "accept-failed",
            [
                ("address", .text("\(listener.boundAddress)")), ("cause", .text("\(error)")),
                ("refused", .number(refusedSinceWarning)),
            ]
        )
        refusedSinceWarning = 0
    }

    /// A listener has closed.
    public func listenerDidClose(_ listener: Listener) {}
}

extension RelayServer: StreamDelegate {
    /// Bytes have come in.
    public func stream(_ stream: Stream, didRead bytes: UnsafeRawBufferPointer) {
        received(bytes, at: stream.tag)
        // A full buffer means that there is more. It waits, so that one busy peer takes no more of a turn than this.
        if bytes.count == EventLoop.readBufferSize {
            stream.pauseReading()
            throttled.append(connections.id(at: stream.tag))
        }
    }

    /// The write that was in flight is done.
    public func streamDidDrain(_ stream: Stream) {
        apply(.drained(connections.id(at: stream.tag)))
    }

    /// The stream has closed.
    public func stream(_ stream: Stream, didCloseBecause cause: CloseCause) {
        let id = connections.remove(at: stream.tag)
        log.line(.debug, "disconnected", [("connection", .number(id.number)), ("cause", .text(cause.words))])
        apply(.closed(id))
    }
}

extension CloseCause {
    /// For the log.
    fileprivate var words: String {
        switch self {
        case .closedHere: "closed here"
        case .endOfStream: "end of stream"
        case .failed(let error): "\(error)"
        }
    }
}
