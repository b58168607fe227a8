import CallState
import RelayCore
import RollcallProtocol

@testable import Rollcall

/// The relay's rules and many clients' rules in one process, on one fake clock, joined by bytes that are cut at random.
struct RelayWorld {
    /// One client and its link.
    struct Client {
        var core: ClientCore
        var link: ConnectionID?
        var toRelay: [UInt8] = []
        var toClient: [UInt8] = []
        var splitter = FrameSplitter(maximumFrameLength: 65_536, expectsPreface: true)
        var results: [CommandToken: Result<Position, RollcallError>] = [:]
        var closeReason: CloseReason?
        /// What a reader of the updates has seen last, and the events that it got.
        var seen: CallSnapshot?
        var events: [CallUpdate.Event] = []
        var resyncs = 0
    }

    var relay: RelayCore
    var clients: [Client] = []
    var now = Now(monotonic: 1_000, wall: 1_700_000_000_000)
    var random: JitterSource
    private var nextConnection: UInt32 = 0
    private var nextEpoch: UInt64 = 100
    private var nextToken: UInt64 = 0

    init(seed: UInt64) {
        random = JitterSource(seed: seed)
        relay = RelayCore(configuration: RelayConfiguration(), random: JitterSource(seed: seed ^ 1))
    }

    // MARK: What clients do

    @discardableResult
    mutating func add(
        uid: ByteString,
        device: ByteString = "d",
        mode: JoinMode = .participant,
        session: ByteString = "standup"
    ) -> Int {
        var join = Join(session: session, uid: uid, device: device)
        join.mode = mode
        join.audioMuted = random.flip()
        join.videoPaused = random.flip()
        join.attempt = UInt64(clients.count + 1) << 20
        let configuration = ClientConfiguration(instance: [UInt8](repeating: 3, count: 16), join: join)
        clients.append(Client(core: ClientCore(configuration, seed: random.next())))
        let index = clients.count - 1
        act(index) { core, now, effects in core.start(at: now, into: &effects) }
        return index
    }

    mutating func command(_ index: Int, _ settings: Setting...) -> CommandToken {
        nextToken += 1
        let token = CommandToken(nextToken)
        act(index) { core, now, effects in core.command(settings, token: token, at: now, into: &effects) }
        return token
    }

    mutating func act(_ index: Int, _ body: (inout ClientCore, UInt64, inout [ClientEffect]) -> Void) {
        var effects: [ClientEffect] = []
        body(&clients[index].core, now.monotonic, &effects)
        for effect in effects { perform(effect, index) }
    }

    /// Cuts a link; both sides see it at once.
    mutating func cut(_ index: Int) {
        guard let link = clients[index].link else { return }
        unlink(index)
        apply(.closed(link))
        act(index) { core, now, effects in
            core.linkLost(RollcallError(code: .linkLost, message: "cut"), at: now, into: &effects)
        }
    }

    private mutating func unlink(_ index: Int) {
        clients[index].link = nil
        clients[index].toRelay = []
        clients[index].toClient = []
    }

    private mutating func perform(_ effect: ClientEffect, _ index: Int) {
        switch effect {
        case .connect:
            let link = ConnectionID(index: nextConnection, generation: 1)
            nextConnection += 1
            clients[index].link = link
            clients[index].splitter = FrameSplitter(maximumFrameLength: 65_536, expectsPreface: true)
            apply(.opened(link, Peer(isTrusted: true)))
            act(index) { core, now, effects in core.connected(at: now, into: &effects) }
        case .send(let bytes):
            clients[index].toRelay += bytes
        case .disconnect:
            // What was sent leaves before the link goes, as on a socket.
            while deliverToRelay(index, all: true) {}
            guard let link = clients[index].link else { return }
            unlink(index)
            apply(.closed(link))
        case .changed:
            look(index)
        case .finished(let token, let result):
            clients[index].results[token] = result
        case .closed(let reason):
            clients[index].closeReason = reason
        case .complete, .connection, .trace:
            return
        }
    }

    private mutating func look(_ index: Int) {
        let snapshot = clients[index].core.snapshot
        guard clients[index].core.isComplete else { return }
        clients[index].events += CallUpdate.events(from: clients[index].seen, to: snapshot)
        clients[index].seen = snapshot
    }

    // MARK: The relay

    mutating func apply(_ input: Input) {
        var effects: [Effect] = []
        relay.apply(input, at: now, into: &effects)
        perform(effects)
    }

