import CallState
import RelayCore
import RollcallProtocol

/// A relay without sockets: bytes go in as a client sends them, and what comes out is counted and thrown away.
///
/// It does for the rules what the shell does, turn by turn, with a clock that moves one millisecond a turn, so that
/// every run of one job does exactly the same.
struct Stage {
    /// The relay.
    private(set) var core: RelayCore
    private var splitters: [FrameSplitter] = []
    private var effects: [Effect] = []
    private var now = Now(monotonic: 1, wall: 1_700_000_000_000)
    /// How many bytes each connection was given.
    private(set) var received: [Int] = []
    /// What went wrong; nil is nothing.
    private(set) var trouble: String?

    /// A relay with this tick in ms; 0 is none, so that a change in a turn is a write for each subscriber.
    init(tick: Int) {
        var configuration = RelayConfiguration()
        configuration.tick = UInt64(tick)
        // Nothing but the job: no heartbeats, and nobody is too silent.
        configuration.pingInterval = 1 << 40
        configuration.deadAfter = 1 << 40
        configuration.helloTimeout = 1 << 40
        configuration.maximumConnections = 100_000
        configuration.maximumObservers = 100_000
        configuration.joinRate = .unlimited
        configuration.limits.people = 100_000
        core = RelayCore(configuration: configuration, random: Constant())
    }

    /// Makes the names of secrets and meetings the same in every run.
    private struct Constant: RandomNumberGenerator {
        var state: UInt64 = 1

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
    }

    /// Accepts a connection; the name is its place.
    mutating func connect(isTrusted: Bool) -> ConnectionID {
        let id = ConnectionID(index: UInt32(splitters.count), generation: 1)
        splitters.append(FrameSplitter(maximumFrameLength: WireLimits.clientFrame, expectsPreface: true))
        received.append(0)
        core.apply(.opened(id, Peer(isTrusted: isTrusted)), at: now, into: &effects)
        return id
    }

    /// The connection has ended.
    mutating func disconnect(_ id: ConnectionID) {
        core.apply(.closed(id), at: now, into: &effects)
    }

    /// Gives the relay what a client has sent.
    mutating func read(_ bytes: Span<UInt8>, from id: ConnectionID) {
        do throws(WireError) {
            try splitters[Int(id.index)].feed(bytes) { frame in
                do throws(WireError) {
                    core.apply(.received(id, try ClientFrame.decode(frame)), at: now, into: &effects)
                    return .proceed
                } catch {
                    trouble = "a frame was refused: \(error)"
                    return .stop
                }
            }
        } catch {
            trouble = "the bytes were refused: \(error)"
        }
    }

    /// Ends the turn: everybody takes what there is.
    mutating func endTurn() {
        repeat {
            core.endTurn(at: now, into: &effects)
            perform()
            while let id = core.nextOutput() { takeOutput(of: id) }
            perform()
        } while core.isOutputWaiting || !effects.isEmpty
        now.monotonic += 1
        now.wall += 1
        core.beginTurn()
    }

    /// Nothing happens for so many milliseconds.
    mutating func rest(_ milliseconds: UInt64) {
        now.monotonic += milliseconds
        now.wall += milliseconds
    }

    private mutating func takeOutput(of id: ConnectionID) {
        var count = 0
        core.takeOutput(of: id, at: now, into: &effects) { own, shared, following, _ in
            count += own.count + shared.count + following.count
            return .sent
        }
        received[Int(id.index)] += count
    }

    private mutating func perform() {
        var claims: [ByteString] = []
        for effect in effects {
            switch effect {
            case .claim(let session): claims.append(session)
            case .log(.refused(let id, let refusal)): trouble = "connection \(id.index) was refused: \(refusal.text)"
            case .close(let id): trouble = trouble ?? "connection \(id.index) was closed"
            default: break
            }
        }
        effects.removeAll(keepingCapacity: true)
        for session in claims {
            core.apply(.store(.claimed(session: session, .init(epoch: now.wall))), at: now, into: &effects)
        }
    }
}
