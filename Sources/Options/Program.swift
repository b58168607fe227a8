/// The options of a program as a table: everything about them is stated once, here.
///
/// Values come, the stronger first, from the command line, the environment, the config file, and the default.
public struct Program: Sendable {
    /// The name of the executable.
    public let name: String
    /// One sentence for the help.
    public let summary: String
    /// What `--version` prints after the name.
    public let version: String
    /// The prefix of the environment's variables, such as `ROLLCALL`; nil when the environment is not asked.
    public let environmentPrefix: String?
    /// Whether there are `--config` and `--print-config`.
    public let hasConfig: Bool
    /// The options, in the order and under the titles of the help.
    ///
    /// With commands, all of them take these options.
    public let groups: [OptionGroup]
    /// The positional arguments of a program without commands.
    public let arguments: [any SettingKey]
    /// The commands; one of them must be given unless there are none.
    public let commands: [Command]

    /// States the table.
    ///
    /// The options `help`, `version`, `config` and `print-config` are added by themselves. Two options of one name, and
    /// an argument after one that takes the rest, are mistakes of the programmer and end the program.
    public init(
        name: String,
        summary: String,
        version: String,
        environmentPrefix: String? = nil,
        hasConfig: Bool = false,
        groups: [OptionGroup] = [],
        arguments: [any SettingKey] = [],
        commands: [Command] = []
    ) {
        self.name = name
        self.summary = summary
        self.version = version
        self.environmentPrefix = environmentPrefix
        self.hasConfig = hasConfig
        self.groups = groups
        self.arguments = arguments
        self.commands = commands
        precondition(commands.isEmpty || arguments.isEmpty, "arguments belong to the commands")
        for command in [nil] + commands.map(Optional.some) { checkNames(of: command) }
    }

    /// The option that names the config file.
    static let configOption = Option<String?>.optional(
        "config",
        .string(placeholder: "FILE"),
        "Read options from FILE, a line \"name = value\" each."
    )

    /// The options of a command, or of the program, with those that are added by themselves.
    func definitions(for command: Command?) -> [SettingDefinition] {
        let added = hasConfig ? [Self.configOption.definition] : []
        return (groups + (command?.groups ?? [])).flatMap { $0.options.map(\.definition) } + added
    }

    /// The arguments of a command, or of the program.
    func argumentDefinitions(for command: Command?) -> [SettingDefinition] {
        (command?.arguments ?? arguments).map(\.definition)
    }

    private func checkNames(of command: Command?) {
        var seen: Set = ["help", "version", "print-config"]
        for definition in definitions(for: command) {
            precondition(seen.insert(definition.name).inserted, "two options are named \(definition.name)")
        }
        let arguments = argumentDefinitions(for: command)
        for (index, argument) in arguments.enumerated().dropLast() {
            precondition(argument.arity == .single, "\(argument.name) takes all arguments after it")
            precondition(
                argument.absent == nil || arguments[index + 1].absent != nil,
                "a required argument cannot follow \(argument.name), which is optional"
            )
        }
    }
}

/// Options under one title of the help.
public struct OptionGroup: Sendable {
    /// The title, such as `Listening`.
    public let title: String
    /// The options, in the order of the help.
    public let options: [any SettingKey]

    /// Groups options.
    public init(_ title: String, _ options: [any SettingKey]) {
        self.title = title
        self.options = options
    }
}

/// A command of a program, such as `watch` of `rollcall-probe watch SESSION`.
public struct Command: Sendable {
    /// The word that selects the command.
    public let name: String
    /// One sentence for the help.
    public let summary: String
    /// Its positional arguments, in order.
    public let arguments: [any SettingKey]
    /// Its options, besides those of the program.
    public let groups: [OptionGroup]

    /// States a command.
    public init(_ name: String, _ summary: String, arguments: [any SettingKey] = [], groups: [OptionGroup] = []) {
        self.name = name
        self.summary = summary
        self.arguments = arguments
        self.groups = groups
    }
}
