import RelayCore
import RollcallProtocol

// The network: links are made, bytes move, links fail.

extension Simulation {
    /// A new connection of somebody; whether it can be made is seen when its client learns it.
    mutating func open(_ owner: Link.Owner, isTrusted: Bool) -> Int {
        links.append(Link(owner: owner, isTrusted: isTrusted))
        let link = links.count - 1
        active.append(link)
        return link
    }

    /// Sends bytes of a client.
    mutating func send(_ bytes: [UInt8], on link: Int) {
        trace.mix(bytes.span)
        guard links[link].clientEnd != .closed, !links[link].isCut, links[link].relayEnd != .closed else { return }
        links[link].up.append(bytes)
    }

    /// The client closes its end once what it sent has left.
    mutating func closeClientEnd(_ link: Int) {
        links[link].clientEnd = .closed
        links[link].down.removeAll()
        if links[link].relayEnd == .notAccepted, links[link].up.isEmpty || links[link].isCut {
            links[link].relayEnd = .closed
        }
        if links[link].unsent.isEmpty { return retire(link) }
        // What the shell has kept goes nowhere any more, which it learns with the end.
        links[link].unsent.removeAll()
        retire(link)
    }

    /// A link that both ends are done with is forgotten.
    mutating func retire(_ link: Int) {
        guard links[link].isDone else { return }
        links[link].up.removeAll()
        links[link].down.removeAll()
        links[link].unsent.removeAll()
        active.removeAll { $0 == link }
    }

    // MARK: Moving

    mutating func deliverSomethingToRelay() {
        guard isRelayUp else { return }
        var ready: [Int] = []
        for link in active where links[link].isReadyForRelay(at: clock) { ready.append(link) }
        if ready.isEmpty { return }
        let count = draw.oneIn(3) ? min(ready.count, 1 + draw.below(4)) : 1
        let isWhole = draw.oneIn(2)
        relayTurn { world in
            for _ in 0..<count {
                let link = ready[world.draw.below(ready.count)]
                guard world.links[link].isReadyForRelay(at: world.clock) else { continue }
                let waiting = world.links[link].up.count
                world.deliverToRelay(link, isWhole || waiting == 0 ? waiting : 1 + world.draw.below(waiting))
            }
        }
    }

    mutating func deliverSomethingToClient() {
        var ready: [Int] = []
        for link in active where links[link].isReadyForClient(at: clock) { ready.append(link) }
        if ready.isEmpty { return }
        let link = ready[draw.below(ready.count)]
        let waiting = links[link].down.count
        deliverToClient(link, waiting == 0 || draw.oneIn(2) ? waiting : 1 + draw.below(waiting))
    }

    /// Bytes reach a client, or the news that the link is made, or gone.
    mutating func deliverToClient(_ link: Int, _ count: Int) {
        trace.mix(UInt64(link))
        switch links[link].clientEnd {
        case .closed: return
        case .connecting:
            let canConnect = isRelayUp && !links[link].isCut && links[link].relayEnd != .closed
            if canConnect {
                links[link].clientEnd = .open
                return connected(link)
            }
            mark(.unreachable)
            return lost(link)
        case .open: break
        }
        if links[link].isCut || links[link].down.isEmpty { return lost(link) }
        let bytes = links[link].down.bytes
        let start = links[link].down.start
        received(bytes.span.extracting(start..<start + count), on: link)
        if links[link].clientEnd == .closed { return }
        links[link].down.drop(count)
        links[link].frameEnds.advance(count)
        refill(link)
    }

    /// What the socket has room for moves on; the shell learns when it has kept nothing any more.
    mutating func refill(_ link: Int) {
        guard !links[link].unsent.isEmpty, !links[link].isCut else { return }
        let room = links[link].capacity.map { max(0, $0 - links[link].down.count) } ?? Int.max
        let count = min(room, links[link].unsent.count)
        guard count > 0 else { return }
        var unsent = Pipe()
        swap(&unsent, &links[link].unsent)
        unsent.move(count, to: &links[link].down)
        swap(&unsent, &links[link].unsent)
        if links[link].unsent.isEmpty, isRelayUp, let connection = links[link].connection {
            relayTurn { $0.apply(.drained(connection)) }
        }
    }

