import CallState
import Randomness
import RelayCore
import RollcallProtocol
import Testing

/// A relay of several loops with a clock and clients that the test drives: what one loop tells another waits until the
/// test delivers it.
struct LoopsWorld {
    /// One connection and the client at its other end.
    struct Link {
        var loop: Int
        var id: ConnectionID
        var replica = Replica()
        var splitter = FrameSplitter(maximumFrameLength: WireLimits.serverFrame)
        /// What was sent and is kept while the rules do not want it; nil while they do.
        var kept: [ClientFrame]?
        /// Whether the shell reads from it.
        var isRead = true
        var isClosed = false
        /// Whether the kernel takes nothing; what was handed over waits.
        var isStuck = false
        var unsent: [UInt8] = []
        /// How often it was handed over.
        var moves = 0
    }

    /// Something on its way from one loop to another.
    struct Message {
        var to: Int
        var input: Input
        /// The client that travels with it.
        var client: Int?
    }

    /// Counts as the shell does.
    final class Counts: Census, @unchecked Sendable {
        var connections = 0
        var calls = 0
        func connectionCame() -> Int {
            connections += 1
            return connections
        }
        func connectionWent() { connections -= 1 }
        func callCame(within limit: Int) -> Bool {
            if calls >= limit { return false }
            calls += 1
            return true
        }
        func callWent() { calls -= 1 }
    }

    let homes: CallHomes
    let counts = Counts()
    var cores: [RelayCore] = []
    var links: [Link] = []
    var messages: [Message] = []
    var stopped: [Int] = []
    var now = Now(monotonic: 1_000, wall: 1_700_000_000_000)
    private var nextIndex: [UInt32]
    private var nextEpoch: UInt64 = 100

    init(_ count: Int, _ configuration: RelayConfiguration = RelayConfiguration()) {
        homes = CallHomes(count: count, key: 1, 2)
        nextIndex = Array(repeating: 0, count: count)
        for index in 0..<count {
            cores.append(
                RelayCore(
                    configuration: configuration,
                    random: SplitMix64(seed: UInt64(index)),
                    place: LoopPlace(homes, index: index),
                    census: counts
                )
            )
        }
    }

    /// The `number`th session whose home is `loop`.
    func session(in loop: Int, _ number: Int = 0) -> ByteString {
        var left = number
        for suffix in 0... {
            let session = ByteString("call-\(suffix)")
            guard homes.home(of: session) == loop else { continue }
            if left == 0 { return session }
            left -= 1
        }
        return .empty
    }

    // MARK: The shell

    mutating func apply(_ input: Input, to loop: Int) {
        var made: [Effect] = []
        cores[loop].apply(input, at: now, into: &made)
        perform(made, of: loop)
    }

    /// Ends turns and lets output flow until nothing moves but messages, which wait.
    mutating func turn() {
        for loop in cores.indices {
            for _ in 0..<100 {
                cores[loop].beginTurn()
                var made: [Effect] = []
                cores[loop].endTurn(at: now, into: &made)
                var first: [Effect] = []
                cores[loop].sendTravellers(into: &first)
                perform(first, of: loop)
                perform(made, of: loop)
                let isOutput = cores[loop].isOutputWaiting
                while let id = cores[loop].nextOutput() { link(id, loop).map { takeOutput($0) } }
                var last: [Effect] = []
                cores[loop].sendTravellers(into: &last)
                perform(last, of: loop)
                if !isOutput, made.isEmpty, first.isEmpty, last.isEmpty { break }
            }
        }
    }

    /// Delivers the first message.
    mutating func deliverOne() {
        let message = messages.removeFirst()
        if let client = message.client {
            links[client].loop = message.to
            links[client].id = newName(in: message.to)
            guard case .loop(.arrived(_, let traveller)) = message.input else { return }
            links[client].moves += 1
            let rest = links[client].kept ?? []
            links[client].kept = nil
            links[client].isRead = true
            apply(.loop(.arrived(links[client].id, traveller)), to: message.to)
            give(rest, client)
        } else {
            apply(message.input, to: message.to)
        }
        turn()
    }

    /// Delivers everything, until nothing moves any more.
    mutating func settle() {
        turn()
        for _ in 0..<10_000 {
            if messages.isEmpty { return }
            deliverOne()
        }
        Issue.record("the loops never come to rest")
    }

