import RelayCore
import Rollcall
package import RollcallProtocol

/// A world in which each client has something to do, and everything may happen in any order.
///
/// Frames arrive whole and in order on each link, a greeting with its join; when the relay ends its turn, when an app
/// looks, and which link moves next are open. Time passes only for a client that waits for the next try.
package struct ScriptedWorld: Interleaved {
    /// Something that a client's app does, or that happens to its link, once the client is in the call.
    package enum Act: Hashable, Sendable {
        /// It joins; this alone does not wait for anything.
        case join
        /// It gives a command.
        case set(Setting)
        /// It asks for the whole state anew.
        case resync
        /// It leaves.
        case leave
        /// Its network fails.
        case cut
        /// A difference that is on its way to it is lost, as no network does; it need not come to that.
        case lose
    }

    /// One step.
    package enum Action: Hashable {
        /// The next act of a client's script.
        case act(Int, isCut: Bool)
        /// A frame or the end of a link reaches the relay.
        case toRelay(CallWorld.LinkID)
        /// The relay ends its turn.
        case turn
        /// A frame or the end of a link reaches the client.
        case toClient(CallWorld.LinkID)
        /// The app of a client looks.
        case look(Int)
        /// A client tries again to connect.
        case retry(Int)
    }

    /// When apps look.
    package enum Looks: Sendable {
        /// At every change, as soon as it is there.
        case atOnce
        /// At any time: what they see is then the sum of some changes.
        case anyTime
    }

    /// The world.
    package var world: CallWorld
    /// What each client has left to do.
    package private(set) var scripts: [Int: ArraySlice<Act>]
    private var lost: Set<Int> = []

    /// Goes on from `world`, which is at rest.
    package init(_ world: CallWorld, looks: Looks = .atOnce, _ scripts: [Int: [Act]]) {
        self.world = world
        self.world.looksAtOnce = looks == .atOnce
        self.scripts = scripts.mapValues { $0[...] }
    }

    package var enabled: [Action] {
        // What reaches a client that has nothing left to do meets nothing else that can happen: one order stands for
        // all.
        if world.looksAtOnce,
            let link = world.links.first(where: { world[$0].isReadyForClient && scripts[$0.client]?.isEmpty != false })
        {
            return [.toClient(link)]
        }
        var actions: [Action] = []
        for client in world.clients.indices {
            if let act = scripts[client]?.first, canDo(act, client) { actions.append(.act(client, isCut: act == .cut)) }
            if isWaiting(client) { actions.append(.retry(client)) }
            let state = world.clients[client]
            if state.app.hasNews, state.core.isComplete { actions.append(.look(client)) }
        }
        for link in world.links {
            if world[link].isReadyForRelay { actions.append(.toRelay(link)) }
            if world[link].isReadyForClient { actions.append(.toClient(link)) }
        }
        if world.isRelayBusy { actions.append(.turn) }
        return actions
    }

    private func canDo(_ act: Act, _ client: Int) -> Bool {
        let state = world.clients[client]
        return switch act {
        case .join: true
        case .set, .resync, .leave: state.core.isComplete && state.closeReason == nil
        case .cut: state.core.isComplete && world.link(of: client) != nil
        case .lose: state.core.isComplete && world.link(of: client).map { world[$0].isNextADelta } == true
        }
    }

    private func isWaiting(_ client: Int) -> Bool {
        let state = world.clients[client]
        return world.link(of: client) == nil && !state.links.isEmpty && state.core.nextDeadline != nil
    }

    package mutating func perform(_ action: Action) {
        switch action {
        case .act(let client, _): act(client)
        case .toRelay(let link): world.deliverToRelay(link, bytes: world[link].nextFrameToRelay)
        case .toClient(let link): world.deliverToClient(link, bytes: world[link].nextFrameToClient)
        case .turn: world.endTurn()
        case .look(let client): world.look(client)
        case .retry(let client):
            let deadline = world.clients[client].core.nextDeadline ?? 0
            world.act(client) { core, now, effects in core.tick(at: max(now, deadline), into: &effects) }
        }
    }

    private mutating func act(_ client: Int) {
        switch scripts[client]?.popFirst() {
        case .join: world.start(client)
        case .set(let setting): world.command(client, [setting])
        case .resync: world.resync(client)
        case .leave: world.leave(client)
        case .cut: if let link = world.link(of: client) { world.fail(link) }
        case .lose:
            guard let link = world.link(of: client) else { return }
            world.loseFrame(link)
            lost.insert(client)
        case nil: return
        }
    }

    /// Whether something was lost on the way to a client.
    package func hasLost(_ client: Int) -> Bool { lost.contains(client) }

    /// Steps meet when they touch the same client, or both the relay.
    package static func areIndependent(_ one: Action, _ other: Action) -> Bool {
        if let client = one.client, client == other.client { return false }
        return !(one.touchesRelay && other.touchesRelay)
    }
}

extension ScriptedWorld.Action {
    /// The client whose rules or app it touches.
    ///
    /// A frame that reaches the relay touches nobody's: it leaves at the head of a link, and what clients send comes to
    /// its end.
    fileprivate var client: Int? {
        switch self {
        case .act(let client, _), .look(let client), .retry(let client): client
        case .toClient(let link): link.client
        case .toRelay, .turn: nil
        }
    }

    /// Whether it touches the relay.
    fileprivate var touchesRelay: Bool {
        switch self {
        case .act(_, let isCut): isCut
        case .toRelay, .turn: true
        case .look, .toClient, .retry: false
        }
    }
}

extension ScriptedWorld.Action: CustomStringConvertible {
    package var description: String {
        switch self {
        case .act(let client, _): "\(client) acts"
        case .toRelay(let link): "\(link.client).\(link.number) > relay"
        case .turn: "turn"
        case .toClient(let link): "relay > \(link.client).\(link.number)"
        case .look(let client): "\(client) looks"
        case .retry(let client): "\(client) retries"
        }
    }
}
