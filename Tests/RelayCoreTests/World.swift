import CallState
import Randomness
import RelayCore
import RollcallProtocol
import Testing

/// A relay's rules with a clock, a network and clients that the test drives: no time passes and no byte moves by
/// itself.
struct World {
    /// One connection and the client at its other end.
    struct Link {
        var id: ConnectionID
        var replica = Replica()
        var splitter = FrameSplitter(maximumFrameLength: WireLimits.serverFrame)
        /// Whether the shell reads from it.
        var isRead = true
        /// Whether the shell has closed it.
        var isClosed = false
        /// How many bytes the kernel takes until it is drained; nil is all.
        var capacity: Int?
        /// Bytes that the shell keeps for the kernel.
        var unsent: [UInt8] = []
        /// How often output was handed over.
        var writes = 0
        /// Whether what comes is only counted, and not read: for tests with many clients.
        var isUnread = false
        /// Lengths of the pieces handed over.
        var pieces: [Int] = []
        var answersPings = true
        var attempt: UInt64 = 0
    }

    var core: RelayCore
    /// How the relay was started.
    let configuration: RelayConfiguration
    /// The store, where something is kept at all.
    var store = MemoryModel()
    /// Whether the store answers at once; else ``answer(_:)`` says when.
    var answersAtOnce = true
    private var isAnswering = false
    var now = Now(monotonic: 1_000, wall: 1_700_000_000_000)
    var links: [Link] = []
    /// Every effect, in order.
    var effects: [Effect] = []
    var log: [LogEvent] = []
    /// The epoch that the store gives next; nil leaves claims open.
    var nextEpoch: UInt64? = 100
    var claims: [ByteString] = []
    var releases: [ByteString] = []
    var hasStopped = false
    /// So many bytes the shell keeps for the kernel where it may leave the others.
    var mostKept = 16 * 1024
    /// How many bytes the shell says are unsent when it is asked; nil is what they are.
    var reportedUnsent: Int?
    private var nextIndex: UInt32 = 0

    /// A relay without clients; its rates and its tick count only if `hasRates` and `hasTick`, since here hours pass
    /// without time.
    init(
        _ configuration: RelayConfiguration = RelayConfiguration(),
        seed: UInt64 = 1,
        hasRates: Bool = false,
        hasTick: Bool = false
    ) {
        var configuration = configuration
        if !hasTick { configuration.tick = 0 }
        if !hasRates {
            configuration.commandRate = .unlimited
            configuration.callCommandRate = .unlimited
            configuration.frameRate = .unlimited
            configuration.joinRate = .unlimited
        }
        self.configuration = configuration
        core = RelayCore(configuration: configuration, random: SplitMix64(seed: seed))
    }

    // MARK: The shell's loop

    mutating func apply(_ input: Input) {
        var made: [Effect] = []
        core.apply(input, at: now, into: &made)
        perform(made)
    }

    /// Ends the turn and lets output flow until nothing moves any more.
    mutating func turn() {
        core.beginTurn()
        for _ in 0..<1_000 {
            var made: [Effect] = []
            core.endTurn(at: now, into: &made)
            perform(made)
            guard core.isOutputWaiting || !made.isEmpty else { return }
            while let id = core.nextOutput() { takeOutput(id) }
        }
        Issue.record("the relay never comes to rest")
    }

    private mutating func perform(_ made: [Effect]) {
        effects += made
        for effect in made {
            switch effect {
            case .pauseReading(let id): link(id).map { links[$0].isRead = false }
            case .resumeReading(let id): link(id).map { links[$0].isRead = true }
            case .close(let id):
                if let index = link(id) { links[index].isClosed = true }
                apply(.closed(id))
            case .reportProgress(let id):
                if let index = link(id) { apply(.progress(id, unsent: reportedUnsent ?? links[index].unsent.count)) }
            case .limitUnsent: break
            case .claim(let session) where configuration.durability != .none:
                claims.append(session)
                store.ask(.claim(session))
            case .claim(let session):
                claims.append(session)
                if let epoch = nextEpoch {
                    nextEpoch = epoch + 1
                    apply(.store(.claimed(session: session, .init(epoch: epoch))))
                }
            case .append(let batch): store.ask(.append(batch))
            case .release(let session):
                releases.append(session)
                store.ask(.release(session))
            case .log(let event): log.append(event)
            case .loop: Issue.record("the only loop wants something of another")
            case .stopped: hasStopped = true
            }
        }
        if answersAtOnce { answer() }
    }

    /// The store answers the next `count` requests; nil is all that there are.
    mutating func answer(_ count: Int? = nil) {
        guard !isAnswering else { return }
        isAnswering = true
        var left = count ?? .max
        while left > 0, !store.requests.isEmpty {
            left -= 1
            if let answer = store.answer() { apply(.store(answer)) }
        }
        isAnswering = false
    }

    /// The relay ends without a word, with everything that the store has not done, and another one starts after so many
    /// ms; every link is gone.
    mutating func crash(for pause: UInt64 = 1_000) {
        for client in links.indices { links[client].isClosed = true }
        start(after: pause)
    }

    /// The relay stops by plan, and another one starts after so many ms.
    mutating func restart(after pause: UInt64 = 1_000) {
        apply(.stopping(resumeAfter: 0))
        turn()
        advance(configuration.closeTimeout)
        #expect(hasStopped)
        start(after: pause)
    }

