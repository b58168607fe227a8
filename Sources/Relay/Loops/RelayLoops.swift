public import Addresses
import CallState
public import CallStore
public import EventLoop
import RelayCore
import Threads

/// A relay on one or more loops, each with a thread and rules of its own.
///
/// Every call is on one loop. The first loop is its owner's: it listens, deals connections out to all loops in turn,
/// begins and ends the store, and keeps the call logs. A connection goes to the loop of the call that it names first.
public final class RelayLoops {
    private let servers: [RelayServer]
    private var threads: [JoinableThread] = []

    /// The loop that listens, which is to be told everything that concerns the relay as a whole.
    public var first: RelayServer { servers[0] }

    /// The addresses that it listens on, with the ports that were chosen.
    public var boundAddresses: [Address] { first.boundAddresses }

    /// A relay that does not listen yet.
    ///
    /// Throws when the system gives no loop.
    ///
    /// - Parameters:
    ///   - loop: The first loop, run by the owner.
    ///   - log: Written to by all loops, so that what takes its lines must be for any thread if there are several.
    ///   - store: Where calls are kept; nil is in memory.
    ///   - random: Makes what draws secrets, meeting ids and jitter of a loop.
    public init(
        loop: EventLoop,
        settings: RelaySettings,
        log: Log,
        store: (any CallStore)? = nil,
        random: () -> any RandomNumberGenerator
    ) throws(UVError) {
        let count = min(settings.loops, RelayOptions.maximumLoops)
        guard count > 1 else {
            servers = [RelayServer(loop: loop, settings: settings, log: log, store: store, random: random())]
            return
        }
        var source = random()
        let homes = CallHomes(count: count, key: source.next(), source.next())
        let census = SharedCensus()
        let shared = store.map { SharedStore($0) }
        var servers: [RelayServer] = []
        for index in 0..<count {
            servers.append(
                RelayServer(
                    loop: index == 0 ? loop : try EventLoop(),
                    settings: settings,
                    log: log,
                    store: shared,
                    random: random(),
                    place: LoopPlace(homes, index: index),
                    census: census
                )
            )
        }
        self.servers = servers
    }

    /// Listens on every address, all or none, takes up what the store has, and starts the other loops.
    ///
    /// Nobody is accepted before the first loop runs. The loops do not hold the servers: whoever runs the first does.
    public func start() throws {
        guard servers.count > 1 else { return try first.start() }
        do {
            try link()
            try first.open { Self.give($0, to: servers) }
            for server in servers.dropFirst() { try start(server) }
        } catch {
            first.giveUp()
            if let links = first.links {
                links.tellOthers(.end)
                links.mailboxes[0].close()
            }
            for thread in threads { thread.join() }
            for server in servers.dropFirst(1 + threads.count) { server.loop.shutDown() }
            throw error
        }
    }

    /// Gives every loop its mailbox, and the ways to the others.
    private func link() throws(UVError) {
        var mailboxes: [Mailbox<LoopMessage>] = []
        for server in servers {
            try server.prepare()
            server.loop.keepReserve()
            // Open until the loop is shut down: the end is told through it.
            mailboxes.append(
                try Mailbox(loop: server.loop, keepsLoopRunning: true) { [unowned server] in server.received($0) }
            )
        }
        for server in servers { server.links = LoopLinks(place: server.place, mailboxes: mailboxes) }
    }

    /// Gives the loops what the store had at the start: to each its calls, and the call logs to the first.
    private static func give(_ answer: StoreAnswer, to servers: [RelayServer]) {
        guard case .occupied(let sessions) = answer else { return servers[0].apply(.store(answer)) }
        let homes = servers[0].place.homes
        for server in servers {
            server.apply(.store(.occupied(sessions.filter { homes.home(of: $0) == server.place.index })))
        }
    }

    private func start(_ server: RelayServer) throws {
        let carried = Carried(value: server)
        let thread = JoinableThread.start {
            carried.value.loop.run()
            carried.value.loop.shutDown()
        }
        guard let thread else { throw NoThreadError() }
        threads.append(thread)
    }

    /// Something that is made by one thread and belongs to another from then on.
    ///
    /// Unchecked: the start of the second thread comes after all that the first does with it.
    private struct Carried<Value>: @unchecked Sendable {
        let value: Value
    }

    /// Waits for the end of the other loops, once the first does not run any more.
    public func finish() {
        first.links?.tellOthers(.end)
        for thread in threads { thread.join() }
        threads = []
    }
}

@available(*, unavailable) extension RelayLoops: Sendable {}

/// The system gives no thread for a loop.
struct NoThreadError: Error, CustomStringConvertible {
    /// For people.
    let description = "the system gives no thread for a loop: give fewer --loops"
}
