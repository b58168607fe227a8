import Foundation
import Options
import Rollcall
import ToolSupport

/// The command line of the probe, as one table.
enum ProbeOptions {
    static let name = "rollcall-probe"

    // MARK: For all commands

    static let connect = Option<Address>.value(
        "connect",
        Address.optionType,
        default: .standard(runtimeDirectory: ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"]),
        "Where the relay listens."
    )
    static let json = Option<Bool>.flag("json", "Print JSON, one object per line; see the command keys.")
    static let color = Option<ColorChoice>.value("color", .choice, default: .auto, "When to use colours.")

    // MARK: For some

    static let session = Argument<String>.required("SESSION", .sessionID, "The session id of the call.")
    static let fields = Option<[String]>.list(
        "field",
        .string(placeholder: "FIELD"),
        "Only changes of this field: \(Change.Field.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    static let watchFor = Option<Int?>.optional("for", time, "End after this time.")
    static let wait = Option<Bool>.flag("wait", "Begin also when nobody is in the call yet.")
    static let uid = Option<String>.required("as", .string(placeholder: "UID"), "The person to act as.")
    static let device = Option<String?>.optional(
        "device",
        .string(placeholder: "DEVICE"),
        "The device to join with; one that is in the call is taken over. Unless given, a new one."
    )
    static let create = Option<Bool>.flag("create", "Join also when nobody is in the call, which begins a meeting.")
    static let moderator = Option<Bool>.flag("moderator", "Join as a moderator, where the relay lets anybody.")
    static let bot = Option<Bool>.flag("bot", "Act from outside the roster, with the right to act for others.")
    static let stay = Option<Int>.value("stay", time, default: 0, "Stay in the call so long before leaving.")
    static let settings = Argument<[String]>.rest("SETTINGS", .string(placeholder: "NAME=VALUE"), "What to set.")
    static let count = Option<Int>.value("count", .count(1...1_000_000), default: 3, "How many times.")
    static let interval = Option<Int>.value("interval", time, default: 500, "The pause between two.")
    static let verifyFor = Option<Int>.value("for", time, default: 10_000, "How long to follow the changes.")
    static let file = Argument<String>.required(
        "FILE",
        .string(placeholder: "FILE"),
        "The captured bytes, or - for the standard input."
    )
    static let from = Option<Capture.Sender?>.optional("from", .choice, "Who sent them; found out unless given.")
    static let format = Option<InputFormat>.value("format", .choice, default: .auto, "How the bytes are written.")
    static let shell = Argument<CompletionTopic>.required("SHELL", .choice, "The shell: bash, zsh or fish.")

    static let listen = Option<Address>.required("listen", Address.optionType, "Where clients connect instead.")
    static let to = Option<Address>.required("to", Address.optionType, "The relay that their bytes go on to.")
    static let delay = Option<Int>.value("delay", time, default: 0, "Every byte is so much later, each way.")
    static let jitter = Option<Int>.value("jitter", time, default: 0, "And up to so much more, drawn for each piece.")
    static let rate = Option<Int?>.optional("rate", .count(8...1_000_000_000), "So many bits a second pass, each way.")
    static let cutAfter = faultAfter("cut-after", "Cut a connection after so many bytes from the relay.")
    static let stallAfter = faultAfter("stall-after", "Take nothing more from either side after so many bytes.")
    static let halfOpenAfter = faultAfter("half-open-after", "Take everything and pass nothing on after so many bytes.")
    static let only = Option<Int?>.optional(
        "only",
        .count(1...1_000_000),
        "Only this connection, in the order of their making; the others pass as they are."
    )
    static let faultSeed = Option<Int>.value("seed", .count(0...Int.max), default: 1, "What the jitter is drawn from.")
    static let faultFor = Option<Int?>.optional("for", time, "End after this time.")

    private static func faultAfter(_ name: String, _ help: String) -> Option<Int?> {
        .optional(name, .count(0...Int.max), help)
    }

    static let loggedSession = Argument<String?>.optional("SESSION", .sessionID, "Only meetings of this call.")
    static let person = Option<String?>.optional(
        "uid",
        .string(placeholder: "UID"),
        "Only meetings in which this person was, and only their rows."
    )
    static let meeting = Option<String?>.optional(
        "meeting",
        .string(placeholder: "MEETING"),
        "Only the meeting with this id."
    )
    static let since = Option<String?>.optional(
        "since",
        .string(placeholder: "TIME"),
        "Only meetings that were not over then: 2026-11-30, 2026-11-30T14:02, or 2h ago as 2h."
    )
    static let until = Option<String?>.optional(
        "until",
        .string(placeholder: "TIME"),
        "Only meetings that had begun before then."
    )
    static let progress = Option<ProgressChoice?>.optional("only", .choice, "Only meetings that run, or are over.")
    static let recording = Option<RecordingFilter?>.optional(
        "recording",
        .choice,
        "Only meetings with a recording, or without any."
    )
    static let meetings = Option<Int>.value(
        "limit",
        .count(1...1_000_000),
        default: 30,
        "At most so many meetings, the newest first."
    )
    static let devices = Option<Bool>.flag("devices", "Show each device of a person.")
    static let csv = Option<Bool>.flag("csv", "Print comma-separated values for a spreadsheet.")

    private static let time = ValueType<Int>.duration(0...7 * 24 * 3_600_000)

    // MARK: Commands

    static let program = Program(
        name: name,
        summary: "Shows what a Rollcall relay knows. It only watches, unless the command is set.",
        version: ProductVersion.text,
        environmentPrefix: "ROLLCALL",
        groups: [OptionGroup("Options", [connect, json, color])],
        commands: [
            Options.Command("calls", "Lists the calls of the relay."),
            Options.Command("snapshot", "Shows a call as it is now: people, hands, recording.", arguments: [session]),
            Options.Command(
                "watch",
                "Shows each change of a call as it happens: when, where, who, what, by whom.",
                arguments: [session],
                groups: [OptionGroup("Watching", [fields, watchFor, wait])]
            ),
            Options.Command(
                "attendance",
                "Shows call logs: which meetings there were, who was in them, and for how long.",
                arguments: [loggedSession],
                groups: [
                    OptionGroup("Which meetings", [person, meeting, since, until, progress, recording, meetings]),
                    OptionGroup("How", [devices, csv]),
                ]
            ),
            Options.Command("conns", "Lists the connections of the relay; needs the admin right."),
            Options.Command(
                "set",
                "Joins a call, changes it in one commit, and leaves.",
                arguments: [session, settings],
                groups: [OptionGroup("Acting", [uid, device, stay, create, moderator, bot])]
            ),
            Options.Command(
                "ping",
                "Measures how fast the relay answers.",
                groups: [OptionGroup("Pinging", [count, interval])]
            ),
            Options.Command(
                "verify",
                "Follows a call and compares the copy's digest with the relay's.",
                arguments: [session],
                groups: [OptionGroup("Verifying", [verifyFor])]
            ),
            Options.Command(
                "decode",
                "Shows the frames in captured bytes of a connection.",
                arguments: [file],
                groups: [OptionGroup("Decoding", [from, format])]
            ),
            Options.Command(
                "fault",
                "Stands between clients and a relay as a network that is slow, or fails.",
                groups: [
                    OptionGroup("Between", [listen, to, faultFor]),
                    OptionGroup(
                        "Faults",
                        [delay, jitter, rate, cutAfter, stallAfter, halfOpenAfter, only, faultSeed]
                    ),
                ]
            ),
            Options.Command("completions", "Prints a completion script for a shell.", arguments: [shell]),
            Options.Command("keys", "Explains the keys of the JSON that the commands print."),
        ]
    )
}

/// How the input of `decode` is written.
enum InputFormat: String, CaseIterable, Sendable {
    /// Hexadecimal if it reads as such, else bytes.
    case auto
    /// Digits in pairs.
    case hex
    /// As it was on the wire.
    case binary
}

/// Meetings by whether they are over.
enum ProgressChoice: String, CaseIterable, Sendable {
    case running, ended
}

/// Meetings by whether they were recorded.
enum RecordingFilter: String, CaseIterable, Sendable {
    case with, without
}

/// What `completions` prints.
enum CompletionTopic: String, CaseIterable, Sendable {
    case bash, zsh, fish
    /// The session ids of the relay, for the scripts.
    case sessions

    /// The shell; nil for the sessions.
    var shell: Completions.Shell? {
        switch self {
        case .bash: .bash
        case .zsh: .zsh
        case .fish: .fish
        case .sessions: nil
        }
    }
}

extension ValueType where Value == String {
    /// 1 to 128 bytes.
    static var sessionID: ValueType {
        ValueType(
            placeholder: "SESSION",
            accepts: "a session id of 1 to 128 bytes",
            format: { $0 },
            parse: { (1...128).contains($0.utf8.count) ? $0 : nil }
        )
    }
}
