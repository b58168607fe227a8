import CallState
import RollcallProtocol

// The life of a connection: opened, greeted, attached, closing, gone.
extension RelayCore {
    mutating func opened(_ connection: ConnectionID, _ peer: Peer) {
        let index = occupy(connection, peer)
        let count = census?.connectionCame() ?? connectionCount
        if let stop {
            return close(index, goingAway(after: stop.resumeAfter))
        }
        if count > configuration.maximumConnections {
            let text = "the relay has \(configuration.maximumConnections) connections, which is its limit"
            return close(index, overload(text, after: Self.overloadPause))
        }
        wake(index, at: now.monotonic + configuration.helloTimeout)
    }

    /// Gives a connection its place in the table, and the index of that.
    mutating func occupy(_ connection: ConnectionID, _ peer: Peer) -> Int {
        let index = Int(connection.index)
        while connections.count <= index { connections.append(Connection()) }
        // The shell has given the place to another connection: the old one is gone, whatever it told us.
        if connections[index].phase != .free { closed(index) }
        connections[index] = Connection()
        connections[index].phase = .opened
        connections[index].generation = connection.generation
        connections[index].peer = peer
        connections[index].openedAt = now.monotonic
        connections[index].openedWall = now.wall
        connections[index].heardAt = now.monotonic - standstill
        connectionCount += 1
        return index
    }

    /// When to come back to a relay that has too much to do, in ms.
    static let overloadPause: UInt64 = 5_000

    mutating func closed(_ index: Int) {
        loseLink(of: index)
        vacate(index)
        census?.connectionWent()
    }

    /// Forgets a connection that attends no call any more.
    mutating func vacate(_ index: Int) {
        if let call = call(of: index) { emptied(call) }
        deadlines.remove(.connection(name(index)))
        let generation = connections[index].generation
        connections[index] = Connection()
        connections[index].generation = generation
        connectionCount -= 1
    }

    mutating func malformed(_ error: WireError, on index: Int) {
        guard connections[index].phase != .closing, connections[index].phase != .gone else { return }
        let place = error.field.isEmpty ? "" : "\(error.field), "
        let text = "\(place)offset \(error.offset): \(error.detail)"
        fail(index, Refusal(code: error.closeCode, text: text))
    }

    mutating func received(_ frame: ClientFrame, on index: Int) {
        let phase = connections[index].phase
        guard phase != .closing, phase != .gone else { return }
        connections[index].heardAt = now.monotonic - standstill
        if phase == .opened {
            guard case .hello(let hello) = frame else {
                return outOfOrder(index, "the first frame must be Hello, not \(frame.name)")
            }
            return greet(hello, on: index)
        }
        if connections[index].waitingFrames > 0, waits(frame) { return wait(frame, on: index) }
        switch frame {
        case .hello: outOfOrder(index, "a second Hello")
        case .join(let join):
            guard phase == .greeted else { return outOfOrder(index, "a second Join: open another connection") }
            self.join(join, on: index)
        case .peek(let session, let request): peek(session, request, on: index)
        case .list(let request, let after): list(request, after: after, on: index)
        case .inspect(let request, let after): inspect(request, after: after, on: index)
        case .attendance(let request, let query): attendance(request, query, on: index)
        case .authenticate:
            let text = "this relay is open: it has nothing to check a token with"
            answer(.error(Refusal(code: .unsupported, text: text), request: 0), on: index)
        case .pong(let pong):
            // Also without an attachment: every connection that has said Hello is pinged.
            self.pong(pong, on: index)
        case .command(let command):
            // Without a closure, which would hold a copy of it: nearly every frame is one.
            guard phase == .attached else { return refuseUnattended(frame, on: index) }
            self.command(command, on: index)
        case .speaking(let speaking): attended(frame, on: index) { $0.speaking(speaking, on: index) }
        case .resync(let resync): attended(frame, on: index) { $0.resync(resync, on: index) }
        case .leave(let reason): attended(frame, on: index) { $0.leave(reason, on: index) }
        }
    }

    /// Does what only a connection that attends a call may ask for.
    private mutating func attended(_ frame: ClientFrame, on index: Int, _ body: (inout RelayCore) -> Void) {
        guard connections[index].phase == .attached else { return refuseUnattended(frame, on: index) }
        body(&self)
    }

    private mutating func refuseUnattended(_ frame: ClientFrame, on index: Int) {
        outOfOrder(index, "\(frame.name) before Join was accepted")
    }

