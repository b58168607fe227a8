import CallState
import EventLoop
public import Options
import RelayCore
import RollcallProtocol

/// The options of the relay as one table: flags, `ROLLCALL_...` variables and lines of the config file share the names.
public enum RelayOptions {
    /// The version of this build.
    public static let version = "0.1.0"

    static let listen = Option<[Address]>.list(
        "listen",
        .address,
        default: [.unix(path: "/tmp/rollcall.sock")],
        "Listen here; may be repeated. Port 0 lets the system choose one."
    )
    static let openToNetwork = Option<Bool>.flag(
        "open-to-network",
        "Listen beyond this machine although anybody could join any call."
    )
    static let openAdmin = Option<Bool>.flag("open-admin", "Give every client the admin right.")
    static let socketMode = Option<UInt16?>.optional("socket-mode", .octal, "Permission bits of UNIX sockets.")
    static let socketUser = Option<String?>.optional(
        "socket-user",
        .string(placeholder: "USER"),
        "Owner of UNIX sockets."
    )
    static let socketGroup = Option<String?>.optional(
        "socket-group",
        .string(placeholder: "GROUP"),
        "Group of UNIX sockets."
    )

    private static let defaults = RelayConfiguration()
    private static let hour = 3_600_000

    static let relayID = Option<String?>.optional("relay-id", .string(placeholder: "NAME"), "Name told to clients.")
    static let helloTimeout = duration("hello-timeout", defaults.helloTimeout, 1...hour, "Time for preface and Hello.")
    static let pingInterval = duration("ping-interval", defaults.pingInterval, 10...hour, "A Ping this often.")
    static let deadAfter = duration(
        "dead-after",
        defaults.deadAfter,
        20...hour,
        "Silence after which a client is lost."
    )
    static let grace = duration("grace", defaults.grace, 0...120_000, "A lost device may come back for so long.")
    static let idle = duration("idle", defaults.idle, 0...24 * hour, "Alone for so long ends the meeting; 0 is never.")
    static let stallTimeout = duration(
        "stall-timeout",
        defaults.stallTimeout,
        10...hour,
        "Cut who reads nothing so long."
    )
    static let closeTimeout = duration(
        "close-timeout",
        defaults.closeTimeout,
        10...60_000,
        "Wait so long for goodbyes."
    )
    static let resumeAfter = duration("resume-after", 1_000, 0...hour, "On a stop, ask clients back after so long.")

    static let maxConnections = count("max-connections", defaults.maximumConnections, 1...1_000_000, "Connections.")
    static let maxCalls = count("max-calls", defaults.maximumCalls, 1...1_000_000, "Calls.")
    static let maxPeople = count("max-people", Int(defaults.limits.people), 1...1_000_000, "People in a call.")
    static let maxObservers = count("max-observers", defaults.maximumObservers, 0...1_000_000, "Observers of a call.")
    static let maxDevices = count("max-devices", defaults.maximumDevicesPerPerson, 1...64, "Devices of a person.")
    static let maxAttributes = count(
        "max-attributes",
        Int(defaults.limits.attributes),
        0...32,
        "Attributes of a person or call."
    )
    static let maxTombstones = count(
        "max-tombstones",
        defaults.maximumTombstones,
        0...1_000_000,
        "Departures that a call remembers."
    )
    static let maxFrame = size("max-frame", Int(defaults.limits.frame), 1_024...1_048_576, "Frame from a client.")
    static let maxDelta = size("max-delta", defaults.maximumDelta, 4_096...1_048_576, "Difference for one client.")
    static let socketBuffer = size(
        "socket-buffer",
        RelaySettings.defaultSocketBuffer,
        4_096...4_194_304,
        "Unsent bytes the system keeps per client."
    )
    static let ringSize = size("ring-size", defaults.ringBytes, 4_096...16_777_216, "Recent frames kept per call.")

    static let logFormat = Option<Log.Format>.value("log-format", .choice, default: .text, "Form of the log's lines.")
    static let logLevel = Option<LogLevel>.value("log-level", .choice, default: .info, "Least level that is logged.")

    /// The table.
    public static let program = Program(
        name: "rollcall-relay",
        summary: "Keeps the state of calls and tells every client exactly what differs.",
        version: version,
        environmentPrefix: "ROLLCALL",
        hasConfig: true,
        groups: [
            OptionGroup("Listening", [listen, openToNetwork, openAdmin, socketMode, socketUser, socketGroup]),
            OptionGroup(
                "Times",
                [helloTimeout, pingInterval, deadAfter, grace, idle, stallTimeout, closeTimeout, resumeAfter]
            ),
            OptionGroup(
                "Limits",
                [
                    maxConnections, maxCalls, maxPeople, maxObservers, maxDevices, maxAttributes, maxTombstones,
                    maxFrame, maxDelta, ringSize, socketBuffer,
                ]
            ),
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
