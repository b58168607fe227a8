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
    private var opened: UInt32 = 0
    private var store = FuzzStore()
    private let durability: RelayConfiguration.Durability
    /// Whether the store answers at once.
    private var answersAtOnce = true

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
            if effects.isEmpty || verdict.finding != nil { return }
        }
        verdict.fail("the relay never comes to rest")
    }

    private mutating func perform(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .output(let id): if let index = living(id, effect) { takeOutput(of: index) }
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
            case .log: continue
            }
        }
    }

    /// The place of a connection that an effect names: the shell must still have it.
    private mutating func living(_ id: ConnectionID, _ effect: Effect) -> Int? {
        guard let index = links.lastIndex(where: { $0.id == id }), links[index].isOpen else {
            verdict.fail("\(effect) for a connection that is gone")
            return nil
        }
        return index
    }

    private mutating func close(_ index: Int) {
        links[index].isOpen = false
        apply(.closed(links[index].id))
    }

    private mutating func takeOutput(of index: Int) {
        var effects: [Effect] = []
        var bytes: [UInt8] = []
        var room = links[index].capacity ?? .max
        var kept = 0
        var isFull = false
        core.takeOutput(of: links[index].id, at: now, into: &effects) { span in
            if kept > 0 { isFull = true }
            bytes.append(contentsOf: [UInt8](copying: span))
            kept = max(0, span.count - room)
            room -= min(room, span.count)
            return kept
        }
        verdict.require(!isFull, "more was handed over to a full taker")
        links[index].unsent = bytes.suffix(kept)
        bytes.removeLast(kept)
        deliver(bytes, to: index)
        perform(effects)
    }

    private mutating func deliver(_ bytes: [UInt8], to index: Int) {
        links[index].copy.receive(bytes, &verdict)
        guard durability == .sync, links[index].copy.joined != nil else { return }
        let (shown, kept) = (links[index].copy.state.position, store.highest(links[index].session))
        verdict.require(shown <= kept, "\(shown) is shown, where \(kept) is kept")
    }

    /// The store answers the oldest request.
    private mutating func answer(fails: Bool = false) {
        if let answer = store.answer(fails: fails, &verdict) { apply(.store(answer)) }
    }

    // MARK: What happens

    /// The connection that a choice means; nil without any.
    private func link(_ choice: UInt8) -> Int? {
        let open = links.indices.filter { links[$0].isOpen }
        return open.isEmpty ? nil : open[Int(choice) % open.count]
    }

    @discardableResult
    mutating func open(isTrusted: Bool) -> Int {
        opened += 1
        // The first place that is free, as in a shell's table: names that are gone differ by their generation alone.
        let taken = Set(links.lazy.filter(\.isOpen).map(\.id.index))
        let place = (0...UInt32(taken.count)).first { !taken.contains($0) } ?? 0
        links.append(Link(id: ConnectionID(index: place, generation: opened)))
        apply(.opened(links[links.count - 1].id, Peer(isTrusted: isTrusted)))
        return links.count - 1
    }

    /// A client that greets and joins; some come back with what an earlier one had.
    mutating func join(_ choices: inout ChoiceReader) {
        guard links.count < 40 else { return }
        let shape = choices.byte()
        let index = open(isTrusted: shape & 1 == 1)
        var join = Join(session: Names.session(&choices), uid: Names.uid(&choices), device: Names.device(&choices))
        let instance = ByteString("instance-\(choices.below(3))")
        join.attempt = UInt64(links.count)
        if shape & 14 == 14 { join.mode = .observer }
        if shape & 16 != 0, let earlier = links[..<index].lastIndex(where: { $0.session == join.session }) {
            join.resume = links[earlier].copy.resume
            links[index].copy = CopyReader(copy: links[earlier].copy.state)
            // Somebody whose position the relay never gave, or whose digest is another one.
            if shape & 192 == 192 { join.resume?.position.seq &+= UInt64(choices.byte()) }
            if shape & 192 == 64 { join.resume?.digest &+= UInt64(choices.byte()) }
        }
        let facts = choices.byte()
        join.audioMuted = facts & 1 == 0
        join.videoPaused = facts & 2 == 0
        join.presenting = facts & 4 != 0
        if facts & 8 != 0 { join.name = choices.text() }
        if facts & 16 != 0 { join.grace = choices.pick([0, 1, 15_000, 120_000]) }
        if facts & 32 != 0 { join.idle = choices.pick([0, 1, 1_000]) }
        if facts & 64 != 0 { join.role = Role(rawValue: UInt32(choices.below(3))) }
        if facts & 128 != 0 { links[index].capacity = choices.pick([0, 100, 1_000]) }
        links[index].session = join.session
        let hello = Hello(clientName: "fuzz", instance: instance.bytes)
        apply(.received(links[index].id, .hello(hello)))
        send(index, .join(join))
    }

    private mutating func send(_ index: Int, _ frame: ClientFrame) {
        guard links[index].isOpen else { return }
        apply(.received(links[index].id, frame))
    }

    mutating func send(_ choice: UInt8, _ frame: ClientFrame?) {
        guard let index = link(choice), let frame else { return }
        // A frame of its own making may name a session: who asks is judged by it.
        if case .join(let join) = frame, links[index].session.isEmpty { links[index].session = join.session }
        send(index, frame)
    }

    mutating func command(_ choice: UInt8, _ settings: [Setting], op: UInt8) {
        guard let index = link(choice) else { return }
        // Ops rise with gaps; a few come again, or are old.
        if op < 200 {
            links[index].op = max(links[index].op, links[index].copy.joined?.lastOp ?? 0) + 1 + UInt64(op & 1)
        }
        let number = op < 240 ? links[index].op : links[index].op &- UInt64(op & 3)
        let command = Command(op: max(1, number), settings: settings)
        // Only what the decoder would let through.
        var bytes: [UInt8] = []
        ClientFrame.command(command).encode(into: &bytes)
        guard let frame = try? ClientFrame.decode(bytes.span.extracting(droppingFirst: 4)) else { return }
        send(index, frame)
    }

    mutating func slow(_ choice: UInt8, _ capacity: Int?) {
        if let index = link(choice) { links[index].capacity = capacity }
    }

    /// The kernel takes what it left.
    mutating func drain(_ choice: UInt8) {
        let waiting = links.indices.filter { links[$0].isOpen && !links[$0].unsent.isEmpty }
        if !waiting.isEmpty { drain(waiting[Int(choice) % waiting.count]) }
    }

    private mutating func drain(_ index: Int) {
        let bytes = links[index].unsent
        links[index].unsent = []
        deliver(bytes, to: index)
        apply(.drained(links[index].id))
    }

    mutating func cut(_ choice: UInt8) {
        if let index = link(choice) { close(index) }
    }

    mutating func resync(_ choice: UInt8, _ behind: UInt64?) {
        guard let index = link(choice) else { return }
        var position = links[index].copy.state.position
        if let behind { position.seq -= min(position.seq, behind) } else { position.seq += 7 }
        send(index, .resync(Resync(position: position, reason: .unspecified)))
    }

    mutating func speak(_ choice: UInt8, _ on: Bool, _ target: Target?) {
        if let index = link(choice) { send(index, .speaking(Speaking(on: on, target: target))) }
    }

    mutating func pong(_ choice: UInt8) {
        guard let index = link(choice), let ping = links[index].copy.pings.popLast() else { return }
        send(index, .pong(Pong(position: links[index].copy.state.position, time: ping.time)))
    }

    /// Lets time pass, stopping at each deadline as a shell with one timer does.
    mutating func advance(_ milliseconds: UInt64) {
        let end = now.monotonic + milliseconds
        for _ in 0..<1_000 {
            guard let due = core.nextDeadline, due <= end else { break }
            let step = due > now.monotonic ? due - now.monotonic : 0
            now.monotonic += step
            now.wall += step
            endTurn()
            if verdict.finding != nil { return }
            verdict.require(core.nextDeadline.map { $0 > now.monotonic } ?? true, "a deadline that stays due")
        }
        now.wall += end - now.monotonic
        now.monotonic = end
        endTurn()
    }

    /// What a shell may say although nothing of the kind happened.
    mutating func strange(_ choice: UInt8, _ choices: inout ChoiceReader) {
        let name = links.isEmpty ? ConnectionID(index: 3, generation: 9) : links[Int(choice) % links.count].id
        let isGone = !links.contains { $0.id == name && $0.isOpen }
        switch choices.below(5) {
        case 0 where isGone: apply(.drained(name))
        case 1 where isGone: apply(.closed(name))
        case 2: apply(.progress(name, unsent: choices.pick([0, 1, 10_000])))
        case 3 where isGone: apply(.received(name, .leave(.left)))
        default: apply(.tick)
        }
    }

    mutating func rare(_ choice: UInt8, _ choices: inout ChoiceReader) {
        switch choices.below(8) {
        case 0:
            isStopping = true
            apply(.stopping(resumeAfter: choices.number()))
        case 1:
            guard let index = link(choice) else { return }
            apply(.malformed(links[index].id, WireError(code: .badTag, field: "f", offset: 0, detail: "fuzz")))
        case 2: answersAtOnce.toggle()
        case 3: answer(fails: choices.below(4) == 3)
        case 4: now.wall &-= UInt64(choices.byte()) * 1_000
        case 5: now.wall &+= UInt64(choices.byte()) * 1_000
        // The relay stood still.
        case 6: now.monotonic += UInt64(choices.byte()) * 100
        default: if let index = link(choice) { send(index, .authenticate(token: choices.text())) }
        }
    }

    // MARK: The end

    /// The store answers, everybody reads, and every copy is compared with what a Peek shows.
    mutating func end() {
        answersAtOnce = true
        for _ in 0..<4 {
            while store.isAsked { answer() }
            endTurn()
            // What failed is tried again by then.
            advance(6_000)
        }
        for index in links.indices { links[index].capacity = nil }
        for _ in 0..<1_000 {
            let slow = links.indices.filter { links[$0].isOpen && !links[$0].unsent.isEmpty }
            if slow.isEmpty || verdict.finding != nil { break }
            for index in slow where links[index].isOpen && !links[index].unsent.isEmpty { drain(index) }
            endTurn()
        }
        for session in Names.sessions where verdict.finding == nil && !isStopping { compare(session) }
    }

    private mutating func compare(_ session: ByteString) {
        let peek = open(isTrusted: true)
        apply(.received(links[peek].id, .hello(Hello(clientName: "peek", instance: [1, 2, 3, 4, 5, 6, 7, 8]))))
        send(peek, .peek(session: session, request: 1))
        endTurn()
        guard links[peek].isOpen, links[peek].copy.isComplete else { return }
        let truth = links[peek].copy.state
        for (index, link) in links.enumerated() where index != peek && link.isOpen && link.session == session {
            guard link.copy.joined != nil, link.copy.closed == nil else { continue }
            verdict.require(link.copy.state.position == truth.position, "\(link.id) is behind \(truth.position)")
            verdict.require(link.copy.state.digest == truth.digest, "\(link.id) has another copy")
            verdict.require(link.copy.state.recomputedDigest == truth.digest, "\(link.id) has other records")
        }
        apply(.closed(links[peek].id))
        links[peek].isOpen = false
    }
}
