/// Takes the command line apart, without reading the values.
struct CommandLineReader {
    var command: Command?
    var options: [String: [Given]] = [:]
    var arguments: [String] = []
    var wantsConfigPrinted = false
    /// Help or version: nothing else of the line matters.
    var text: String?

    static func read(_ words: [String], for program: Program) throws(OptionError) -> CommandLineReader {
        var line = CommandLineReader()
        var isAfterDashes = false
        var place = 0
        while place < words.count, line.text == nil {
            let word = words[place]
            place += 1
            if isAfterDashes || !word.hasPrefix("-") || word == "-" {
                try line.take(word, program)
            } else if word == "--" {
                isAfterDashes = true
            } else {
                let next = place < words.count ? words[place] : nil
                if try line.takeOption(word, next, program) { place += 1 }
            }
        }
        if line.text == nil, line.command == nil, !program.commands.isEmpty, !line.wantsConfigPrinted {
            let names = program.commands.map(\.name).joined(separator: ", ")
            throw OptionError(.missingCommand, "", accepted: names)
        }
        return line
    }

    /// Takes a word that is no option: the command, then its arguments.
    private mutating func take(_ word: String, _ program: Program) throws(OptionError) {
        guard command == nil, !program.commands.isEmpty else {
            arguments.append(word)
            return
        }
        let names = program.commands.map(\.name)
        command = program.commands.first { $0.name == word }
        if command == nil {
            throw OptionError(
                .unknownCommand,
                word,
                origin: .commandLine,
                accepted: names.joined(separator: ", "),
                suggestions: nearNames(to: word, in: names)
            )
        }
    }

    /// Takes an option; true when the next word was its value.
    private mutating func takeOption(_ word: String, _ next: String?, _ program: Program) throws(OptionError) -> Bool {
        let equals = word.firstIndex(of: "=")
        let spelled = String(word[..<(equals ?? word.endIndex)])
        let attached = equals.map { String(word[word.index(after: $0)...]) }
        switch (spelled, attached) {
        case ("--help", nil), ("-h", nil):
            text = program.help(for: command)
            return false
        case ("--version", nil):
            text = "\(program.name) \(program.version)"
            return false
        case ("--print-config", nil) where program.hasConfig:
            wantsConfigPrinted = true
            return false
        default:
            break
        }

        let definitions = program.definitions(for: command)
        let name = spelled.hasPrefix("--") ? String(spelled.dropFirst(2)) : nil
        if let definition = definitions.first(where: { $0.name == name }) {
            if let attached {
                add(attached, to: definition)
                return false
            }
            if definition.arity == .flag {
                add("yes", to: definition)
                return false
            }
            // A value that looks like an option is more likely a value forgotten; = is there for the others.
            guard let next, !next.hasPrefix("--") else {
                let reason = next.map { "it is followed by \($0); if that is the value, write \(spelled)=\($0)" }
                throw OptionError(
                    .missingValue,
                    spelled,
                    origin: .commandLine,
                    reason: reason,
                    accepted: definition.accepts
                )
            }
            add(next, to: definition)
            return true
        }
        if attached == nil, let name, name.hasPrefix("no-"),
            let flag = definitions.first(where: { $0.arity == .flag && "no-" + $0.name == name })
        {
            add("no", to: flag)
            return false
        }
        var known = definitions.map { "--" + $0.name } + ["--help", "--version"]
        if program.hasConfig { known.append("--print-config") }
        throw OptionError(
            .unknownOption,
            spelled,
            origin: .commandLine,
            value: attached,
            suggestions: nearNames(to: spelled, in: known)
        )
    }

    private mutating func add(_ text: String, to definition: SettingDefinition) {
        options[definition.name, default: []].append(Given(text: text, origin: .commandLine))
    }
}