    private mutating func start(after pause: UInt64) {
        store.requests = []
        hasStopped = false
        now.wall += pause
        // The clock of another process.
        now.monotonic = 5_000 + pause
        core = RelayCore(configuration: configuration, random: SplitMix64(seed: now.wall))
        for answer in store.atStart { apply(.store(answer)) }
        turn()
    }

    private func link(_ id: ConnectionID) -> Int? { links.firstIndex { $0.id == id } }

    private mutating func takeOutput(_ id: ConnectionID) {
        guard let index = link(id) else { return }
        var made: [Effect] = []
        var chunks: [[UInt8]] = []
        let room = links[index].capacity ?? .max
        var total = 0
        let kept = core.takeOutput(of: id, at: now, into: &made, room: room, keepingAtMost: mostKept) { bytes in
            #expect(total <= room, "more was handed over to a full taker")
            total += bytes.count
            var chunk: [UInt8] = []
            for place in bytes.indices { chunk.append(bytes[place]) }
            chunks.append(chunk)
        }
        if !chunks.isEmpty { links[index].writes += 1 }
        links[index].pieces += chunks.map(\.count)
        var bytes = Array(chunks.joined())
        if kept > 0 {
            links[index].unsent = Array(bytes.suffix(kept))
            bytes.removeLast(kept)
        }
        deliver(bytes, to: index)
        perform(made)
    }

    /// The kernel takes what it left.
    mutating func drain(_ client: Int) {
        let bytes = links[client].unsent
        guard !bytes.isEmpty else { return }
        links[client].unsent = []
        deliver(bytes, to: client)
        apply(.drained(links[client].id))
    }

    /// The kernel takes so many bytes of what it left.
    mutating func take(_ client: Int, _ count: Int) {
        guard links[client].unsent.count > count else { return drain(client) }
        let bytes = Array(links[client].unsent.prefix(count))
        links[client].unsent.removeFirst(count)
        deliver(bytes, to: client)
    }

    private mutating func deliver(_ bytes: [UInt8], to client: Int) {
        if links[client].isUnread { return }
        for frame in links[client].splitter.framesOfRelay(in: bytes) {
            links[client].replica.receive(frame)
            if case .ping(let ping) = frame, links[client].answersPings, !links[client].isClosed {
                let position = links[client].replica.position
                apply(.received(links[client].id, .pong(Pong(position: position, time: ping.time))))
            }
        }
    }

    /// Lets time pass, stopping at each deadline as a shell with one timer does.
    mutating func advance(_ ms: UInt64) {
        let end = now.monotonic + ms
        while let due = core.nextDeadline, due <= end {
            let step = due > now.monotonic ? due - now.monotonic : 0
            now.monotonic += step
            now.wall += step
            turn()
        }
        now.wall += end - now.monotonic
        now.monotonic = end
        turn()
    }

    // MARK: Clients

    /// A connection that has said nothing.
    mutating func open(trusted: Bool = false) -> Int {
        let id = ConnectionID(index: nextIndex, generation: 1)
        nextIndex += 1
        links.append(Link(id: id))
        apply(.opened(id, Peer(isTrusted: trusted)))
        return links.count - 1
    }

    /// A connection that has said Hello.
    mutating func greet(trusted: Bool = false, instance: String = "") -> Int {
        let client = open(trusted: trusted)
        let name = instance.isEmpty ? "instance-\(client)" : instance
        send(client, .hello(Hello(clientName: "test", instance: Array(name.utf8))))
        return client
    }

    mutating func send(_ client: Int, _ frame: ClientFrame) {
        apply(.received(links[client].id, frame))
    }

    /// A client that has joined as a participant.
    mutating func join(
        _ uid: String,
        _ device: String = "laptop",
        session: String = "standup",
        instance: String = "",
        trusted: Bool = false,
        _ change: (inout Join) -> Void = { _ in }
    ) -> Int {
        let client = greet(trusted: trusted, instance: instance)
        var join = Join(session: ByteString(session), uid: ByteString(uid), device: ByteString(device))
        join.audioMuted = false
        join.videoPaused = false
        change(&join)
        send(client, .join(join))
        turn()
        return client
    }

    /// A client that has joined as an observer; a trusted one may act for others.
    mutating func observe(
        session: String = "standup",
        trusted: Bool = false,
        uid: String = "",
        instance: String = "",
        _ change: (inout Join) -> Void = { _ in }
    ) -> Int {
        let client = greet(trusted: trusted, instance: instance)
        var join = Join(
            session: ByteString(session),
            uid: ByteString(uid),
            device: uid.isEmpty ? "" : "bot"
        )
        join.mode = .observer
        change(&join)
        send(client, .join(join))
        turn()
        return client
    }

    /// Cuts a link as a cable is cut.
    mutating func cut(_ client: Int) {
        links[client].isClosed = true
        apply(.closed(links[client].id))
        turn()
    }

    /// Sends a command and gives its answer.
    @discardableResult
    mutating func set(_ client: Int, op: UInt64? = nil, _ settings: Setting...) -> Ack? {
        let known = links[client].replica.acks.map(\.op).max() ?? 0
        let op = op ?? max(known, links[client].replica.joined?.lastOp ?? 0) + 1
        let before = links[client].replica.acks.count
        send(client, .command(Command(op: op, settings: settings)))
        turn()
        return links[client].replica.acks.dropFirst(before).first
    }
}
