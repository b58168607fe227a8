import CallState
import Randomness
import Rollcall
import RollcallProtocol
import TraceReplay
import Traces

/// How a plan is played.
struct ReplayOptions: Sendable {
    /// The relay.
    var address: Address
    /// So many times as fast as it was; 0 is as fast as possible.
    var speed: Double = 0
    /// How many clients join at random moments.
    var lateJoiners = 0
    /// The seed of these moments.
    var seed: UInt64 = 0
    /// Whether every client is compared at every join, or only at the end.
    var comparesAtJoins = true
    /// Whether lags and snapshots are measured.
    var isMeasured = true
}

/// Plays one plan through real connections and compares what every client sees with the reference model.
///
/// Each event goes out after the one before was acknowledged, in real time too: only then the order of the events, and
/// with it what everybody must see, is certain.
///
/// Use it in this order: ``play(progress:)``, ``settle()``, ``leave()``.
actor ReplayRun {
    private let plan: TracePlan
    private let options: ReplayOptions
    private let door: ReplayDoor
    private var model: ReferenceModel
    private var report: ReplayReport
    private var clients: [TraceDevice: ReplayClient] = [:]
    private var lateJoiners: [LateJoiner]
    private var observers: [ReplayClient] = []
    private var bot: ReplayClient?
    private var random: SplitMix64
    /// The last position that was acknowledged.
    private var head = Position.zero
    private var line = 0
    private var start = ContinuousClock.now

    private static let maximumDifferences = 20

    /// A run of `plan` in a session of its own.
    init(_ plan: TracePlan, name: String, options: ReplayOptions) {
        self.plan = plan
        self.options = options
        let session =
            "load-\(name.filter { $0.isASCII }.suffix(80))-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        door = ReplayDoor(
            address: options.address,
            session: session,
            lags: LagBoard(),
            snapshots: SnapshotCounter(),
            isMeasured: options.isMeasured
        )
        model = ReferenceModel(electsDominantSpeaker: plan.electsDominantSpeaker)
        report = ReplayReport(name: name, session: session)
        report.skipped = plan.skippedLines
        report.skipped.merge(plan.skippedFacts, uniquingKeysWith: +)
        random = SplitMix64(seed: options.seed)
        lateJoiners = LateJoiner.drawn(options.lateJoiners, steps: plan.steps.count, random: &random)
    }

    /// The session id.
    nonisolated var session: String { door.session }

    /// What was found so far.
    var result: ReplayReport {
        var report = report
        report.worstLag = door.lags.worst
        report.snapshots = door.snapshots.sums
        return report
    }

    /// Plays every step.
    ///
    /// A step that fails ends the playing, since nothing after it can be judged; it is a difference.
    ///
    /// - Parameter progress: is called after each step.
    func play(progress: @Sendable () -> Void = {}) async throws {
        start = .now
        do {
            let bot = try await door.observe("load-bot")
            if plan.needsBot, !bot.call.rights.contains(.actForOthers) { throw ReplayFailure.missingRight }
            self.bot = bot
            for (index, step) in plan.steps.enumerated() {
                if report.differences.count >= Self.maximumDifferences { break }
                while let next = lateJoiners.first, next.step <= index {
                    lateJoiners.removeFirst()
                    try await joinLate(next)
                }
                line = step.line
                try await wait(for: step)
                try await play(step)
                progress()
            }
            while !lateJoiners.isEmpty { try await joinLate(lateJoiners.removeFirst()) }
        } catch let failure as ReplayFailure {
            throw failure
        } catch let error as RollcallError where bot == nil {
            // Not even the first connection: that is no fault of the trace.
            throw error
        } catch {
            differs("the replay", at: "this step", ["\(error)"])
        }
        report.duration = .now - start
    }

    /// Compares everybody at the end, and every digest with the relay's.
    ///
    /// An election may still run: it is asked again until everybody is at one position.
    func settle() async throws {
        if report.differences.count >= Self.maximumDifferences { return }
        let isSettled = try await poll(within: .seconds(20)) { () -> Bool? in
            let peek = try await door.peek()
            guard let peek else { return all.allSatisfy { $0.call.state.confirmed.peopleCount == 0 } ? true : nil }
            for client in all where !(try await client.reach(peek.position, within: .seconds(10))) { return nil }
            return all.allSatisfy { $0.call.position == peek.position } ? true : nil
        }
        if isSettled == nil {
            differs("the replay", at: "the end", ["not every client reached the relay's position in 20 s"] + positions)
        }
        try await compare(at: "the end")
        report.duration = .now - start
    }

    /// Ends all of its connections.
    func leave() async {
        let calls = all.map(\.call)
        clients = [:]
        observers = []
        bot = nil
        await withTaskGroup(of: Void.self) { group in
            for call in calls { group.addTask { await call.leave() } }
        }
    }

    /// Every client that is connected, the oldest kind first.
    private var all: [ReplayClient] {
        (bot.map { [$0] } ?? []) + observers + clients.values.sorted { $0.name < $1.name }
    }

    private var positions: [String] { all.map { "\($0.name) is at \($0.call.position)" } }

    // MARK: Steps

    private func wait(for step: PlanStep) async throws {
        guard options.speed > 0 else { return }
        let due = start + .milliseconds(Double(step.time) / options.speed)
        try await Task.sleep(until: due, clock: .continuous)
        report.worstDelay = max(report.worstDelay, .now - due)
    }

    private func play(_ step: PlanStep) async throws {
        report.events += 1
        let before = head
        switch step.action {
        case .join(let device, let facts):
            try await join(device, facts)
            report.joins += 1
        case .leave(let device, let reason):
            if reason == "session ended" { try await leaveGuests() }
            try await depart(device, reason: .left)
        case .lost(let device, _):
            try await lose(device)
        case .setSpeaking(let device, let speaking):
            try client(device).call.speaking(speaking)
            try model.apply(step.action)
        case .check(let check):
            guard check.agrees else {
                report.skipped["check that disagrees with the trace", default: 0] += 1
                return
            }
            try await hold(check)
        default:
            guard let command = step.action.command else { return }
            try await perform(command.setting, as: command.sender)
            try model.apply(step.action)
        }
        // The election makes commits of its own; without one, what must change nothing must not move the position.
        if step.isNoop, !plan.electsDominantSpeaker, head != before, step.action.command != nil {
            differs("the relay", at: "this step", ["a step that changes nothing made \(head) of \(before)"])
        }
    }

    private func perform(_ setting: Setting, as sender: CommandSender) async throws {
        let call: Call
        switch sender {
        case .device(let device): call = try client(device).call
        case .bot:
            guard let bot else { throw ReplayFailure.missingRight }
            call = bot.call
        }
        let sent = ContinuousClock.now
        let position = try await call.perform([setting])
        if position > head { door.lags.acknowledged(position, sentAt: sent) }
        head = max(head, position)
    }

    private func join(_ device: TraceDevice, _ facts: InitialFacts) async throws {
        let sent = ContinuousClock.now
        let joined = try await door.join(device, facts)
        let previous = clients.updateValue(joined, forKey: device)
        reached(joined.call.joined.position, sentAt: sent)
        try model.apply(.join(device, facts))
        if let previous {
            let isOver = try await poll(within: .seconds(10)) { previous.call.connection.isClosed ? true : nil }
            if isOver == nil { differs(previous.name, at: "this step", ["its connection outlived a takeover"]) }
        }
        if options.comparesAtJoins { try await compare(at: "a join") }
    }

    private func depart(_ device: TraceDevice, reason: LeaveReason) async throws {
        let sent = ContinuousClock.now
        let leaving = try client(device)
        clients[device] = nil
        await leaving.call.leave(reason: reason)
        try model.apply(.leave(device, reason: ""))
        try await waitUntilGone(device, sentAt: sent)
    }

    /// In real time the link is cut, and the relay finds that out; as fast as possible it is told.
    private func lose(_ device: TraceDevice) async throws {
        if options.speed == 0 { return try await depart(device, reason: .lost) }
        let sent = ContinuousClock.now
        let leaving = try client(device)
        clients[device] = nil
        leaving.call.cutLink()
        try model.apply(.lost(device, reason: ""))
        try await waitUntilGone(device, sentAt: sent)
    }

    /// Leaving is not acknowledged with a position: the bot, who sees all, shows when it has happened.
    private func waitUntilGone(_ device: TraceDevice, sentAt sent: ContinuousClock.Instant) async throws {
        guard let call = bot?.call else { return }
        let id = ByteString(device.device)
        let gone = try await poll(within: .seconds(20)) { () -> Position? in
            let state = call.state.confirmed
            guard let person = state.personSlot(uid: ByteString(device.uid)) else { return state.position }
            return state.deviceSlot(of: person, id: id) == nil ? state.position : nil
        }
        guard let gone else { throw SocketError("\(device) was still in the call 20 s after its link ended") }
        reached(gone, sentAt: sent)
    }

    private func reached(_ position: Position, sentAt sent: ContinuousClock.Instant) {
        if position > head { door.lags.acknowledged(position, sentAt: sent) }
        head = max(head, position)
    }

    private func client(_ device: TraceDevice) throws -> ReplayClient {
        guard let client = clients[device] else { throw SocketError("\(device) has no connection") }
        return client
    }

    // MARK: Late joiners

    private func joinLate(_ joiner: LateJoiner) async throws {
        report.lateJoins += 1
        if joiner.isObserver {
            observers.append(try await door.observe(joiner.device.uid))
        } else {
            model.guests.insert(joiner.device.uid)
            let sent = ContinuousClock.now
            let joined = try await door.join(joiner.device, joiner.facts)
            clients[joiner.device] = joined
            reached(joined.call.joined.position, sentAt: sent)
            try model.apply(.join(joiner.device, joiner.facts))
        }
        try await compare(at: "a late join")
    }

    /// When the session ends, everybody goes, the guests first: who stays would keep the meeting alive.
    private func leaveGuests() async throws {
        let guests = clients.keys.filter { model.guests.contains($0.uid) }.sorted { $0.uid < $1.uid }
        for guest in guests { try await depart(guest, reason: .left) }
    }

    // MARK: Comparing

    private func view(_ snapshot: CallSnapshot) -> ReferenceView {
        ReferenceView(snapshot, isElected: plan.electsDominantSpeaker)
    }

    /// Compares every client with the model, and with the relay's own state.
    private func compare(at moment: String) async throws {
        let expected = model.view
        let peek = try await door.peek()
        if let peek { judge("the relay", at: moment, view(peek), expected) }
        let target = max(head, peek?.position ?? .zero)
        for client in all {
            guard try await client.reach(target) else {
                differs(
                    client.name,
                    at: moment,
                    ["at \(client.call.position), did not reach \(target): \(client.state)"]
                )
                continue
            }
            let state = client.call.state
            judge(client.name, at: moment, view(state), expected)
            // A commit of an election may have come in between: digests are compared at one position only.
            if let peek, state.position == peek.position {
                report.digests += 1
                if state.digest != peek.digest {
                    differs(client.name, at: moment, ["another digest than the relay's at \(peek.position)"])
                }
            } else if peek == nil, state.digest != CallState().digest {
                differs(client.name, at: moment, ["another digest than that of an empty call"])
            }
        }
    }

    private func judge(_ who: String, at moment: String, _ view: ReferenceView, _ expected: ReferenceView) {
        report.comparisons += 1
        let lines = view.differences(from: expected)
        if !lines.isEmpty { differs(who, at: moment, lines) }
    }

    /// Holds a statement of the source's own server against every client.
    private func hold(_ check: TraceCheck) async throws {
        report.checks += 1
        for client in all {
            guard try await client.reach(head) else {
                differs(client.name, at: "a check", ["at \(client.call.position), did not reach \(head)"])
                continue
            }
            let lines = view(client.call.state).failures(of: check, guests: model.guests)
            if !lines.isEmpty { differs(client.name, at: "a check", lines) }
        }
    }

    private func differs(_ who: String, at moment: String, _ lines: [String]) {
        report.differences.append(
            ReplayDifference(file: report.name, line: line, who: who, moment: moment, lines: lines)
        )
    }
}

/// Why a replay can't be played at all.
enum ReplayFailure: Error, CustomStringConvertible {
    /// The plan needs a client that may act for others, and the relay gives nobody that right.
    case missingRight

    var description: String {
        "the trace states facts that need the right to act for others: connect over UNIX as the relay's user, "
            + "or run the relay with --open-admin"
    }
}

extension ReplayClient {
    /// How it is connected, for reports.
    var state: String {
        switch call.connection {
        case .joining: "joining"
        case .live: "live"
        case .reconnecting(_, let cause): "lost: \(cause)"
        case .closed(let reason): reason.error.map { "closed: \($0)" } ?? "closed"
        }
    }
}
