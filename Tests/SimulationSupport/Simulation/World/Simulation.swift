import CallState
import RelayCore
import RollcallProtocol

/// One relay and many clients in a world of faults: a value that one seed decides wholly.
///
/// Nothing moves by itself: a run is a list of ``Step``s, and everything else that is open is drawn from the seed.
/// After every step the invariants are looked at; the first one that is broken ends the run.
package struct Simulation {
    /// What decides the run.
    package let seed: UInt64
    let settings: SimulationSettings
    let table: StepTable
    /// The running step.
    package internal(set) var stepNumber = 0
    /// What the running step draws from.
    var draw = Draw(0)
    var trace: Trace
    /// What happened so far.
    package internal(set) var coverage = Coverage()
    /// The first broken invariant.
    package internal(set) var violation: Violation?

    // Time.

    /// ms; never goes back.
    var clock: UInt64 = 1_000_000
    /// The wall clock is ``clock`` plus this.
    var wallOffset: UInt64 = 1_700_000_000_000
    /// The relay's clock that never goes back is ``clock`` less this.
    var relayEpoch: UInt64 = 900_000
    /// How long relays have stood still, in ms.
    var standstill: UInt64 = 0
    /// When the relay ran last.
    var relayRanAt: UInt64 = 0

    // The relay.

    var relay: RelayCore
    var isRelayUp = true
    /// Counts relays.
    var relayRun = 0
    /// The relay dies after so many more effects.
    var fuse: Int?
    /// When a relay that is down is started, in the world's time; `.max` is when a step says so.
    var restartAt: UInt64 = .max
    /// Whether the last relay stopped by plan.
    var isCleanStop = false
    /// Whether the relay was asked to stop.
    var isStopping = false
    var store = SimulatedStore()
    /// When the store last said that it can't.
    var storeFailedAt: UInt64 = 0
    /// Whether a turn of the relay is running.
    var isInTurn = false
    /// Inputs that follow from effects.
    var inputs: [Input] = []
    var effectBuffers: [[Effect]] = []
    var written: [UInt8] = []
    /// The links by the index of the relay's name for them.
    var linkOfConnection: [Int?] = []
    var generations: [UInt32] = []
    var freeConnections: [Int] = []
    /// What it was at each position.
    var truth = Truth()
    /// What is watched of each session, in the order of the settings.
    var watches: [CallWatch]

    // The network.

    var links: [Link] = []
    /// The links that are not done, oldest first.
    var active: [Int] = []

    // The others.

    var seats: [Seat]
    var strangers: [Stranger]
    var attackers: [Attacker]
    /// The join that the relay accepted last.
    var lastJoined: (connection: ConnectionID, outcome: Outcome)?
    /// Secrets that the relay has given, and whose.
    var secrets: [GivenSecret] = []
    /// Frames that were sent by honest clients, for attackers to break.
    var samples: [[UInt8]] = []

    /// A world at its begin.
    ///
    /// - Parameter isRecorded: Whether ``tail`` is wanted.
    package init(seed: UInt64, isRecorded: Bool = false) {
        self.seed = seed
        settings = SimulationSettings(seed: seed)
        table = StepTable(settings.weights, seed: seed)
        trace = Trace(isRecorded: isRecorded)
        relay = RelayCore(configuration: settings.relay, random: Draw(seed ^ 1))
        watches = settings.sessions.map { CallWatch(session: $0) }
        var draw = Draw(seed ^ 2)
        var seats = settings.seats.map { Seat($0, offset: draw.below(1_000_000 as UInt64)) }
        for (index, seat) in settings.seats.enumerated() {
            let same = settings.seats.count {
                $0.uid == seat.uid && $0.device == seat.device && $0.session == seat.session
            }
            seats[index].isTwin = same > 1
        }
        self.seats = seats
        strangers = (0..<settings.strangers).map { Stranger(number: $0) }
        attackers = (0..<settings.attackers).map { _ in Attacker() }
    }

    /// A hash over everything that happened.
    package var traceHash: UInt64 { trace.hash }

    /// The last lines of what happened, oldest first.
    package var tail: [String] { trace.tail }

    /// Notes a broken invariant; the first one counts.
    mutating func fail(_ invariant: Invariant, _ text: String) {
        guard violation == nil else { return }
        violation = Violation(invariant: invariant, step: stepNumber, text: text)
        if trace.isRecorded { trace.note("VIOLATION \(invariant.rawValue): \(text)") }
    }

    /// Somebody with a copy.
    enum Who {
        case seat(Int)
        case stranger(Int)
    }

    func name(of who: Who) -> String {
        switch who {
        case .seat(let seat): "\(seats[seat].plan.uid)/\(seats[seat].plan.device) (seat \(seat))"
        case .stranger(let stranger): "\(strangers[stranger].uid)/\(strangers[stranger].device) (stranger \(stranger))"
        }
    }

    func isObserver(_ who: Who) -> Bool {
        switch who {
        case .seat(let seat): seats[seat].plan.mode == .observer
        case .stranger(let stranger): strangers[stranger].copy.joined?.outcome == .observer
        }
    }

    func name(_ seat: Int) -> String { name(of: .seat(seat)) }

    mutating func mark(_ mark: Coverage.Mark) { coverage.note(mark) }

    // MARK: Clocks

    /// The time as the relay sees it.
    var relayNow: Now { Now(monotonic: clock - relayEpoch, wall: wallOffset + clock) }
}
