package import CallState
package import Randomness
package import RelayCore
package import Rollcall
package import RollcallProtocol

/// The relay's rules and many clients' rules on one fake clock, joined by bytes: a value, so that a test can follow one
/// world in many ways.
///
/// No time passes and no byte moves by itself. A link has two ends, and each learns of the other's end by itself.
package struct CallWorld {
    /// One client and the app that uses it.
    package struct Client {
        /// The rules.
        package var core: ClientCore
        /// Its connections, the present one last; what is on its way on an old one still arrives at the relay.
        package internal(set) var links: [WorldLink] = []
        /// The answers to its commands.
        package internal(set) var results: [CommandToken: Result<Position, RollcallError>] = [:]
        /// Why it is over; nil while it is not.
        package internal(set) var closeReason: CloseReason?
        /// The snapshots that it has asked for.
        package internal(set) var resyncs = 0
        /// Those of them that its app asked for.
        package internal(set) var wantedResyncs = 0
        /// What the app does with what it sees.
        package internal(set) var app = WorldApp()
        private var commands: UInt64 = 0

        init(_ core: ClientCore) {
            self.core = core
        }

        mutating func nextToken() -> CommandToken {
            commands += 1
            return CommandToken(commands)
        }
    }

    /// Names a link.
    package struct LinkID: Hashable, Sendable {
        /// Whose it is.
        package var client: Int
        /// Which of the client's, in the order of their making.
        package var number: Int
    }

    /// The rules of the relay.
    package var relay: RelayCore
    /// The clients, in the order of their coming.
    package var clients: [Client] = []
    /// The time, for all.
    package internal(set) var now = Now(monotonic: 1_000, wall: 1_700_000_000_000)
    /// Where a test's own choices come from.
    package var random: SplitMix64
    /// Whether apps look at every change as soon as it is there; else ``look(_:)`` says when.
    package var looksAtOnce = true
    /// The commands that are too many at a time and refused for that alone, by client and op id: what a limit does.
    package var overLimit: [Int: Set<UInt64>] = [:]
    /// Whether the relay has had input since its turn ended.
    package internal(set) var isRelayBusy = false
    /// The links that the relay has, by its names for them.
    var accepted: [ConnectionID: LinkID] = [:]
    /// How many it has had.
    var acceptedCount: UInt32 = 0
    private var nextEpoch: UInt64 = 100
    /// How the relay is started.
    let configuration: RelayConfiguration
    /// What a store has of each call, where anything is kept; it keeps at once.
    package internal(set) var kept: [ByteString: KeptCall] = [:]
    /// Whether the store loses what it is given, without a word.
    package var losesBatches = false
    /// Whether a relay that was told to stop has done so.
    var hasStopped = false

    /// A relay without clients, and without ticks, since here much happens in no time.
    package init(seed: UInt64, _ configuration: RelayConfiguration = RelayConfiguration()) {
        var configuration = configuration
        configuration.tick = 0
        self.configuration = configuration
        random = SplitMix64(seed: seed)
        relay = RelayCore(configuration: configuration, random: SplitMix64(seed: seed ^ 1))
    }

    // MARK: What clients do

    /// A client that has not begun yet; `change` gives it other wishes than muted with the camera off.
    ///
    /// - Parameter instance: Tells its program from others that use the same device.
    @discardableResult
    package mutating func add(
        uid: ByteString,
        device: ByteString = "d",
        session: ByteString = "standup",
        instance: UInt8 = 3,
        _ change: (inout Join) -> Void = { _ in }
    ) -> Int {
        var join = Join(session: session, uid: uid, device: device)
        join.audioMuted = true
        join.videoPaused = true
        join.attempt = UInt64(clients.count + 1) << 20
        change(&join)
        let configuration = ClientConfiguration(instance: [UInt8](repeating: instance, count: 16), join: join)
        clients.append(Client(ClientCore(configuration, seed: random.next())))
        return clients.count - 1
    }

    /// A client begins to join.
    package mutating func start(_ client: Int) {
        act(client) { core, now, effects in core.start(at: now, into: &effects) }
    }

    /// A client gives a command.
    @discardableResult
    package mutating func command(_ client: Int, _ settings: [Setting]) -> CommandToken {
        let token = clients[client].nextToken()
        act(client) { core, now, effects in core.command(settings, token: token, at: now, into: &effects) }
        return token
    }

    /// A client asks for the whole state anew.
    package mutating func resync(_ client: Int) {
        clients[client].wantedResyncs += 1
        act(client) { core, now, effects in core.forceResync(at: now, into: &effects) }
    }

    /// A client leaves.
    package mutating func leave(_ client: Int) {
        act(client) { core, now, effects in core.leave(.left, at: now, into: &effects) }
    }

    /// Gives a client's rules an input, and does what follows.
    package mutating func act(_ client: Int, _ body: (inout ClientCore, UInt64, inout [ClientEffect]) -> Void) {
        var effects: [ClientEffect] = []
        body(&clients[client].core, now.monotonic, &effects)
        for effect in effects { perform(effect, client) }
    }

    private mutating func perform(_ effect: ClientEffect, _ client: Int) {
        switch effect {
        case .connect:
            clients[client].links.append(WorldLink())
            act(client) { core, now, effects in core.connected(at: now, into: &effects) }
        case .send(let bytes):
            // On a link that was cut nothing leaves any more, also before its end is noticed.
            guard let link = presentLink(of: client), !clients[client].links[link].isCut else { return }
            clients[client].links[link].toRelay += bytes
        case .disconnect:
            // What was sent leaves before the link goes, as on a socket.
            guard let link = presentLink(of: client) else { return }
            clients[client].links[link].isClosedByClient = true
        case .changed:
            clients[client].app.hasNews = true
            if looksAtOnce { look(client) }
        case .finished(let token, let result): clients[client].results[token] = result
        case .closed(let reason): clients[client].closeReason = reason
        case .complete, .connection, .lagging, .trace: return
        }
    }

    private func presentLink(of client: Int) -> Int? {
        let link = clients[client].links.indices.last
        return link.flatMap { clients[client].links[$0].isClosedByClient ? nil : $0 }
    }

    /// The connection that the client uses; nil while it has none.
    package func link(of client: Int) -> LinkID? {
        presentLink(of: client).map { LinkID(client: client, number: $0) }
    }

    /// The app of a client looks at what there is; before the join is complete there is nothing.
    package mutating func look(_ client: Int) {
        guard clients[client].core.isComplete else { return }
        clients[client].app.look(at: clients[client].core.snapshot)
    }

    // MARK: The relay

    /// Gives the relay's rules an input, and does what follows.
    package mutating func apply(_ input: Input) {
        isRelayBusy = true
        var effects: [Effect] = []
        relay.apply(input, at: now, into: &effects)
        perform(effects)
    }

    /// The relay's turn ends: what changed is told.
    package mutating func endTurn() {
        isRelayBusy = false
        var effects: [Effect] = []
        relay.endTurn(at: now, into: &effects)
        perform(effects)
        while let connection = relay.nextOutput() { takeOutput(of: connection) }
    }

    private mutating func perform(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .claim(let session):
                nextEpoch += 1
                let call = kept[session]
                kept[session]?.header.isClean = false
                apply(.store(.claimed(session: session, .init(epoch: nextEpoch, kept: call))))
            case .append(let batch):
                guard !losesBatches else { continue }
                kept[batch.session, default: KeptCall()].apply(batch)
                apply(.store(.kept(session: batch.session, seq: batch.header.position.seq)))
            case .release(let session): kept[session] = nil
            case .stopped: hasStopped = true
            case .close(let connection):
                if let link = accepted.removeValue(forKey: connection) { self[link].isClosedByRelay = true }
                apply(.closed(connection))
            case .reportProgress(let connection): apply(.progress(connection, unsent: 0))
            case .pauseReading, .resumeReading, .limitUnsent, .log, .loop: continue
            }
        }
    }

    private mutating func takeOutput(of connection: ConnectionID) {
        var bytes: [UInt8] = []
        var effects: [Effect] = []
        relay.takeOutput(of: connection, at: now, into: &effects, room: .max) { span in
            for index in span.indices { bytes.append(span[index]) }
        }
        if let link = accepted[connection], !self[link].isCut { self[link].toClient += bytes }
        perform(effects)
    }

    // MARK: Time

    /// Lets time pass, for the clock alone: ``tick()`` tells the rules.
    package mutating func advance(_ milliseconds: UInt64) {
        now.monotonic += milliseconds
        now.wall += milliseconds
    }

    /// Tells all rules the time.
    package mutating func tick() {
        apply(.tick)
        for client in clients.indices { tick(client) }
    }

    /// Tells one client the time.
    package mutating func tick(_ client: Int) {
        act(client) { core, now, effects in core.tick(at: now, into: &effects) }
    }

    /// The nearest deadline of anybody; nil when nobody has one.
    package var nextDeadline: UInt64? {
        (clients.map(\.core.nextDeadline) + [relay.nextDeadline]).compactMap { $0 }.min()
    }
}
