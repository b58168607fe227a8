import CallState
import RollcallProtocol

/// The relay's rules as a value: inputs in, effects out; time and randomness are parameters.
///
/// Contract:
/// 1. Deterministic: equal state, equal input, equal time give equal effects in equal order.
/// 2. Total: every input is legal at any time; an impossible one is ignored or refused, never a trap.
/// 3. Every change of a call's state raises its position by exactly one.
/// 4. Effects describe what is already so.
/// 5. The work is proportional to the parties touched, never to all calls.
/// 6. Time never goes back: an earlier `now` counts as the latest one seen.
///
/// The owner's loop: `beginTurn`, `apply` for each input of a turn, then `endTurn`, then `takeOutput` for every
/// connection that `nextOutput` names, again while `isOutputWaiting`, then sleep until `nextDeadline`.
public struct RelayCore {
    /// What was set.
    let configuration: RelayConfiguration
    /// Which loop of the relay these rules are for.
    let place: LoopPlace
    /// Counts for all loops; nil for the only one.
    let census: (any Census)?
    /// The encoded answer to Hello, which is the same for all.
    private(set) var welcome: [UInt8] = []
    /// Draws secrets, names of meetings and jitter.
    var random: any RandomNumberGenerator
    /// The time of the running input; the monotonic one never goes back.
    var now = Now(monotonic: 0, wall: 0)
    /// What the running input makes the shell do.
    var effects: [Effect] = []
    var deadlines = Deadlines()

    /// By the index of their names.
    var connections: [Connection] = []
    /// How many of them live.
    var connectionCount = 0
    /// By the index of their names; nil is a free place.
    var calls: [Call?] = []
    /// How often each place in ``calls`` was given up: the name of a call that was freed has another number.
    ///
    /// Apart from the calls, so that looking at a name touches no call.
    var callGenerations: [UInt32] = []
    var freeCalls: [Int] = []
    var callBySession: [ByteString: Int] = [:]
    /// The sessions of all calls, in order.
    var sessions: [ByteString] = []
    /// Who was in which meeting.
    var attendanceLog: AttendanceLog
    var lastIncarnation: UInt64 = 0
    var lastAttachment: UInt64 = 0

    /// Calls of which the store does not have everything.
    var unkeptCalls = 0
    /// Sessions of which the log was told that the store does not give them, and not yet that it does.
    var troubledClaims: Set<ByteString> = []
    /// The calls to claim at the start.
    var expected = ExpectedCalls()
    /// How many more joins may come in.
    var joinGate = JoinGate()

    /// What the turn has touched.
    var turn = TurnLists()
    /// Connections whose output the shell is to take.
    var outputs = OutputList()
    /// Counts turns; only whether two are the same matters.
    var turnNumber: UInt32 = 0
    /// ms during which the relay did not run: the clock of silence stands while it does not read.
    var standstill: UInt64 = 0
    /// In the first turn after a standstill, when that began, on the monotonic clock.
    var stoodStillSince: UInt64?
    /// The planned stop; nil while the relay goes on.
    var stop: Stop?

    /// Reused from turn to turn.
    var scratch: [UInt8] = []
    /// Empty ones, so that who answers often takes no memory for it, and who idles has none.
    var spareBuffers: [[UInt8]] = []
    var attendanceChanges: [AttendanceChange] = []
    var changedSlots: [Slot] = []

    /// Connections that go to another loop as soon as everything is said to them.
    var departing: [ConnectionID] = []
    /// Questions of connections that other loops were asked, by their numbers.
    var gatherings: [UInt64: Gathering] = [:]
    var lastQuestion: UInt64 = 0

    /// What a turn has touched, in the order in which it did.
    struct TurnLists {
        /// Connections with output of their own.
        var outputs: [Int] = []
        /// Readers of calls that have something to tell; who has output of its own may be among them.
        var told: [Int] = []
        /// Calls of which something else is shown.
        var changed: [CallID] = []
        /// Calls with something that the store must have.
        var unkept: [CallID] = []
        /// Calls whose election must be evaluated.
        var electing: [CallID] = []
        /// Calls that may be free.
        var emptied: [CallID] = []
        /// Whether a snapshot of more than one part was made.
        var hasLongSnapshot = false
    }

    /// A planned stop.
    struct Stop {
        /// When clients shall come back, in ms.
        var resumeAfter: UInt64
        /// When the relay stops waiting for them.
        var ends: UInt64
        /// Whether a turn has ended since, so that everybody's last word was handed over.
        var isTold = false
        /// Whether the shell was told that all is done.
        var isDone = false
    }