    private mutating func greet(_ hello: Hello, on index: Int) {
        guard hello.minVersion >= 1, hello.minVersion <= hello.maxVersion else {
            let text = "versions \(hello.minVersion) to \(hello.maxVersion) are no range of versions from 1"
            return close(index, Refusal(code: .badRequest, text: text))
        }
        guard hello.minVersion <= 1 else {
            let text = "the client speaks versions from \(hello.minVersion), this relay speaks 1"
            return close(index, Refusal(code: .unsupported, text: text))
        }
        guard WireLimits.instance.contains(hello.instance.count) else {
            let text = "Hello.instance has \(hello.instance.count) bytes, 8 to 32 are allowed"
            return close(index, Refusal(code: .badRequest, text: text))
        }
        guard WireLimits.clientName.contains(hello.clientName.count) else {
            let text = "Hello.client_name has \(hello.clientName.count) bytes, 0 to 64 are allowed"
            return close(index, Refusal(code: .badRequest, text: text))
        }
        connections[index].phase = .greeted
        connections[index].instance = hello.instance
        connections[index].clientName = hello.clientName
        send(welcome, on: index)
        // Spread over the second half of the interval, so that those who came together are not pinged together.
        let half = configuration.pingInterval / 2
        connections[index].nextPing = now.monotonic + configuration.pingInterval - half + random(upTo: half)
        wake(index, at: connections[index].nextPing)
        wake(index, at: now.monotonic + configuration.deadAfter)
    }

    /// A random number from 0 to `bound`.
    mutating func random(upTo bound: UInt64) -> UInt64 {
        let word: UInt64 = random.next()
        return bound == .max ? word : word % (bound + 1)
    }

    // MARK: Ending

    private mutating func outOfOrder(_ index: Int, _ text: String) {
        fail(index, Refusal(code: .outOfOrder, text: "not allowed now: \(text)"))
    }

    /// Ends a connection for a fault of its own: its link counts as lost.
    mutating func fail(_ index: Int, _ refusal: Refusal) {
        let call = connections[index].call
        let role = connections[index].role
        let wasAttached = connections[index].phase == .attached
        close(index, refusal)
        if wasAttached, let call { loseLink(of: role, in: call, at: index) }
    }

    /// Says Closed and ends the connection once that has left, or after a time.
    ///
    /// What it has is not touched: a device that goes on without a link has to be seen to by the caller. With a store
    /// that everything waits for it is said once what is so by then is kept, the change that follows in this turn
    /// included if the caller has marked the call; `call` is what a connection that attends none is refused for.
    mutating func close(_ index: Int, _ refusal: Refusal, for call: Int? = nil) {
        guard connections[index].phase != .closing, connections[index].phase != .gone else { return }
        let call = call ?? self.call(of: index)
        detach(index, isHeard: true)
        if refusal.code != .left, refusal.code != .goingAway { effects.append(.log(.refused(name(index), refusal))) }
        let needs = needs(of: call)
        let waits = needs > 0 && refusal.code != .store && call.map { refusesChanges($0) } == false
        var bytes: [UInt8] = []
        ServerFrame.closed(needs > 0 && !waits ? unkept(refusal, on: index) : refusal).encode(into: &bytes)
        if let call, waits {
            hold(.leading(.bytes(bytes)), needs: needs, of: call, on: index)
        } else {
            // Without a store that works nothing of what waits will be kept in time.
            if needs > 0 { connections[index].output.dropHeld() }
            connections[index].output.lead { $0 += bytes }
        }
        hasOutput(index)
        connections[index].phase = .closing
        cutLater(index)
    }

    /// A closing connection has so long to take its last bytes; when half of that is over, what is not kept is not
    /// waited for any longer.
    mutating func cutLater(_ index: Int) {
        connections[index].cutAt = now.monotonic + configuration.closeTimeout
        let isHolding = !connections[index].output.held.isEmpty
        wake(index, at: isHolding ? now.monotonic + keptPatience : connections[index].cutAt)
    }

    /// How long a goodbye waits for the store, in ms.
    var keptPatience: UInt64 { configuration.closeTimeout / 2 }

    /// Ends a connection at once, without a word.
    mutating func cut(_ index: Int) {
        guard connections[index].phase != .gone else { return }
        detach(index, isHeard: false)
        connections[index].phase = .gone
        connections[index].output = Output()
        effects.append(.close(name(index)))
    }
}

extension ClientFrame {
    /// The frame's name, for people.
    var name: String {
        switch self {
        case .hello: "Hello"
        case .join: "Join"
        case .command: "Command"
        case .speaking: "Speaking"
        case .pong: "Pong"
        case .resync: "Resync"
        case .leave: "Leave"
        case .authenticate: "Authenticate"
        case .peek: "Peek"
        case .list: "List"
        case .inspect: "Inspect"
        case .attendance: "Attendance"
        }
    }
}
