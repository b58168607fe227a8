import Addresses
import CallState
public import Options
import RelayCore
import RollcallProtocol

/// The options of the relay as one table: flags, `ROLLCALL_...` variables and lines of the config file share the names.
public enum RelayOptions {
    static let listen = Option<[Address]>.list(
        "listen",
        .address,
        default: [.standard(runtimeDirectory: ProcessEnvironment.variables()["XDG_RUNTIME_DIR"])],
        "Listen here. Port 0 lets the system choose one."
    )
    static let openToNetwork = Option<Bool>.flag(
        "open-to-network",
        "Listen beyond this machine although anybody could join any call."
    )
    static let openAdmin = Option<Bool>.flag("open-admin", "Give every client the admin right.")
    static let socketMode = Option<UInt16?>.optional(
        "socket-mode",
        .octal,
        "Give UNIX sockets these permission bits."
    )
    static let socketUser = Option<String?>.optional(
        "socket-user",
        .string(placeholder: "USER"),
        "Give UNIX sockets to this user."
    )
    static let socketGroup = Option<String?>.optional(
        "socket-group",
        .string(placeholder: "GROUP"),
        "Give UNIX sockets to this group."
    )

    private static let defaults = RelayConfiguration()
    private static let hour = 3_600_000

    static let relayID = Option<String?>.optional(
        "relay-id",
        .string(placeholder: "NAME"),
        "Tell clients this name of the relay."
    )
    static let helloTimeout = duration(
        "hello-timeout",
        defaults.helloTimeout,
        1...hour,
        "Close a connection that has not said Hello in so long."
    )
    static let pingInterval = duration(
        "ping-interval",
        defaults.pingInterval,
        10...hour,
        "Ping every connection this often."
    )
    static let deadAfter = duration(
        "dead-after",
        defaults.deadAfter,
        20...hour,
        "Take a client for lost after so long without a byte."
    )
    static let grace = duration(
        "grace",
        defaults.grace,
        0...120_000,
        "Keep the place of a lost device for so long, unless its call says otherwise."
    )
    static let idle = duration(
        "idle",
        defaults.idle,
        0...24 * hour,
        "End a meeting of one person after so long, unless its call says otherwise; 0 is never."
    )
    static let stallTimeout = duration(
        "stall-timeout",
        defaults.stallTimeout,
        10...hour,
        "Close a connection that takes none of its bytes for so long."
    )
    static let closeTimeout = duration(
        "close-timeout",
        defaults.closeTimeout,
        10...hour,
        "Cut a closing connection that does not take its last bytes in so long."
    )
    static let tick = duration(
        "tick",
        defaults.tick,
        0...100,
        "Gather the changes of a busy call for so long; a quiet one, and 0, tells them at once."
    )
    static let resumeAfter = duration(
        "resume-after",
        1_000,
        0...hour,
        "When the relay stops, ask clients to come back after so long."
    )

    /// The most loops that may be asked for.
    static let maximumLoops = 64
    static let loops = Option<Int?>.optional(
        "loops",
        .count(1...maximumLoops),
        "Share the calls among so many threads; unless said, as many as the cores that the relay may run on."
    )

    static let maxConnections = count(
        "max-connections",
        defaults.maximumConnections,
        1...1_000_000,
        "At most so many connections; more are told to come back."
    )
    static let maxCalls = count(
        "max-calls",
        defaults.maximumCalls,
        1...1_000_000,
        "At most so many calls; who would begin another is refused."
    )
    static let maxPeople = count(
        "max-people",
        Int(defaults.limits.people),
        1...1_000_000,
        "At most so many people in a call."
    )
    static let maxObservers = count(
        "max-observers",
        defaults.maximumObservers,
        0...1_000_000,
        "At most so many observers of a call."
    )
    static let maxDevices = count(
        "max-devices",
        defaults.maximumDevicesPerPerson,
        1...64,
        "At most so many devices of a person in a call."
    )
    static let maxAttributes = count(
        "max-attributes",
        Int(defaults.limits.attributes),
        0...32,
        "At most so many attributes of a person, and of a call."
    )
    static let maxTombstones = count(
        "max-tombstones",
        defaults.maximumTombstones,
        0...1_000_000,
        "Remember so many departures of a call, for clients that come back."
    )
    static let maxFrame = size(
        "max-frame",
        Int(defaults.limits.frame),
        1_024...1_048_576,
        "The longest frame that a client may send."
    )
    static let maxDelta = size(
        "max-delta",
        defaults.maximumDelta,
        4_096...1_048_576,
        "Send a snapshot instead of a longer difference."
    )
    static let socketBuffer = size(
        "socket-buffer",
        RelaySettings.defaultSocketBuffer,
        4_096...4_194_304,
        "So much may wait in the system for one client, over TCP an eighth of it; what is behind it is merged."
    )
    static let ringSize = size(
        "ring-size",
        defaults.ringBytes,
        4_096...16_777_216,
        "Keep so much of a call's recent frames, for clients that are a little behind."
    )