    /// Rules with `configuration`, drawing secrets and jitter from `random`.
    ///
    /// - Parameters:
    ///   - place: Which of a relay's loops they are for.
    ///   - census: Counts for all loops, where there are several.
    public init(
        configuration: RelayConfiguration,
        random: any RandomNumberGenerator,
        place: LoopPlace = .alone,
        census: (any Census)? = nil
    ) {
        self.configuration = configuration
        self.random = random
        self.place = place
        self.census = census
        attendanceLog = AttendanceLog(limits: configuration.attendance)
        ServerFrame.welcome(configuration.welcome).encode(into: &welcome)
    }

    /// A turn of the owner's loop begins: only for counting in how many a connection was told something.
    public mutating func beginTurn() { turnNumber &+= 1 }

    /// Takes one input of the running turn.
    public mutating func apply(_ input: Input, at now: Now, into effects: inout [Effect]) {
        observe(now)
        swap(&self.effects, &effects)
        defer { swap(&self.effects, &effects) }
        switch input {
        case .opened(let connection, let peer): opened(connection, peer)
        case .heard(let connection):
            guard let index = index(of: connection) else { return }
            connections[index].heardAt = self.now.monotonic - standstill
        case .received(let connection, let frame):
            guard let index = index(of: connection) else { return }
            countFrame(frame, on: index)
            received(frame, on: index)
        case .malformed(let connection, let error):
            guard let index = index(of: connection) else { return }
            malformed(error, on: index)
        case .closed(let connection):
            guard let index = index(of: connection) else { return }
            closed(index)
        case .drained(let connection):
            guard let index = index(of: connection) else { return }
            drained(index)
        case .progress(let connection, let unsent):
            guard let index = index(of: connection) else { return }
            progress(index, unsent: unsent)
        case .store(let answer): answered(answer)
        case .tick: break
        case .loop(let input): take(input)
        case .stopping(let resumeAfter): stopping(resumeAfter)
        }
    }

    /// Ends the turn: elects dominant speakers, fires what is due, and encodes what changed once for all receivers;
    /// ``nextOutput()`` names the connections that have output then.
    public mutating func endTurn(at now: Now, into effects: inout [Effect]) {
        observe(now)
        swap(&self.effects, &effects)
        defer { swap(&self.effects, &effects) }
        giveUpOldSnapshots()
        evaluateElections()
        fireDeadlines()
        evaluateElections()
        encodeChanges()
        keepChanges()
        freeCallsThatEmptied()
        announceOutput()
        finishStop()
        stoodStillSince = nil
    }

    /// When `endTurn` must be called next even if nothing happens, on the monotonic clock; nil is never.
    public var nextDeadline: UInt64? { deadlines.first }

    /// A turn that comes so much later than it was due, in ms, means that the relay did not run.
    static let standstillThreshold: UInt64 = 500

    /// Takes the time; see contract 6.
    private mutating func observe(_ now: Now) {
        let last = self.now.monotonic
        self.now.monotonic = max(last, now.monotonic)
        self.now.wall = now.wall
        if lastIncarnation == 0, configuration.durability != .none {
            // Above what a relay before this one gave: what it gave last may not have been kept.
            lastIncarnation = now.wall
            lastAttachment = now.wall
        }
        if let due = deadlines.first, self.now.monotonic > max(due, last) {
            // All of it counts: what came meanwhile could not be read, and is read only after this turn.
            let late = self.now.monotonic - max(due, last)
            if late >= Self.standstillThreshold {
                standstill += self.now.monotonic - last
                stoodStillSince = stoodStillSince ?? last
            }
        }
    }

    // MARK: Tables

    /// The index of a connection that lives; nil for a stale name.
    func index(of connection: ConnectionID) -> Int? {
        let index = Int(connection.index)
        guard index < connections.count, connections[index].phase != .free,
            connections[index].generation == connection.generation
        else { return nil }
        return index
    }

    /// The name of the connection at `index`.
    func name(_ index: Int) -> ConnectionID {
        ConnectionID(index: UInt32(index), generation: connections[index].generation)
    }

    /// The index of a call that lives; nil for a stale name.
    func index(of call: CallID) -> Int? {
        callGenerations[call.index] == call.generation ? call.index : nil
    }

    /// The call that a connection attends or waits for.
    func call(of connection: Int) -> Int? {
        connections[connection].call.flatMap { index(of: $0) }
    }
}
