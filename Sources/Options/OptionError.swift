/// What is wrong with the options that were given.
public struct OptionError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of mistake, for programs.
    public enum Code: Hashable, Sendable {
        /// There is no option of this name.
        case unknownOption
        /// There is no command of this name.
        case unknownCommand
        /// The program needs a command.
        case missingCommand
        /// The option stands without its value.
        case missingValue
        /// The value is not accepted.
        case invalidValue
        /// A required option or argument was not given.
        case missing
        /// There are more arguments than the command takes.
        case unexpectedArgument
        /// An option that takes one value has two in the config file.
        case repeated
        /// A line of the config file is not of the form `name = value`.
        case malformedLine
        /// The config file cannot be read.
        case unreadableConfig
    }

    /// What went wrong, for programs.
    public let code: Code
    /// The option as `--name`, the argument or the command; empty for a malformed line.
    public let name: String
    /// Where it was given; nil when it is missing.
    public let origin: Origin?
    /// The value or the line that was given, if any.
    public let value: String?
    /// What is wrong with it, where there is more to say than the code does.
    public let reason: String?
    /// What is accepted instead; empty when there is nothing to say.
    public let accepted: String
    /// Names that the unknown one may have meant, the nearest first.
    public let suggestions: [String]

    init(
        _ code: Code,
        _ name: String,
        origin: Origin? = nil,
        value: String? = nil,
        reason: String? = nil,
        accepted: String = "",
        suggestions: [String] = []
    ) {
        self.code = code
        self.name = name
        self.origin = origin
        self.value = value
        self.reason = reason
        self.accepted = accepted
        self.suggestions = suggestions
    }

    /// What a program shall exit with, by sysexits.h: 64 (usage) for the command line, 78 (configuration) for the
    /// environment and the config file.
    public var exitStatus: Int32 {
        switch origin {
        case .environment, .config: 78
        case .commandLine, .builtIn, nil: code == .unreadableConfig ? 78 : 64
        }
    }

    /// One line for people: where, what, and what to do.
    public var description: String {
        let place = origin.map { $0 == .commandLine ? "" : "\($0): " } ?? ""
        let told = reason.map { ": \($0)" } ?? ""
        let wanted = accepted.isEmpty ? "" : "; accepted is \(accepted)"
        let near = suggestions.isEmpty ? "" : "; did you mean \(suggestions.joined(separator: " or "))?"
        let shown = value.map { "\"\($0)\"" } ?? ""
        let said =
            switch code {
            case .unknownOption: "there is no option \(name)\(near)"
            case .unknownCommand: "there is no command \(name)\(near.isEmpty ? wanted : near)"
            case .missingCommand: "a command is missing\(wanted)"
            case .missingValue: "\(name) needs a value\(told)\(wanted)"
            case .invalidValue: "\(name) cannot be \(shown)\(told)\(wanted)"
            case .missing: "\(name) is missing\(told)\(wanted)"
            case .unexpectedArgument: "there is an argument too many: \(shown)\(told)"
            case .repeated: "\(name) is given more than once\(told)"
            case .malformedLine: "cannot read the line \(shown)\(told)\(wanted)"
            case .unreadableConfig: "cannot read the config file \(shown)\(told)"
            }
        return place + said
    }
}