    static let attendanceMeetings = count(
        "attendance-meetings",
        defaults.attendance.meetings,
        0...1_000_000,
        "Keep who was in the last so many meetings; 0 keeps no attendance."
    )
    static let attendanceRows = count(
        "attendance-rows",
        defaults.attendance.rows,
        1...10_000_000,
        "Keep so many rows of devices in all those meetings."
    )
    static let attendanceSize = size(
        "attendance-size",
        defaults.attendance.bytes,
        65_536...68_719_476_736,
        "Let all those meetings take about so much memory."
    )

    static let store = Option<String?>.optional(
        "store",
        .string(placeholder: "FILE"),
        "Keep calls and attendance in this SQLite file, over stops and crashes of the relay."
    )
    static let durability = Option<RelayConfiguration.Durability?>.optional(
        "durability",
        .durability,
        "With sync (the default with --store) nothing is shown before it is on the disk; with async it follows at once."
    )
    static let storeTimeout = duration(
        "store-timeout",
        defaults.storeTimeout,
        10...hour,
        "Refuse changes while the disk has not answered for so long."
    )
    static let check = Option<String?>.optional(
        "check",
        .string(placeholder: "FILE"),
        "Look for damage in the file of a store, print what is in it, and exit with 0, or 65 for damage."
    )

    static let logFormat = Option<Log.Format>.value(
        "log-format",
        .choice,
        default: .text,
        "Write the log's lines as text, or as one JSON object each."
    )
    static let logLevel = Option<LogLevel>.value(
        "log-level",
        .choice,
        default: .info,
        "Log nothing that is less important than this."
    )

    /// The table.
    public static let program = Program(
        name: "rollcall-relay",
        summary: "Keeps the state of calls and tells every client exactly what differs.",
        version: ProductVersion.text,
        environmentPrefix: "ROLLCALL",
        hasConfig: true,
        groups: [
            OptionGroup("Listening", [listen, openToNetwork, openAdmin, socketMode, socketUser, socketGroup]),
            OptionGroup(
                "Times",
                [helloTimeout, pingInterval, deadAfter, grace, idle, tick, stallTimeout, closeTimeout, resumeAfter]
            ),
            OptionGroup(
                "Limits",
                [
                    maxConnections, maxCalls, maxPeople, maxObservers, maxDevices, maxAttributes, maxTombstones,
                    maxFrame, maxDelta, ringSize, socketBuffer,
                ]
            ),
            OptionGroup("Keeping", [store, durability, storeTimeout, check]),
            rates,
            OptionGroup("Attendance", [attendanceMeetings, attendanceRows, attendanceSize]),
            OptionGroup("Cores", [loops]),
            OptionGroup("Log", [logFormat, logLevel, relayID]),
        ]
    )

    private static func duration(
        _ name: String,
        _ value: UInt64,
        _ range: ClosedRange<Int>,
        _ help: String
    ) -> Option<Int> {
        .value(name, .duration(range), default: Int(value), help)
    }

    private static func count(_ name: String, _ value: Int, _ range: ClosedRange<Int>, _ help: String) -> Option<Int> {
        .value(name, .count(range), default: value, help)
    }

    private static func size(_ name: String, _ value: Int, _ range: ClosedRange<Int>, _ help: String) -> Option<Int> {
        .value(name, .size(range), default: value, help)
    }
}

extension ValueType where Value == RelayConfiguration.Durability {
    /// When what changes counts.
    static var durability: ValueType {
        ValueType(
            placeholder: choice.placeholder,
            accepts: "sync or async, both together with --store FILE, or none",
            format: { $0.rawValue },
            parse: { Value(rawValue: $0) }
        )
    }
}

extension ValueType where Value == Address {
    /// An address to listen on.
    static var address: ValueType {
        ValueType(
            placeholder: "ADDRESS",
            accepts: "unix:/path, tcp:host:port or tcp:[ipv6]:port",
            format: { $0.description },
            parse: { try Address(parsing: $0) }
        )
    }
}

extension ValueType where Value == UInt16 {
    /// Permission bits in octal.
    static var octal: ValueType {
        ValueType(
            placeholder: "OCTAL",
            accepts: "permission bits such as 0660",
            format: { "0" + String($0, radix: 8) },
            parse: { UInt16($0, radix: 8).flatMap { $0 <= 0o777 ? $0 : nil } }
        )
    }
}
