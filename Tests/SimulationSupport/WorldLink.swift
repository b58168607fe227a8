import CallState
import RelayCore
import Rollcall
import RollcallProtocol

/// One connection between a client and the relay: the bytes on their way, and which end knows what.
package struct WorldLink {
    /// Bytes on their way.
    package internal(set) var toRelay: [UInt8] = []
    /// Bytes on their way.
    package internal(set) var toClient: [UInt8] = []
    /// The client has closed it; the relay learns it after what was sent.
    package internal(set) var isClosedByClient = false
    /// The relay has closed it; the client learns it after what was sent.
    package internal(set) var isClosedByRelay = false
    /// The network has failed: nothing arrives any more, and each end learns that by itself.
    package internal(set) var isCut = false
    /// The relay's name for it; nil before the relay has accepted it.
    var connection: ConnectionID?
    var splitter = FrameSplitter(maximumFrameLength: 65_536, expectsPreface: true)

    /// Whether the relay has something to learn from it.
    package var isReadyForRelay: Bool {
        !isClosedByRelay && (!toRelay.isEmpty || connection != nil && (isCut || isClosedByClient))
    }

    /// Whether the client has something to learn from it.
    package var isReadyForClient: Bool {
        !isClosedByClient && (!toClient.isEmpty || isCut || isClosedByRelay)
    }

    /// The length of the next frame to the relay; of what a client sends in one write with the connection, all of it.
    package var nextFrameToRelay: Int {
        guard connection == nil else { return Self.length(of: toRelay, after: 0) }
        let hello = Self.length(of: toRelay, after: FrameSplitter.preface.count)
        return Self.length(of: toRelay, after: hello)
    }

    /// The length of the next frame to the client.
    package var nextFrameToClient: Int { Self.length(of: toClient, after: 0) }

    /// Whether the next frame to the client is a Delta, and the client has a copy for it.
    package var isNextADelta: Bool {
        guard !toClient.isEmpty else { return false }
        let frame = Array(toClient[4..<nextFrameToClient])
        if case .delta? = try? ServerFrame.decode(frame.span) { return true }
        return false
    }

    private static func length(of bytes: [UInt8], after start: Int) -> Int {
        let body = bytes.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        return start + 4 + body
    }
}

extension CallWorld {
    /// A link by its name.
    package internal(set) subscript(link: LinkID) -> WorldLink {
        get { clients[link.client].links[link.number] }
        set { clients[link.client].links[link.number] = newValue }
    }

    /// All links that one of the ends still has something to learn from.
    package var links: [LinkID] {
        clients.indices.flatMap { client in
            clients[client].links.indices.map { LinkID(client: client, number: $0) }
        }.filter { self[$0].isReadyForClient || self[$0].isReadyForRelay }
    }

    /// The network of a link fails: what is on its way is lost.
    ///
    /// The ends learn it when it is delivered to them.
    package mutating func fail(_ link: LinkID) {
        self[link].isCut = true
        self[link].toRelay = []
        self[link].toClient = []
    }

    /// The next frame to the client is lost.
    package mutating func loseFrame(_ link: LinkID) {
        self[link].toClient.removeFirst(self[link].nextFrameToClient)
    }

    /// Cuts the link of a client, and both sides see it at once.
    package mutating func cut(_ client: Int) {
        guard let link = link(of: client) else { return }
        fail(link)
        deliverToRelay(link)
        deliverToClient(link)
    }

    /// Bytes reach the relay, or the news that no more will come; `count` nil is all bytes that there are.
    package mutating func deliverToRelay(_ link: LinkID, bytes count: Int? = nil) {
        guard self[link].isReadyForRelay else { return }
        if self[link].toRelay.isEmpty {
            guard let connection = self[link].connection else { return }
            accepted[connection] = nil
            self[link].isClosedByRelay = true
            return apply(.closed(connection))
        }
        let bytes = Array(self[link].toRelay.prefix(count ?? .max))
        self[link].toRelay.removeFirst(bytes.count)
        let connection = accept(link)
        let (frames, failure) = self[link].splitter.read(bytes.span, ClientFrame.decode)
        for frame in frames {
            if case .resync = frame { clients[link.client].resyncs += 1 }
            if case .command(let command) = frame, isOverLimit(command, on: link) { continue }
            apply(.received(connection, frame))
        }
        if let failure { apply(.malformed(connection, failure)) } else if frames.isEmpty { apply(.heard(connection)) }
    }

    /// Refuses a command for its number alone, as a limit would, in its turn among the answers.
    private mutating func isOverLimit(_ command: Command, on link: LinkID) -> Bool {
        guard overLimit[link.client, default: []].contains(command.op) else { return false }
        // What was answered before it goes out before it.
        endTurn()
        ServerFrame.ack(Ack(op: command.op, code: .rate, position: .zero, text: "too many commands"))
            .encode(into: &self[link].toClient)
        return true
    }

    /// The relay gets to know a link with its first bytes.
    private mutating func accept(_ link: LinkID) -> ConnectionID {
        if let connection = self[link].connection { return connection }
        let connection = ConnectionID(index: acceptedCount, generation: 1)
        acceptedCount += 1
        self[link].connection = connection
        accepted[connection] = link
        apply(.opened(connection, Peer(isTrusted: true)))
        return connection
    }

    /// Bytes reach a client, or the news that no more will come; `count` nil is all bytes that there are.
    package mutating func deliverToClient(_ link: LinkID, bytes count: Int? = nil) {
        guard self[link].isReadyForClient else { return }
        if self[link].toClient.isEmpty {
            self[link].isClosedByClient = true
            let cause = RollcallError(code: .linkLost, message: "the link is gone")
            return act(link.client) { core, now, effects in core.linkLost(cause, at: now, into: &effects) }
        }
        let bytes = Array(self[link].toClient.prefix(count ?? .max))
        self[link].toClient.removeFirst(bytes.count)
        act(link.client) { core, now, effects in core.received(bytes.span, at: now, into: &effects) }
    }
}