    /// The client learns that a link is gone, or could not be made.
    private mutating func lost(_ link: Int) {
        links[link].clientEnd = .closed
        links[link].down.removeAll()
        if links[link].relayEnd == .notAccepted { links[link].relayEnd = .closed }
        if trace.isRecorded { trace.note("  \(links[link].owner) has lost link \(link)") }
        switch links[link].owner {
        case .seat(let seat): linkLost(seat, link)
        case .stranger(let stranger): strangers[stranger].linkLost(link)
        case .attacker(let attacker): attackers[attacker].link = nil
        }
        retire(link)
    }

    private mutating func connected(_ link: Int) {
        switch links[link].owner {
        case .seat(let seat): connected(seat, link)
        case .stranger(let stranger): greet(stranger, link)
        case .attacker: return
        }
    }

    private mutating func received(_ bytes: Span<UInt8>, on link: Int) {
        trace.mix(bytes)
        switch links[link].owner {
        case .seat(let seat): received(bytes, seat, link)
        case .stranger(let stranger): received(bytes, stranger: stranger, link)
        case .attacker: return
        }
    }

    // MARK: Faults

    /// A link that lives, at random; nil when there is none.
    private mutating func someLink() -> Int? {
        active.isEmpty ? nil : draw.pick(active)
    }

    mutating func cutSomething() {
        guard let link = someLink(), !links[link].isCut else { return }
        if !links[link].splitter.isEmpty { mark(.cutInsideFrame) }
        let known = draw.below(5)
        cut(link, clientLearns: known != 1 && known != 3, relayLearns: known != 2 && known != 3)
    }

    /// The network of a link fails; what is on its way is lost.
    mutating func cut(_ link: Int, clientLearns: Bool, relayLearns: Bool) {
        links[link].isCut = true
        links[link].clientLearns = clientLearns
        links[link].relayLearns = relayLearns
        links[link].up.removeAll()
        links[link].down.removeAll()
        switch (clientLearns, relayLearns) {
        case (true, true): mark(.cutKnownToBoth)
        case (true, false): mark(.cutKnownToClient)
        case (false, true): mark(.cutKnownToRelay)
        case (false, false): mark(.halfOpen)
        }
        if links[link].relayEnd == .notAccepted {
            links[link].relayEnd = .closed
            links[link].clientLearns = true
        }
        if trace.isRecorded { trace.note("  link \(link) is cut") }
        retire(link)
    }

    mutating func holdSomething() {
        guard let link = someLink() else { return }
        let until = clock + 1 + draw.below(draw.oneIn(4) ? settings.relay.deadAfter * 2 : 400)
        if !draw.oneIn(3) { links[link].heldUp = until }
        if !draw.oneIn(3) { links[link].heldDown = until }
        mark(.held)
    }

    mutating func slowSomethingDown() {
        guard let link = someLink() else { return }
        if links[link].capacity != nil, draw.oneIn(2) {
            links[link].capacity = nil
            return refill(link)
        }
        links[link].capacity = draw.pick([0, 10, 60, 300, 1_000])
        mark(.slowReader)
    }

    mutating func loseSomeFrame() {
        let ready = active.filter {
            links[$0].isGood && links[$0].down.frontKind == 5 && links[$0].frameEnds.isBetweenFrames
        }
        guard !ready.isEmpty else { return }
        let link = draw.pick(ready)
        links[link].frameEnds.advance(links[link].down.frontFrame ?? 0)
        links[link].down.dropFrame()
        links[link].hasLost = true
        mark(.frameLost)
        if trace.isRecorded { trace.note("  link \(link) loses a frame") }
    }
}
