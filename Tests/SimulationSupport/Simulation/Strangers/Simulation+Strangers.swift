import CallState
import RelayCore
import RollcallProtocol

// Strict readers: they come with true and untrue memories, and follow every frame.

extension Simulation {
    mutating func actAsStranger() {
        guard !strangers.isEmpty else { return }
        let stranger = draw.below(strangers.count)
        guard let link = strangers[stranger].link else {
            strangers[stranger].link = open(.stranger(stranger), isTrusted: draw.oneIn(3))
            strangers[stranger].hasGreeted = false
            return
        }
        guard strangers[stranger].isJoined else { return hurry(stranger, link) }
        switch draw.below(14) {
        case 12: askAndLeave(stranger, link)
        case 13: send(.peek(session: strangers[stranger].session, request: 2), link)
        case 0...4: send(.command(strangerCommand(stranger)), link)
        case 5: send(.command(strangerCommand(stranger, repeats: true)), link)
        case 6: strangers[stranger].remember()
        case 7: send(.leave(.left), link)
        case 8: send(.resync(Resync(position: .zero, reason: .unspecified)), link)
        case 9: send(.pong(Pong(position: Position(epoch: draw.next() >> 40, seq: draw.next() >> 50), time: 1)), link)
        case 10: send(.speaking(Speaking(on: draw.oneIn(2))), link)
        default:
            strangers[stranger].remember()
            strangers[stranger].link = nil
            strangers[stranger].isJoined = false
            closeClientEnd(link)
        }
    }

    private mutating func send(_ frame: ClientFrame, _ link: Int) {
        var bytes: [UInt8] = []
        frame.encode(into: &bytes)
        send(bytes, on: link)
    }

    /// Does not wait for the answer to its Join.
    private mutating func hurry(_ stranger: Int, _ link: Int) {
        guard strangers[stranger].hasGreeted else { return }
        switch draw.below(8) {
        case 0...2:
            // Above everything that the incarnation which it may resume has had.
            strangers[stranger].op += 1_000
            send(.command(strangerCommand(stranger)), link)
        case 3: send(.resync(Resync(position: .zero, reason: .unspecified)), link)
        case 4: links[link].capacity = draw.below(200)
        default: break
        }
    }

    /// Asks for everything, changes something and leaves, all at once and on a line that takes hardly anything: whoever
    /// was alone ends the call before it is told of the last of it.
    private mutating func askAndLeave(_ stranger: Int, _ link: Int) {
        links[link].capacity = draw.below(100)
        send(.resync(Resync(position: .zero, reason: .unspecified)), link)
        send(.command(strangerCommand(stranger)), link)
        if draw.oneIn(2) { send(.command(strangerCommand(stranger)), link) }
        send(.leave(.left), link)
    }

    private mutating func strangerCommand(_ stranger: Int, repeats: Bool = false) -> Command {
        if !repeats { strangers[stranger].op += 1 + (draw.oneIn(9) ? 3 : 0) }
        let setting: Setting =
            switch draw.below(4) {
            case 0: Setting(.handRaised(draw.oneIn(2)))
            case 1: Setting(.audioMuted(draw.oneIn(2)))
            default: Setting(.attribute(Attribute(key: "s", value: draw.oneIn(3) ? nil : [UInt8(draw.below(250))])))
            }
        return Command(op: strangers[stranger].op, settings: [setting])
    }

    /// The link is made: greets and joins, with something to come back with or without.
    mutating func greet(_ stranger: Int, _ link: Int) {
        guard strangers[stranger].link == link else { return closeClientEnd(link) }
        strangers[stranger].splitter = FrameSplitter(maximumFrameLength: WireLimits.serverFrame)
        strangers[stranger].isTrue = true
        strangers[stranger].isJoined = false
        strangers[stranger].hasGreeted = true
        strangers[stranger].attempt += 1
        if strangers[stranger].instance.isEmpty || draw.oneIn(3) {
            strangers[stranger].instance = (0..<12).map { _ in UInt8(truncatingIfNeeded: draw.next()) }
        }
        var bytes = FrameSplitter.preface
        ClientFrame.hello(Hello(clientName: "strict", instance: strangers[stranger].instance)).encode(into: &bytes)
        let join = strangerJoin(stranger)
        // Whoever attends may not peek.
        if draw.oneIn(4) { ClientFrame.peek(session: join.session, request: 1).encode(into: &bytes) }
        ClientFrame.join(join).encode(into: &bytes)
        send(bytes, on: link)
    }

