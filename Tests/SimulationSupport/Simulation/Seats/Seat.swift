import CallState
import Rollcall
import RollcallProtocol

/// Somebody honest, who takes part again and again: a device, and the program that runs on it.
struct Seat {
    /// What is put back when the program is rewound.
    struct Saved {
        var core: ClientCore
        var app: SeatApp
        var instance: [UInt8]
        var reached: Position
        var clock: UInt64
    }

    /// A command that waits for its answer.
    struct Asked {
        var stamp: UInt64
        /// Whether the program was rewound after it was given: its op id may stand for another command.
        var isRewound = false
        /// Whether the relay was given its stamp: while a command waits to be sent, a later one takes it over.
        var isSent = false
    }

    let plan: SimulationSettings.Seat
    /// What runs; nil while nothing does.
    var core: ClientCore?
    var app = SeatApp()
    var link: Int?
    /// Its clock is the world's and this.
    let offset: UInt64
    var instance: [UInt8] = []
    /// Joins of the device so far, as its programs count them.
    var attempt: UInt64 = 0
    /// Programs that ran.
    var programs: UInt64 = 0
    /// Commands that were given.
    var tokens: UInt64 = 0
    var asked: [CommandToken: Asked] = [:]
    /// A command that the relay has done: where, in which meeting, and for which person.
    struct Applied {
        var position: Position
        var meeting: ByteString
        var person: Slot
        /// Whether the relay that did it ended before it was kept, as far as is known: it may be done again.
        var mayBeLost = false
    }

    /// The commands of it that the relay has done, by stamp.
    var applied: [UInt64: Applied] = [:]
    /// The last command that was given before the program was put back: up to it one that was on its way then may be
    /// done, although the program does not know that it was sent, and sends it again as another one.
    var lastBeforeRewind: UInt64 = 0
    /// Where its copy is, as far as was looked at.
    var reached = Position.zero
    var reachedDigest: UInt64 = 0
    /// Whether the program is over.
    var isOver = false
    /// The incarnation that it resumed last.
    var resumed: UInt64 = 0
    var isLive = false
    var isSpeaking = false
    /// A frame was lost on the present link: it may ask for a snapshot.
    var hasLost = false
    var saved: [Saved] = []
    /// Whether somebody else has gone on with its incarnation.
    var isShared = false
    /// Whether another seat has the same device.
    var isTwin = false

    init(_ plan: SimulationSettings.Seat, offset: UInt64) {
        self.plan = plan
        self.offset = offset
    }

    func time(at clock: UInt64) -> UInt64 { clock + offset }

    /// Whether a program runs.
    var isRunning: Bool { core != nil && !isOver }

    /// The attribute in which its commands leave their stamps.
    var stampKey: ByteString { ByteString([0x23] + plan.device.bytes) }
}

/// What a command leaves in the state, so that it can be found there: a number that rises with each command of a seat.
struct Stamp: Equatable {
    var number: UInt64

    /// The stamp in a command; nil in one of somebody else.
    init?(of command: Command) {
        guard let setting = command.settings.last, setting.target == nil,
            case .attribute(let attribute)? = setting.change, attribute.key.bytes.first == 0x23,
            let value = attribute.value, let number = Stamp.number(of: value)
        else { return nil }
        self.number = number
    }

    /// The number in a value.
    static func number(of value: [UInt8]) -> UInt64? {
        guard value.count == 4 else { return nil }
        return value.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The value for a number.
    static func value(of number: UInt64) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt64($0))) }
    }
}

/// An app on top of a client: it is told what changed, and believes it.
struct SeatApp {
    private var seen: CallSnapshot?
    private var people: Set<String> = []
    /// By slot and identity: a slot that was given in a time which a restart has lost is given again.
    private var devices: Set<String> = []
    var hasNews = false

    /// Looks at what there is.
    ///
    /// Gives what is wrong with what it was told; nil is nothing.
    mutating func look(at snapshot: CallSnapshot) -> String? {
        hasNews = false
        if let seen, seen.position == snapshot.position, !seen.isAsking, !snapshot.isAsking { return nil }
        let events = CallUpdate.events(from: seen, to: snapshot)
        for event in events {
            if let problem = take(event) {
                let told = events.compactMap(\.comingOrGoing).joined(separator: ", ")
                return "\(problem), from \(seen?.position ?? .zero) to \(snapshot.position): \(told)"
            }
        }
        seen = snapshot
        if people.count != snapshot.peopleCount || devices.count != snapshot.confirmed.deviceCount {
            return "it was told of \(people.count) people with \(devices.count) devices, "
                + "and there are \(snapshot.peopleCount) with \(snapshot.confirmed.deviceCount)"
        }
        return nil
    }

    private mutating func take(_ event: CallUpdate.Event) -> String? {
        switch event {
        case .joined(let person):
            if !people.insert("\(person.slot) \(person.uid)").inserted { return "\(person.uid) joined twice" }
        case .left(let person, _):
            if people.remove("\(person.slot) \(person.uid)") == nil {
                return "\(person.uid) left without having joined"
            }
        case .deviceJoined(let person, let device):
            if !devices.insert("\(device.slot) \(person.uid) \(device.deviceID)").inserted {
                return "\(person.uid)/\(device.deviceID) joined twice"
            }
        case .deviceLeft(let person, let device, _):
            if devices.remove("\(device.slot) \(person.uid) \(device.deviceID)") == nil {
                return "\(person.uid)/\(device.deviceID) left without having joined"
            }
        case .audio(let person, _), .video(let person, _), .presenting(let person, _), .hand(let person, _),
            .name(let person, _), .avatar(let person, _), .role(let person, _), .audioLock(let person, _),
            .videoLock(let person, _), .unmuteRequest(let person, _), .attribute(let person, _, _),
            .reconnecting(let person, _):
            if !people.contains("\(person.slot) \(person.uid)") {
                return "something changed about \(person.uid), who is not there"
            }
        case .deviceChanged(let person, let device):
            if !devices.contains("\(device.slot) \(person.uid) \(device.deviceID)") {
                return "\(person.uid)/\(device.deviceID) changed and is not there"
            }
        default: break
        }
        return nil
    }
}

extension CallUpdate.Event {
    /// Who comes or goes, for people; nil for other events.
    fileprivate var comingOrGoing: String? {
        switch self {
        case .joined(let person): "\(person.slot) \(person.uid) joined"
        case .left(let person, _): "\(person.slot) \(person.uid) left"
        case .deviceJoined(let person, let device): "\(device.slot) \(person.uid)/\(device.deviceID) joined"
        case .deviceLeft(let person, let device, _): "\(device.slot) \(person.uid)/\(device.deviceID) left"
        default: nil
        }
    }
}
