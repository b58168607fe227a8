extension Program {
    /// The help of the program, or of one of its commands, for 80 columns.
    public func help(for command: Command? = nil) -> String {
        var lines = ["Usage: \(usage(of: command))", ""]
        lines += wrapped(command?.summary ?? summary, indent: 0)
        let arguments = argumentDefinitions(for: command)
        if !arguments.isEmpty {
            lines += ["", "Arguments:"] + table(arguments.map { ($0.name, explanation(of: $0)) })
        }
        if command == nil, !commands.isEmpty {
            lines += ["", "Commands:"] + table(commands.map { ($0.name, $0.summary) })
        }
        for group in (command?.groups ?? []) + groups {
            lines += ["", "\(group.title):"] + table(group.options.map { row(of: $0.definition) })
        }
        lines += ["", "General:"] + table(generalRows)
        var notes = "On the command line the last value of an option counts, unless it is repeatable."
        if let environmentPrefix {
            let file = hasConfig ? "; in the config file, \"name = value\"" : ""
            notes +=
                " Each option is also a variable, with this prefix and underscores: \(environmentPrefix)_NAME\(file)."
        }
        lines += [""] + wrapped(notes, indent: 0)
        if command == nil, !commands.isEmpty {
            lines += ["", "\(name) COMMAND --help explains a command."]
        }
        return lines.joined(separator: "\n")
    }

    /// The form of a call, on one line.
    func usage(of command: Command?) -> String {
        var words = [name]
        if let command { words.append(command.name) } else if !commands.isEmpty { words.append("COMMAND") }
        for argument in argumentDefinitions(for: command) {
            switch (argument.arity, argument.absent == nil) {
            case (.list, _): words.append("[\(argument.name)...]")
            case (_, true): words.append(argument.name)
            case (_, false): words.append("[\(argument.name)]")
            }
        }
        return words.joined(separator: " ") + " [OPTIONS]"
    }

    private var generalRows: [(String, String)] {
        var rows: [(String, String)] = []
        if hasConfig {
            rows.append(row(of: Self.configOption.definition))
            rows.append(("--print-config", "Print the effective options with their origin, and end."))
        }
        return rows + [("-h, --help", "Print this help, and end."), ("--version", "Print the version, and end.")]
    }

    private func row(of option: SettingDefinition) -> (String, String) {
        let head = option.arity == .flag ? "--\(option.name)" : "--\(option.name) \(option.placeholder)"
        return (head, explanation(of: option))
    }

    private func explanation(of definition: SettingDefinition) -> String {
        var notes: [String] = []
        if definition.arity == .list { notes.append("repeatable") }
        if definition.arity != .flag, !definition.defaults.isEmpty {
            notes.append("default \(definition.defaults.joined(separator: ", "))")
        }
        return definition.help + (notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))")
    }

    /// Two columns; a head that is too wide for the first gets a line of its own.
    private func table(_ rows: [(head: String, text: String)]) -> [String] {
        let widest = 26
        let column = 2 + (rows.map(\.head.count).filter { $0 <= widest }.max() ?? widest) + 2
        return rows.flatMap { row in
            let text = wrapped(row.text, indent: column)
            let head = "  " + row.head
            if head.count + 2 > column { return [head] + text }
            guard let first = text.first else { return [head] }
            return [head + first.dropFirst(head.count)] + text.dropFirst()
        }
    }

    private func wrapped(_ text: String, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = margin
        for word in text.split(separator: " ") {
            if line.count > indent, line.count + 1 + word.count > 80 {
                lines.append(line)
                line = margin
            }
            line += (line.count > indent ? " " : "") + word
        }
        return line.count > indent ? lines + [line] : lines
    }
}
