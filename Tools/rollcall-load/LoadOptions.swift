import Options
import Rollcall
import ToolSupport

/// The options of `rollcall-load`, each stated once.
enum LoadOptions {
    static let connect = Option<Address>.required(
        "connect",
        Address.optionType,
        "The relay: unix:/path or tcp:host:port."
    )
    static let json = Option<Bool>.flag("json", "Print one JSON object a line, for programs.")
    static let quiet = Option<Bool>.flag("quiet", "No progress bar and no list of what was skipped.")
    static let seed = Option<Int?>.optional(
        "seed",
        .count(0...Int.max),
        "The seed of everything that is drawn; it is printed, and drawn unless given."
    )

    static let files = Argument<[String]>.rest("FILE", .string(placeholder: "FILE"), "Traces, or folders of traces.")
    static let speed = Option<Double>.value(
        "speed",
        .speed,
        default: 1,
        "So many times as fast as it was; 0 is as fast as possible."
    )
    static let lateJoiners = Option<Int>.value(
        "late-joiners",
        .count(0...1000),
        default: 5,
        "So many more clients join at random moments; every other one is an observer."
    )
    static let jobs = Option<Int>.value("jobs", .count(1...64), default: 4, "So many traces are played at once.")

    static let calls = Option<Int>.value("calls", .count(1...10_000), default: 200, "How many calls.")
    static let peoplePerCall = Option<Int>.value("people", .count(1...10_000), default: 5, "People in each call.")
    static let steps = Option<Int>.value("steps", .count(0...10_000_000), default: 200, "Changes in each call.")
    static let devices = Option<Int>.value("devices", .count(1...16), default: 2, "Devices a person has at most.")
    static let idleClients = Option<Int>.value(
        "idle-clients",
        .count(0...100_000),
        default: 2000,
        "Observers that measure the relay's memory; needs --relay-pid."
    )
    static let relayPID = Option<Int?>.optional(
        "relay-pid",
        .count(1...Int(Int32.max)),
        "The relay's process, whose memory is read (Linux)."
    )

    static let people = Option<Int>.value("people", .count(1...50_000), default: 2000, "People in the call.")

    static let hostileCase = Option<HostileCase?>.optional("case", .choice, "Only this case.")
    static let generate = Option<HostileCase?>.optional(
        "generate",
        .choice,
        "Be the hostile side of this case and print what came of it; the command runs itself like this."
    )
    static let session = Option<String>.value(
        "session",
        .string,
        default: "hostile",
        "With --generate: the call that is busy."
    )
    static let helloTimeout = Option<Int>.value(
        "hello-timeout",
        .duration(1...3_600_000),
        default: 5000,
        "The relay's time for preface and Hello."
    )
    static let stallTimeout = Option<Int>.value(
        "stall-timeout",
        .duration(1...3_600_000),
        default: 15_000,
        "The relay's patience with a client that takes nothing."
    )

    /// The program.
    static let program = Program(
        name: "rollcall-load",
        summary:
            "Replays meetings against a relay, fills it, and behaves badly towards it, and judges what clients see.",
        version: ProductVersion.text,
        environmentPrefix: "ROLLCALL",
        commands: [
            Command(
                "replay",
                "Play traces of real meetings through real connections, and compare every client with a model of its own.",
                arguments: [files],
                groups: [OptionGroup("Replay", [connect, speed, lateJoiners, jobs, seed, json, quiet])]
            ),
            Command(
                "calls",
                "Play random meetings, and compare every client with the relay; measure throughput and memory.",
                groups: [
                    OptionGroup("Load", [connect, calls, peoplePerCall, devices, steps, seed, json, quiet]),
                    OptionGroup("Memory", [relayPID, idleClients]),
                ]
            ),
            Command(
                "late-join",
                "Join a call of many people, and look at the snapshot that comes.",
                groups: [OptionGroup("Load", [connect, people, json])]
            ),
            Command(
                "hostile",
                "Behave badly in every way, and see that a good client beside it notices nothing.",
                groups: [
                    OptionGroup(
                        "Hostile",
                        [connect, hostileCase, helloTimeout, stallTimeout, seed, json, generate, session]
                    )
                ]
            ),
        ]
    )
}

extension ValueType where Value == Double {
    /// A speed from 0 to a million.
    static var speed: ValueType {
        ValueType(placeholder: "N", accepts: "a number from 0 to 1000000", format: { "\($0)" }) { text in
            Double(text).flatMap { (0...1_000_000).contains($0) ? $0 : nil }
        }
    }
}