    private mutating func strangerJoin(_ stranger: Int) -> Join {
        var join = Join(
            session: draw.pick(settings.sessions),
            uid: ByteString("x\(stranger)"),
            device: draw.oneIn(3) ? "b" : "a"
        )
        var copy = StrictCopy()
        if !strangers[stranger].memories.isEmpty, draw.chance(75) {
            let memory = draw.pick(strangers[stranger].memories)
            (join.session, join.uid, join.device) = (memory.session, memory.uid, memory.device)
            if memory.resume.secret.isEmpty { join.mode = .observer }
            var resume = memory.resume
            if spoil(&resume, memory) { strangers[stranger].isTrue = false } else { copy = StrictCopy(memory.state) }
            join.resume = resume
            mark(.stalePosition)
        } else if draw.oneIn(4) {
            join.mode = .observer
        }
        if draw.oneIn(8), let victim = secrets.indices.randomElement(using: &draw) {
            // A secret of somebody else, or of an incarnation that is over.
            join.resume = Resume(secret: secrets[victim].secret, position: .zero, digest: 0)
            copy = StrictCopy()
            strangers[stranger].isTrue = true
            if draw.oneIn(2) {
                (join.session, join.uid) = (secrets[victim].session, secrets[victim].uid)
                join.device = secrets[victim].device
                // Only who looks on may be nobody.
                if join.uid.isEmpty { join.mode = .observer }
            }
            if secrets[victim].life == .over { mark(.lateSecret) }
        }
        join.attempt = strangers[stranger].attempt
        strangers[stranger].copy = copy
        (strangers[stranger].session, strangers[stranger].uid) = (join.session, join.uid)
        strangers[stranger].device = join.device
        return join
    }

    /// Makes a memory untrue; false when it stays true.
    private mutating func spoil(_ resume: inout Resume, _ memory: Stranger.Memory) -> Bool {
        switch draw.below(10) {
        case 0:
            resume.position.seq += 1 + draw.below(2_000 as UInt64)
            mark(.positionNeverIssued)
        case 1:
            // The number of one epoch in another.
            resume.position.epoch = watches[number(of: memory.session) ?? 0].position.epoch
            if resume.position == memory.resume.position { return false }
            mark(.positionOfOtherEpoch)
        case 2:
            resume.digest ^= 1
        case 3:
            if resume.secret.isEmpty { return false }
            resume.secret[0] ^= 1
            mark(.wrongSecret)
            return false
        case 4:
            // A little lower, or lower than its epoch may begin.
            let seq = resume.position.seq
            resume.position.seq =
                draw.oneIn(2) ? seq - min(seq, 1 + draw.below(50 as UInt64)) : min(seq, 1 + draw.below(3 as UInt64))
        default:
            return false
        }
        return true
    }

    /// Bytes reach a strict reader.
    mutating func received(_ bytes: Span<UInt8>, stranger: Int, _ link: Int) {
        guard strangers[stranger].link == link else { return }
        let (frames, fault) = strangers[stranger].splitter.read(bytes, ServerFrame.decode)
        if let fault { return fail(.strictCopyFits, "stranger \(stranger) can't read what came: \(fault)") }
        for frame in frames where strangers[stranger].link == link { take(frame, stranger, link) }
    }

    private mutating func take(_ frame: ServerFrame, _ stranger: Int, _ link: Int) {
        let before = strangers[stranger].copy.state.position
        let problem = strangers[stranger].copy.take(frame)
        if case .joined(let joined) = frame {
            strangers[stranger].isJoined = true
            strangers[stranger].op = max(strangers[stranger].op, joined.lastOp)
            // With a snapshot an untrue memory is forgotten.
            if joined.follows == .snapshot { strangers[stranger].isTrue = true }
        }
        if case .closed = frame {
            strangers[stranger].remember()
            strangers[stranger].isJoined = false
        }
        if case .ping(let ping) = frame, !strangers[stranger].isLazy {
            send(.pong(Pong(position: strangers[stranger].copy.state.position, time: ping.time)), link)
        }
        guard strangers[stranger].isTrue else { return }
        let who = Who.stranger(stranger)
        if links[link].hasLost { return strangers[stranger].isTrue = false }
        if let problem { return fail(.strictCopyFits, "\(name(of: who)): \(problem)") }
        if let shown = strangers[stranger].copy.takePeeked() {
            mark(.peekCompared)
            if let session = number(of: strangers[stranger].session) {
                checkCopy(session, shown, of: who)
                checkShown(session, shown.position, to: who)
            }
        }
        let state = strangers[stranger].copy.state
        if state.position != before {
            checkMonotone(from: before, to: state.position, of: who)
            guard let session = number(of: strangers[stranger].session) else { return }
            checkCopy(session, state, of: who)
            checkShown(session, state.position, to: who)
        }
    }
}