    private mutating func perform(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .claim(let session):
                nextEpoch += 1
                apply(.claimed(session: session, epoch: nextEpoch))
            case .output(let link):
                takeOutput(of: link)
            case .close(let link):
                guard let index = clients.firstIndex(where: { $0.link == link }) else { continue }
                // The last bytes arrive before the end does.
                while deliverToClient(index, all: true) {}
                guard clients[index].link == link else { continue }
                unlink(index)
                apply(.closed(link))
                act(index) { core, now, effects in
                    core.linkLost(RollcallError(code: .linkLost, message: "closed"), at: now, into: &effects)
                }
            case .reportProgress(let link):
                apply(.progress(link, unsent: 0))
            case .pauseReading, .resumeReading, .limitUnsent, .release, .log, .stopped:
                continue
            }
        }
    }

    private mutating func takeOutput(of link: ConnectionID) {
        var bytes: [UInt8] = []
        var effects: [Effect] = []
        relay.takeOutput(of: link, at: now, into: &effects) { span in
            for index in span.indices { bytes.append(span[index]) }
            return 0
        }
        if let index = clients.firstIndex(where: { $0.link == link }) { clients[index].toClient += bytes }
        perform(effects)
    }

    // MARK: Bytes and time

    private mutating func deliverToRelay(_ index: Int, all: Bool = false) -> Bool {
        let waiting = clients[index].toRelay.count
        guard waiting > 0, let link = clients[index].link else { return false }
        let count = all ? waiting : Int.random(in: 1...waiting, using: &random)
        let bytes = Array(clients[index].toRelay.prefix(count))
        clients[index].toRelay.removeFirst(count)
        var frames: [ClientFrame] = []
        var failure: WireError?
        do throws(WireError) {
            try clients[index].splitter.feed(bytes.span) { frame in
                do throws(WireError) {
                    frames.append(try ClientFrame.decode(frame))
                    return .proceed
                } catch {
                    failure = error
                    return .stop
                }
            }
        } catch {
            failure = error
        }
        for frame in frames {
            if case .resync = frame { clients[index].resyncs += 1 }
            apply(.received(link, frame))
        }
        if let failure { apply(.malformed(link, failure)) }
        return true
    }

    private mutating func deliverToClient(_ index: Int, all: Bool = false) -> Bool {
        let waiting = clients[index].toClient.count
        guard waiting > 0 else { return false }
        let count = all ? waiting : Int.random(in: 1...waiting, using: &random)
        let bytes = Array(clients[index].toClient.prefix(count))
        clients[index].toClient.removeFirst(count)
        act(index) { core, now, effects in core.received(bytes.span, at: now, into: &effects) }
        return true
    }

    /// Delivers some of what is on its way; false when nothing was.
    @discardableResult
    mutating func turn() -> Bool {
        var moved = false
        for index in clients.indices {
            if deliverToRelay(index) { moved = true }
        }
        var effects: [Effect] = []
        relay.endTurn(at: now, into: &effects)
        perform(effects)
        for index in clients.indices {
            if deliverToClient(index) { moved = true }
        }
        return moved
    }

    /// Delivers everything.
    mutating func settle() {
        var idle = 0
        while idle < 2 { idle = turn() ? 0 : idle + 1 }
    }

    /// Lets time pass in steps, so that every deadline on the way is met.
    mutating func pass(_ milliseconds: UInt64) {
        let end = now.monotonic + milliseconds
        while true {
            settle()
            var next = end
            for client in clients { if let deadline = client.core.nextDeadline { next = min(next, deadline) } }
            if let deadline = relay.nextDeadline { next = min(next, deadline) }
            next = max(next, now.monotonic)
            now.wall += next - now.monotonic
            now.monotonic = next
            apply(.tick)
            for index in clients.indices {
                act(index) { core, now, effects in core.tick(at: now, into: &effects) }
            }
            if next >= end {
                settle()
                return
            }
            // Deadlines that stay where they are would hold the clock for ever.
            if turnDeadlinesDidNotMove() { now.monotonic += 1 }
        }
    }

    private func turnDeadlinesDidNotMove() -> Bool {
        clients.contains { ($0.core.nextDeadline ?? .max) <= now.monotonic }
            || (relay.nextDeadline ?? .max) <= now.monotonic
    }
}

extension JitterSource {
    mutating func flip() -> Bool { next() & 1 == 0 }
}
