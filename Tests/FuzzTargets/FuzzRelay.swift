import CallState
import Randomness
import RelayCore
import RollcallProtocol

/// A relay's rules with a shell that does every effect, and holds it against what the shell may expect.
struct FuzzRelay {
    /// One connection, as the shell and the other end see it.
    struct Link {
        let id: ConnectionID
        var copy = CopyReader()
        /// The call that it asked to attend.
        var session = ByteString.empty
        /// Whether the shell has it.
        var isOpen = true
        /// Whether the shell reads from it.
        var isRead = true
        /// How many bytes the kernel takes until it is drained; nil is all.
        var capacity: Int?
        /// Bytes that the shell keeps for the kernel.
        var unsent: [UInt8] = []
        /// The op of its last command.
        var op: UInt64 = 0
    }

    var verdict = Verdict()
    var core: RelayCore
    var now = Now(monotonic: 1_000, wall: 1_700_000_000_000)
    var links: [Link] = []
    var isStopping = false
    private var hasStopped = false
    var opened: UInt32 = 0
    var store = FuzzStore()
    private let durability: RelayConfiguration.Durability
    /// Whether the store answers at once.
    var answersAtOnce = true

    init(configuration: RelayConfiguration, seed: UInt64) {
        durability = configuration.durability
        core = RelayCore(configuration: configuration, random: SplitMix64(seed: seed))
    }

    // MARK: The shell's loop

    mutating func apply(_ input: Input) {
        var effects: [Effect] = []
        core.apply(input, at: now, into: &effects)
        perform(effects)
    }

    /// Ends the turn and lets output flow until nothing moves any more.
    mutating func endTurn() {
        for _ in 0..<1_000 {
            var effects: [Effect] = []
            core.endTurn(at: now, into: &effects)
            perform(effects)
            guard core.isOutputWaiting || !effects.isEmpty, verdict.finding == nil else { return }
            while let id = core.nextOutput() { if let index = living(id, "output") { takeOutput(of: index) } }
        }
        verdict.fail("the relay never comes to rest")
    }

    private mutating func perform(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .pauseReading(let id):
                guard let index = living(id, effect) else { continue }
                verdict.require(links[index].isRead, "reading is paused twice")
                links[index].isRead = false
            case .resumeReading(let id):
                guard let index = living(id, effect) else { continue }
                verdict.require(!links[index].isRead, "reading goes on twice")
                links[index].isRead = true
            case .close(let id): if let index = living(id, effect) { close(index) }
            case .reportProgress(let id):
                guard let index = living(id, effect) else { continue }
                apply(.progress(id, unsent: links[index].unsent.count))
            case .limitUnsent(let id, _): _ = living(id, effect)
            case .claim(let session):
                store.claim(session, &verdict)
                if answersAtOnce { answer() }
            case .append(let batch):
                store.append(batch, &verdict)
                if answersAtOnce { answer() }
            case .release(let session): store.release(session, &verdict)
            case .stopped:
                verdict.require(isStopping && !hasStopped, "stopped without a reason")
                hasStopped = true
            case .loop: verdict.require(false, "the only loop wants something of another")
            case .log: continue
            }
        }
    }

    /// The place of a connection that an effect names: the shell must still have it.
    private mutating func living(_ id: ConnectionID, _ effect: Any) -> Int? {
        guard let index = links.lastIndex(where: { $0.id == id }), links[index].isOpen else {
            verdict.fail("\(effect) for a connection that is gone")
            return nil
        }
        return index
    }

    mutating func close(_ index: Int) {
        links[index].isOpen = false
        apply(.closed(links[index].id))
    }

    private mutating func takeOutput(of index: Int) {
        var effects: [Effect] = []
        var bytes: [UInt8] = []
        let room = links[index].capacity ?? .max
        var isFull = false
        let id = links[index].id
        let kept = core.takeOutput(of: id, at: now, into: &effects, room: room, keepingAtMost: 64) { span in
            if bytes.count > room { isFull = true }
            bytes.append(contentsOf: [UInt8](copying: span))
        }
        verdict.require(!isFull, "more was handed over to a full taker")
        links[index].unsent = bytes.suffix(kept)
        bytes.removeLast(kept)
        deliver(bytes, to: index)
        perform(effects)
    }

    mutating func deliver(_ bytes: [UInt8], to index: Int) {
        links[index].copy.receive(bytes, &verdict)
        guard durability == .sync, links[index].copy.joined != nil else { return }
        let (shown, kept) = (links[index].copy.state.position, store.highest(links[index].session))
        verdict.require(shown <= kept, "\(shown) is shown, where \(kept) is kept")
    }

    /// The store answers the oldest request.
    mutating func answer(fails: Bool = false) {
        if let answer = store.answer(fails: fails, &verdict) { apply(.store(answer)) }
    }
}
