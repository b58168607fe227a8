import Options

/// A table that has one option of every kind.
enum Sample {
    enum Level: String, CaseIterable { case info, warning, error }

    struct EvenError: Error, CustomStringConvertible { let description = "it is odd" }

    static let listen = Option<[String]>.list("listen", .string(placeholder: "ADDRESS"), "Listen on ADDRESS.")
    static let ping = Option<Int>.value("ping-interval", .duration(100...60_000), default: 10_000, "Ping so often.")
    static let buffer = Option<Int>.value("buffer", .size(1024...(1 << 20)), default: 64 << 10, "Buffer so much.")
    static let people = Option<Int>.value("max-people", .count(1...5000), default: 2000, "Allow so many.")
    static let level = Option<Level>.value("log-level", .choice, default: .info, "Log from this level on.")
    static let open = Option<Bool>.flag("open", "Let everybody in.")
    static let store = Option<String?>.optional("store", .string(placeholder: "FILE"), "Keep calls in FILE.")
    static let even = Option<Int?>.optional(
        "even",
        ValueType(placeholder: "N", accepts: "an even number", format: { "\($0)" }) { text in
            guard let number = Int(text) else { return nil }
            if number % 2 != 0 { throw EvenError() }
            return number
        },
        "Take an even number."
    )

    static let relay = Program(
        name: "relay",
        summary: "Relays.",
        version: "1.2.3",
        environmentPrefix: "SAMPLE",
        hasConfig: true,
        groups: [
            OptionGroup("Listening", [listen, open]),
            OptionGroup("Limits", [ping, buffer, people, even]),
            OptionGroup("Other", [level, store]),
        ]
    )

    static let connect = Option<String>.required("connect", .string(placeholder: "ADDRESS"), "Connect to ADDRESS.")
    static let field = Option<[String]>.list("field", .string, "Show only this field.")
    static let session = Argument<String>.required("SESSION", .string, "The call.")
    static let times = Argument<Int?>.optional("TIMES", .count(1...9), "How often.")
    static let files = Argument<[String]>.rest("FILE", .string, "What to decode.")

    static let probe = Program(
        name: "probe",
        summary: "Probes.",
        version: "1.2.3",
        groups: [OptionGroup("Connection", [connect])],
        commands: [
            Command("watch", "Follows a call.", arguments: [session, times], groups: [OptionGroup("Output", [field])]),
            Command("decode", "Decodes files.", arguments: [files]),
        ]
    )

    static let cat = Program(name: "cat", summary: "Prints files.", version: "1", arguments: [session, files])
}

extension Program {
    /// The settings that a command line, an environment and a config file give.
    func settings(
        _ arguments: [String],
        environment: [String: String] = [:],
        config: String? = nil
    ) throws(OptionError) -> Settings {
        switch try parse(
            arguments: (config == nil ? [] : ["--config", "file.conf"]) + arguments,
            environment: environment,
            readFile: { _ in config ?? "" }
        ) {
        case .run(let settings): return settings
        case .printText(let text): preconditionFailure("expected settings, got a text: \(text)")
        }
    }

    /// The error that a command line, an environment and a config file give; nil when they are fine.
    func error(_ arguments: [String], environment: [String: String] = [:], config: String? = nil) -> OptionError? {
        do throws(OptionError) {
            _ = try settings(arguments, environment: environment, config: config)
            return nil
        } catch { return error }
    }

    /// The text that a command line asks to be printed.
    func text(_ arguments: [String], environment: [String: String] = [:], config: String = "") throws -> String? {
        guard
            case .printText(let text) = try parse(
                arguments: arguments,
                environment: environment,
                readFile: { _ in config }
            )
        else { return nil }
        return text
    }
}
