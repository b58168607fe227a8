import CallState
import RelayCore
import RollcallProtocol

// The shell around the relay's rules: the same loop as in the real one, in a world where it can end at any effect.

extension Simulation {
    /// One turn: what `body` tells the relay, the end of the turn, and what follows from that.
    mutating func relayTurn(_ body: (inout Simulation) -> Void) {
        guard isRelayUp else { return }
        let run = relayRun
        isInTurn = true
        defer {
            isInTurn = false
            relayRanAt = clock
        }
        body(&self)
        guard isRelayUp, relayRun == run else { return }
        endTurn()
        // Bounded, since a relay that never comes to rest is a fault too.
        var rounds = 0
        while !inputs.isEmpty, isRelayUp, relayRun == run {
            let follow = inputs
            inputs = []
            for input in follow where isRelayUp && relayRun == run { apply(input) }
            if isRelayUp, relayRun == run { endTurn() }
            rounds += 1
            if rounds > 1_000 { return fail(.nothingLeaks, "the relay's turn does not end") }
        }
        if isRelayUp, relayRun == run { checkAfterTurn() }
    }

    /// Gives the relay's rules an input, and does what follows.
    mutating func apply(_ input: Input) {
        guard isRelayUp else { return }
        var effects = effectBuffers.popLast() ?? []
        relay.apply(input, at: relayNow, into: &effects)
        perform(&effects)
        truthfully()
    }

    private mutating func endTurn() {
        var effects = effectBuffers.popLast() ?? []
        relay.endTurn(at: relayNow, into: &effects)
        truthfully()
        let run = relayRun
        perform(&effects)
        while isRelayUp, relayRun == run, let connection = relay.nextOutput() {
            guard survives() else { return }
            takeOutput(of: connection)
        }
    }

    /// Whether the relay lives to do one more thing; else it is dead now.
    private mutating func survives() -> Bool {
        guard let left = fuse else { return true }
        guard left > 0 else {
            mark(.relayCrashBetweenEffects)
            crashRelay()
            return false
        }
        fuse = left - 1
        return true
    }

    private mutating func perform(_ effects: inout [Effect]) {
        let run = relayRun
        for effect in effects {
            guard survives() else { break }
            perform(effect)
            guard isRelayUp, relayRun == run else { break }
        }
        effects.removeAll(keepingCapacity: true)
        effectBuffers.append(effects)
    }

    private mutating func perform(_ effect: Effect) {
        switch effect {
        case .pauseReading(let connection):
            mark(.readingPaused)
            if let link = link(of: connection) { links[link].isPaused = true }
        case .resumeReading(let connection):
            mark(.readingResumed)
            guard let link = link(of: connection) else { return }
            links[link].isPaused = false
            links[link].heard(at: clock, standstill)
        case .close(let connection):
            close(connection)
            inputs.append(.closed(connection))
        case .reportProgress(let connection):
            guard let link = link(of: connection) else { return }
            inputs.append(.progress(connection, unsent: links[link].unsent.count))
        case .limitUnsent(let connection, _):
            guard let link = link(of: connection), links[link].capacity == nil, draw.oneIn(8) else { return }
            links[link].capacity = 16 * 1024
        case .claim(let session): ask(.claim(session))
        case .append(let batch): ask(.append(batch))
        case .release(let session):
            mark(.callFreed)
            ask(.release(session))
        case .log(let event): note(event)
        // It has one loop.
        case .loop: break
        case .stopped: stopped()
        }
    }

    // MARK: Connections

    /// The link of a connection of the running relay.
    func link(of connection: ConnectionID) -> Int? {
        let index = Int(connection.index)
        guard index < linkOfConnection.count, generations[index] == connection.generation else { return nil }
        return linkOfConnection[index]
    }

    private mutating func accept(_ link: Int) {
        let index: Int
        if let free = freeConnections.popLast() {
            index = free
        } else {
            index = linkOfConnection.count
            linkOfConnection.append(nil)
            generations.append(0)
        }
        generations[index] &+= 1
        linkOfConnection[index] = link
        let connection = ConnectionID(index: UInt32(index), generation: generations[index])
        links[link].connection = connection
        links[link].relayEnd = .open
        links[link].heard(at: clock, standstill)
        apply(.opened(connection, Peer(isTrusted: links[link].isTrusted)))
    }