    private mutating func perform(_ made: [Effect], of loop: Int) {
        for effect in made {
            switch effect {
            case .pauseReading(let id): link(id, loop).map { links[$0].isRead = false }
            case .resumeReading(let id): link(id, loop).map { links[$0].isRead = true }
            case .close(let id):
                link(id, loop).map { links[$0].isClosed = true }
                apply(.closed(id), to: loop)
            case .claim(let session):
                #expect(homes.home(of: session) == loop)
                nextEpoch += 1
                apply(.store(.claimed(session: session, .init(epoch: nextEpoch))), to: loop)
            case .loop(let effect): perform(effect, of: loop)
            case .stopped: stopped.append(loop)
            case .reportProgress, .limitUnsent, .append, .release, .log: break
            }
        }
    }

    private mutating func perform(_ effect: LoopEffect, of loop: Int) {
        switch effect {
        case .suspend(let id): link(id, loop).map { links[$0].kept = [] }
        case .proceed(let id):
            guard let client = link(id, loop) else { return }
            let rest = links[client].kept ?? []
            links[client].kept = nil
            give(rest, client)
        case .move(let id, let to, let traveller):
            guard let client = link(id, loop) else { return }
            #expect(links[client].unsent.isEmpty)
            messages.append(Message(to: to, input: .loop(.arrived(id, traveller)), client: client))
            links[client].loop = -1
        case .ask(let question, let number, let to):
            messages.append(Message(to: to, input: .loop(.asked(question, number: number, from: loop))))
        case .answer(let answer, let number, let to):
            messages.append(Message(to: to, input: .loop(.answered(answer, number: number))))
        case .attended(let session, let changes):
            messages.append(Message(to: 0, input: .store(.attendance(session: session, changes))))
        }
    }

    private func link(_ id: ConnectionID, _ loop: Int) -> Int? {
        links.firstIndex { $0.loop == loop && $0.id == id && !$0.isClosed }
    }

    private mutating func newName(in loop: Int) -> ConnectionID {
        defer { nextIndex[loop] += 1 }
        return ConnectionID(index: nextIndex[loop], generation: UInt32(loop) << 24 | 1)
    }

    private mutating func takeOutput(_ client: Int) {
        var bytes: [UInt8] = []
        var made: [Effect] = []
        let (loop, isStuck) = (links[client].loop, links[client].isStuck)
        cores[loop].takeOutput(of: links[client].id, at: now, into: &made, room: isStuck ? 0 : .max) { span in
            for place in span.indices { bytes.append(span[place]) }
        }
        if isStuck { links[client].unsent += bytes } else { deliver(bytes, to: client) }
        perform(made, of: loop)
    }

    /// The kernel takes everything again.
    mutating func drain(_ client: Int) {
        links[client].isStuck = false
        let bytes = links[client].unsent
        links[client].unsent = []
        deliver(bytes, to: client)
        apply(.drained(links[client].id), to: links[client].loop)
    }

    private mutating func deliver(_ bytes: [UInt8], to client: Int) {
        for frame in links[client].splitter.framesOfRelay(in: bytes) { links[client].replica.receive(frame) }
    }

    // MARK: Clients

    /// A connection that a loop was dealt and that has said Hello.
    mutating func greet(in loop: Int, trusted: Bool = false) -> Int {
        let id = newName(in: loop)
        links.append(Link(loop: loop, id: id))
        apply(.opened(id, Peer(isTrusted: trusted)), to: loop)
        let client = links.count - 1
        give([.hello(Hello(clientName: "test", instance: Array("instance-\(client)".utf8)))], client)
        return client
    }

    /// Sends frames in one piece.
    mutating func give(_ frames: [ClientFrame], _ client: Int) {
        for frame in frames {
            if links[client].kept != nil {
                links[client].kept!.append(frame)
            } else if !links[client].isClosed {
                apply(.received(links[client].id, frame), to: links[client].loop)
            }
        }
    }

    /// A participant that comes to `loop` and joins a call, wherever that is.
    mutating func join(_ uid: String, _ session: ByteString, from loop: Int) -> Int {
        let client = greet(in: loop)
        var join = Join(session: session, uid: ByteString(uid), device: "d")
        join.audioMuted = false
        give([.join(join)], client)
        settle()
        return client
    }

    func replica(_ client: Int) -> Replica { links[client].replica }
}
