import CallState
import Randomness
import Rollcall
import RollcallCalls
import RollcallProtocol
import TraceReplay
import Traces

/// Plays a recorded meeting into a relay while apps come, act and go, and holds what they show against each other.
///
/// One app is there from the start; another joins over TCP, a third registers its listeners only when its join is done,
/// a fourth is a further device of the first person and has a busy queue at times. At random moments a link is cut, or
/// somebody taps a button.
actor Meeting {
    let plan: TracePlan
    private let unix: RollcallClient
    private let tcp: RollcallClient
    private let session: String
    let ledger = Ledger()
    var random: SplitMix64
    private(set) var clients: [AppClient] = []
    /// How often something happened, so that a test can see that it did.
    private(set) var tally: [String: Int] = [:]

    /// A meeting in a session of its own.
    init(_ plan: TracePlan, unix: Address, tcp: Address, seed: UInt64) {
        self.plan = plan
        self.unix = RollcallClient(unix)
        self.tcp = RollcallClient(tcp)
        random = SplitMix64(seed: seed)
        session = "meeting-\(seed)"
    }

    /// Plays all of it; gives every difference, and what was compared.
    func run() async throws -> (differences: [String], counts: Ledger.Counts) {
        try await join(Newcomer(name: "early"))
        let player = try await player()
        var newcomers = Newcomer.all.map { (step: random.below(plan.steps.count + 1), newcomer: $0) }
        newcomers.sort { $0.step < $1.step }
        var next = 0
        while next < plan.steps.count {
            while let first = newcomers.first, first.step <= next {
                newcomers.removeFirst()
                try await join(first.newcomer)
            }
            await disturb()
            // Mostly one step in a commit; some commits change a lot.
            let steps = plan.steps[next..<min(next + (random.oneIn(8) ? 2 + random.below(6) : 1), plan.steps.count)]
            _ = try await player.play(steps)
            next = steps.endIndex
            count("step", by: steps.count)
        }
        for (_, newcomer) in newcomers { try await join(newcomer) }
        try await settle(player.call)
        for client in clients.reversed() { try await client.leave() }
        await player.call.leave()
        return ledger.judge()
    }

    /// Who makes the meeting happen; the relay's copy goes to the ledger as it comes.
    private func player() async throws -> TracePlayer {
        var options = ClientOptions()
        options.onFrame = { [ledger] trace in
            if trace.before.position != trace.after.position { ledger.note(trace.after) }
        }
        let player = try await TracePlayer(RollcallClient(unix.address, options: options), session: session)
        ledger.note(player.call.state.confirmed)
        return player
    }

    private struct Newcomer {
        var name: String
        /// nil is the name.
        var uid: String?
        var isOverTCP = false
        var listensLate = false

        static let all = [
            Newcomer(name: "over-tcp-1", isOverTCP: true), Newcomer(name: "late-2", listensLate: true),
            Newcomer(name: AppClient.busy, uid: "early"),
        ]
    }

    private func join(_ newcomer: Newcomer) async throws {
        var settings = SessionSettings()
        settings.startAudioMuted = random.oneIn(2)
        settings.startVideoPaused = random.oneIn(2)
        settings.idleTimeoutPeriod = 0
        let client = AppClient(newcomer.name, uid: newcomer.uid, ledger: ledger)
        try await client.join(
            newcomer.isOverTCP ? tcp : unix,
            session,
            settings: settings,
            listensLate: newcomer.listensLate
        )
        clients.append(client)
        count("join")
    }

    /// Waits until everybody has been told everything.
    private func settle(_ player: Call) async throws {
        for client in clients {
            client.isStalled = false
            // What was tapped before is answered by then; whose link was cut is back by then.
            try await client.session.perform(.setDisplayName("\(client.name) at the end"))
        }
        // Something that everybody is told of, after all else.
        let end = try await player.perform([Setting(target: Target(uid: "early"), .name("the end"))])
        for client in clients { try await client.reach(end) }
    }

    func count(_ what: String, by number: Int = 1) { tally[what, default: 0] += number }
}