    /// The shell has closed a connection, or has seen its end.
    private mutating func close(_ connection: ConnectionID) {
        guard let link = link(of: connection) else { return }
        let index = Int(connection.index)
        linkOfConnection[index] = nil
        freeConnections.append(index)
        links[link].relayEnd = .closed
        links[link].connection = nil
        links[link].up.removeAll()
        links[link].unsent.removeAll()
        retire(link)
    }

    /// Bytes reach the relay, or the news that no more will come.
    mutating func deliverToRelay(_ link: Int, _ count: Int) {
        guard isRelayUp, links[link].relayEnd != .closed else { return }
        trace.mix(UInt64(link))
        if links[link].relayEnd == .notAccepted { accept(link) }
        guard let connection = links[link].connection, isRelayUp else { return }
        if links[link].isCut || links[link].up.isEmpty {
            guard links[link].isCut || links[link].clientEnd == .closed else { return }
            if trace.isRecorded { trace.note("  the relay sees the end of link \(link)") }
            close(connection)
            return apply(.closed(connection))
        }
        let bytes = links[link].up.bytes
        let start = links[link].up.start
        if trace.isRecorded { trace.note("  \(count) bytes of \(links[link].owner) on link \(link)") }
        if !links[link].isUnreadable { feed(bytes.span.extracting(start..<start + count), link, connection) }
        if links[link].relayEnd == .open, links[link].up.count >= count { links[link].up.drop(count) }
    }

    private mutating func feed(_ bytes: Span<UInt8>, _ link: Int, _ connection: ConnectionID) {
        let (frames, failure) = links[link].splitter.read(bytes, ClientFrame.decode)
        if frames.isEmpty, failure == nil {
            links[link].heard(at: clock, standstill)
            apply(.heard(connection))
        }
        for frame in frames {
            take(frame, link, connection)
            guard isRelayUp, links[link].connection == connection else { return }
        }
        guard let failure else { return }
        links[link].isUnreadable = true
        checkHonestFrames(of: link, failure)
        apply(.malformed(connection, failure))
    }

    // MARK: Output

    /// More bytes than everything that one connection can be owed.
    private static let mostAtOnce = 8 << 20

    /// So many bytes are kept where the others may be left: few, so that parts of a snapshot are cut anywhere.
    private static let mostKept = 64

    private mutating func takeOutput(of connection: ConnectionID) {
        var effects = effectBuffers.popLast() ?? []
        var written: [UInt8] = []
        swap(&written, &self.written)
        let link = link(of: connection)
        let room = min(Self.mostAtOnce, link.map { self.room(of: $0) } ?? 0)
        let kept = relay.takeOutput(
            of: connection,
            at: relayNow,
            into: &effects,
            room: room,
            keepingAtMost: Self.mostKept
        ) { written.add($0) }
        if written.count > Self.mostAtOnce { fail(.boundedMemory, "the relay hands the same over without end") }
        if let link, !written.isEmpty {
            trace.mix(written.span)
            handOver(written, kept: kept, to: link)
        }
        written.removeAll(keepingCapacity: true)
        swap(&written, &self.written)
        perform(&effects)
    }

    /// What the socket still takes.
    private func room(of link: Int) -> Int {
        guard links[link].unsent.isEmpty else { return 0 }
        if links[link].isCut { return links[link].clientLearns ? 0 : 4_096 }
        return links[link].capacity.map { max(0, $0 - links[link].down.count) } ?? Int.max
    }

    private mutating func handOver(_ bytes: [UInt8], kept: Int, to link: Int) {
        inspect(bytes, to: link)
        if kept > 0 { mark(.stalled) }
        let sent = bytes.count - kept
        if !links[link].isCut, links[link].clientEnd != .closed {
            links[link].down.append(bytes.span.extracting(0..<sent))
        }
        if kept > 0 { links[link].unsent.append(bytes.span.extracting(sent..<bytes.count)) }
    }
}
