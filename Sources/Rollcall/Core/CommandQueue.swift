import CallState
import RollcallProtocol

/// The commands that are not answered yet, in order, and what the client shows for them meanwhile.
struct CommandQueue: Sendable {
    /// One command.
    struct Pending: Sendable {
        /// What became of it so far.
        enum Stage: Hashable, Sendable {
            /// It has never left; later ones may still overwrite its settings.
            case waiting
            /// It is on the present connection.
            case sent
            /// It was on a connection that is lost, and goes out again unchanged.
            case interrupted
            /// The relay has done it; the copy has not reached that position yet.
            case done(Position)
            /// The device's facts went along with a join that began anew; the copy will tell whether they hold.
            case restated
        }

        var op: UInt64
        var settings: [Setting]
        /// Who waits for it: several when it took over the settings of others.
        var tokens: [CommandToken]
        var stage: Stage
    }

    private(set) var commands: [Pending] = []
    private var lastOp: UInt64 = 0

    /// The number of commands without an answer.
    var count: Int { commands.count }

    /// Adds a command.
    ///
    /// Of those that wait, settings that it overwrites fall away; one that has none left is joined with it.
    mutating func add(_ settings: [Setting], token: CommandToken) {
        var tokens: [CommandToken] = []
        let fields = Set(settings.compactMap(\.field))
        for index in commands.indices where commands[index].stage == .waiting {
            commands[index].settings.removeAll { $0.field.map(fields.contains) ?? false }
            if commands[index].settings.isEmpty { tokens += commands[index].tokens }
        }
        commands.removeAll { $0.stage == .waiting && $0.settings.isEmpty }
        tokens.append(token)
        commands.append(Pending(op: 0, settings: settings, tokens: tokens, stage: .waiting))
    }

    /// Forgets who waits for a command; one that has never left and has no one left to wait for it does not happen.
    mutating func cancel(_ token: CommandToken) {
        guard let index = commands.firstIndex(where: { $0.tokens.contains(token) }) else { return }
        commands[index].tokens.removeAll { $0 == token }
        if commands[index].stage == .waiting, commands[index].tokens.isEmpty { commands.remove(at: index) }
    }

    /// The next command to send when at most `window` may be on their way; it counts as sent then.
    mutating func next(window: Int) -> Command? {
        // Interrupted ones stand before waiting ones, so that op ids rise.
        guard let index = commands.firstIndex(where: { $0.stage == .interrupted || $0.stage == .waiting }) else {
            return nil
        }
        if commands.count(where: { $0.stage == .sent }) >= window { return nil }
        if commands[index].stage == .waiting {
            // Far below the end of numbers: a relay's word on the last one is bounded before it comes here.
            lastOp &+= 1
            commands[index].op = lastOp
        }
        commands[index].stage = .sent
        return Command(op: commands[index].op, settings: commands[index].settings)
    }

    /// The link is lost: whether what was sent has arrived is not known.
    mutating func linkLost() {
        for index in commands.indices where commands[index].stage == .sent { commands[index].stage = .interrupted }
    }

    /// Op ids go on above what the relay has answered.
    mutating func resumed(lastOp answered: UInt64) {
        lastOp = max(lastOp, answered)
    }

    /// The relay has done the command.
    mutating func done(op: UInt64, at position: Position) {
        guard let index = indexOfSent(op) else { return }
        commands[index].stage = .done(position)
    }

    /// The relay has refused the command; returns who waits for it.
    mutating func refused(op: UInt64) -> [CommandToken] {
        guard let index = indexOfSent(op) else { return [] }
        return commands.remove(at: index).tokens
    }

    /// The commands that are done and whose position the copy has reached.
    mutating func settle(at position: Position) -> [(CommandToken, Position)] {
        var finished: [(CommandToken, Position)] = []
        commands.removeAll { command in
            guard case .done(let reached) = command.stage, reached <= position else { return false }
            finished += command.tokens.map { ($0, reached) }
            return true
        }
        return finished
    }

    /// The incarnation is over.
    ///
    /// Device facts went along with the join; who waits for anything else is returned.
    mutating func expire(own: OwnIdentity) -> [CommandToken] {
        var lost: [CommandToken] = []
        for index in commands.indices.reversed() {
            if case .done = commands[index].stage { continue }
            if commands[index].settings.allSatisfy({ $0.isDeviceFact && own.isTarget(of: $0) }) {
                commands[index].stage = .restated
            } else {
                lost = commands.remove(at: index).tokens + lost
            }
        }
        return lost
    }

    /// The commands whose facts went along with a join, once the copy shows what became of them.
    mutating func takeRestated() -> [Pending] {
        let restated = commands.filter { $0.stage == .restated }
        if !restated.isEmpty { commands.removeAll { $0.stage == .restated } }
        return restated
    }

    /// Removes the commands that have not left, or all, and returns who waits for them.
    mutating func removeAll(onlyWaiting: Bool) -> [CommandToken] {
        let removed = commands.filter { !onlyWaiting || $0.stage == .waiting }
        commands.removeAll { !onlyWaiting || $0.stage == .waiting }
        return removed.flatMap(\.tokens)
    }

    /// The op id of the last command that has no answer yet, which the relay must answer before the client is where it
    /// was; 0 is none.
    var barrier: UInt64 {
        let waiting = commands.count { $0.stage == .waiting }
        if waiting > 0 { return lastOp &+ UInt64(waiting) }
        return commands.reduce(0) { $1.stage == .sent ? max($0, $1.op) : $0 }
    }

    /// Whether a command up to that op id has no answer yet.
    func isOutstanding(through op: UInt64) -> Bool {
        commands.contains { command in
            switch command.stage {
            case .sent, .interrupted: command.op <= op
            case .waiting: lastOp < op
            case .done, .restated: false
            }
        }
    }

    /// What the client shows over its copy.
    func overlay(own: OwnIdentity) -> Overlay {
        var overlay = Overlay()
        for command in commands {
            for setting in command.settings { overlay.add(setting, own: own) }
        }
        return overlay
    }

    private func indexOfSent(_ op: UInt64) -> Int? {
        commands.firstIndex { $0.stage == .sent && $0.op == op }
    }
}
