import Rollcall
import RollcallCalls
import TestSupport

/// How a member's link goes.
enum Loss: CaseIterable, Sendable {
    /// Its connection is closed, as by a process that dies.
    case closed
    /// Nothing arrives any more, and nobody is told.
    case silent
}

extension Stage {
    /// A relay that notices a silent link soon and waits for nobody for long.
    static let impatient = ["--grace", "2s", "--ping-interval", "1s", "--dead-after", "6s"]

    /// A relay that notices a silent link soon and waits long enough for whoever comes back.
    static let forgiving = ["--grace", "20s", "--ping-interval", "1s", "--dead-after", "6s"]

    /// A bridge that brings people in, and does not come back when its link is lost.
    func bridge(over network: FaultProxy) async throws -> Call {
        var options = ClientOptions()
        options.reconnect = .never
        return try await RollcallClient(network.address, options: options)
            .observe(Stage.call, as: Identity(uid: "bridge", device: "bridge"))
    }

    /// Somebody has become the dominant speaker, as the relay elects it, and everybody who is named has heard of it.
    func speak(_ uid: String, through server: Call, heardBy members: [Member]) async throws {
        server.speaking(true, for: uid)
        for member in members {
            try await member.recorder.until("\(uid) is dominant") { $0.last?.view.dominant == uid }
        }
    }
}

extension Member {
    /// The link goes, and nothing lets this member in again until ``reconnect()``.
    func lose(_ loss: Loss = .closed) async {
        switch loss {
        case .closed:
            await network?.admit(.refuse)
            await network?.cut()
        case .silent:
            await network?.admit(.swallow)
            await network?.swallow()
        }
    }

    /// The member learns at the latest now that its link is lost, and tries in vain.
    func noticeLoss() async throws {
        await lose(.closed)
        try await untilLost()
    }

    /// All that the relay has done until now shows in this member's session; for calls that let no marker in.
    func catchUp() async throws {
        try await perform(.setAttribute("caught-up", Array(view.place.utf8)))
    }

    /// The network works again, for new connections.
    func reconnect() async {
        await network?.admit(.pass)
        await network?.cut()
    }
}

extension Recorder {
    /// What was heard about a person, but for what sums it up.
    func story(of uid: String) -> [Heard] { heard(about: uid).filter { $0 != .status(uid) } }

    /// The story without the links that were lost and made again: an app that is slower than a short grace hears the
    /// sum.
    func summary(of uid: String) -> [Heard] {
        story(of: uid).filter { $0 != .reconnecting(uid) && $0 != .reconnected(uid) }
    }

    /// What was heard of these things, in order.
    func order(of things: [Heard]) -> [Heard] { heard.filter(things.contains) }

    /// The last time that something was heard.
    func last(_ heard: Heard) -> Hearing? { hearings.last { $0.heard == heard } }
}
