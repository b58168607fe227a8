import Options
import Rollcall
import ToolSupport
import Trials

/// The options of `rollcall-trial`, each stated once; what is left out is as the figures want it.
enum TrialOptions {
    static let clients = Option<Int?>.optional("clients", .count(2...10_000), "How many clients there are.")
    static let calls = Option<Int?>.optional("calls", .count(1...1_000), "How many calls they are in.")
    static let kills = Option<Int>.value("kills", .count(1...100_000), default: 200, "How often the relay is killed.")
    static let durability = Option<KeepingChoice>.value("durability", .choice, default: .sync, "What the store is for.")
    static let seed = Option<Int>.value(
        "seed",
        .count(0...Int.max),
        default: 1,
        "What moments and pauses are drawn from."
    )
    static let noGhosts = Option<Bool>.flag("no-ghosts", "Do not wait for the grace of the last start.")
    static let rate = Option<Int>.value(
        "rate",
        .count(8_000...1_000_000_000),
        default: 64_000,
        "Bits a second of the link."
    )
    static let changes = Option<Int?>.optional("changes", .count(1...1_000_000), "How many changes there are.")
    static let perSecond = Option<Int>.value("per-second", .count(1...100_000), default: 500, "Changes in a second.")
    static let floodPace = Option<Int>.value(
        "pace",
        .count(1...100),
        default: 50,
        "Changes in a second; the relay lets one client have 100 done."
    )
    static let patience = Option<Int>.value(
        "patience",
        .duration(1...600_000),
        default: 2_000,
        "How long after the last change the slow client may take to be equal."
    )
    static let relayAt = Option<Address?>.optional(
        "relay-at",
        Address.optionType,
        "Where the relay shall listen for the slow client, with --slow-at."
    )
    static let slowAt = Option<Address?>.optional(
        "slow-at",
        Address.optionType,
        "Where a client meets a link to --relay-at that is slow by itself."
    )
    static let people = Option<Int>.value(
        "people",
        .count(2...50_000),
        default: 2_000,
        "How many people are in the call."
    )
    static let away = Option<Int>.value(
        "away",
        .duration(0...3_600_000),
        default: 10_000,
        "How long the client is away."
    )

    static let program = Program(
        name: "rollcall-trial",
        summary: "Does to a relay of its own what machines and networks do, and judges what becomes of its clients.",
        version: ProductVersion.text,
        environmentPrefix: "ROLLCALL",
        commands: [
            Command(
                "kill",
                "Kill the relay again and again under load.",
                groups: [OptionGroup("Trial", [clients, calls, kills, durability, seed, noGhosts])]
            ),
            Command(
                "slow-link",
                "Put one client of many behind a slow link.",
                groups: [OptionGroup("Trial", [clients, rate, changes, perSecond, patience, relayAt, slowAt])]
            ),
            Command(
                "flood",
                "Let one client of many flood the relay over TCP.",
                groups: [OptionGroup("Trial", [clients, changes, floodPace])]
            ),
            Command(
                "restart",
                "Stop the relay by plan, and start it again.",
                groups: [OptionGroup("Trial", [clients, calls, durability])]
            ),
            Command(
                "resume",
                "Come back to a large call after a while.",
                groups: [OptionGroup("Trial", [people, changes, away])]
            ),
        ]
    )

    static func kill(_ settings: Settings) -> KillTrial {
        var trial = KillTrial()
        trial.clients = settings[clients] ?? trial.clients
        trial.calls = settings[calls] ?? trial.calls
        trial.kills = settings[kills]
        trial.durability = settings[durability].rawValue
        trial.seed = UInt64(settings[seed])
        trial.waitsForGhosts = !settings[noGhosts]
        return trial
    }

    static func slowLink(_ settings: Settings) -> SlowLinkTrial {
        var trial = SlowLinkTrial()
        trial.clients = settings[clients] ?? trial.clients
        trial.rate = settings[rate]
        trial.changes = settings[changes] ?? trial.changes
        trial.changesPerSecond = settings[perSecond]
        trial.patience = settings[patience]
        if let relay = settings[relayAt], let slow = settings[slowAt] { trial.network = (relay, slow) }
        return trial
    }

    static func flood(_ settings: Settings) -> FloodTrial {
        var trial = FloodTrial()
        trial.clients = settings[clients] ?? trial.clients
        trial.changes = settings[changes] ?? trial.changes
        trial.changesPerSecond = settings[floodPace]
        return trial
    }

    static func restart(_ settings: Settings) -> RestartTrial {
        var trial = RestartTrial()
        trial.clients = settings[clients] ?? trial.clients
        trial.calls = settings[calls] ?? trial.calls
        trial.durability = settings[durability].rawValue
        return trial
    }

    static func resume(_ settings: Settings) -> ResumeTrial {
        var trial = ResumeTrial()
        trial.people = settings[people]
        trial.changes = settings[changes] ?? trial.changes
        trial.away = settings[away]
        return trial
    }
}

/// The durabilities, as the relay names them.
enum KeepingChoice: String, CaseIterable, Sendable {
    case none, async, sync
}
