/// What the command line asks for.
public enum Request: Sendable {
    /// To do the work with these settings.
    case run(Settings)
    /// To print this text (help, version, or the effective configuration) and end well.
    case printText(String)
}

extension Program {
    /// Reads everything that was given.
    ///
    /// - Parameters:
    ///   - arguments: The command line, without the name of the program.
    ///   - environment: All variables. One that is empty counts as not set.
    ///   - readFile: Gives the text of the config file at a path. An error's description becomes the reason shown.
    public func parse(
        arguments: [String],
        environment: [String: String] = [:],
        readFile: (_ path: String) throws -> String = { _ in "" }
    ) throws(OptionError) -> Request {
        let line = try CommandLineReader.read(arguments, for: self)
        if let text = line.text { return .printText(text) }
        let definitions = definitions(for: line.command)

        // From the weakest source to the strongest; each replaces what the weaker ones gave for the same option.
        let variables = read(environment, definitions)
        var given: [String: [Given]] = [:]
        if hasConfig, let path = (line.options["config"] ?? variables["config"])?.last {
            given = try readConfigFile(path, definitions, readFile)
        }
        given.merge(variables) { $1 }
        given.merge(line.options) { $1 }

        var entries: [Settings.Entry] = []
        for definition in definitions { entries.append(try entry(definition, given[definition.name] ?? [])) }
        if line.wantsConfigPrinted { return .printText(printedConfig(of: entries)) }
        entries += try argumentEntries(line.arguments, for: line.command)
        return .run(Settings(command: line.command?.name, entries: entries))
    }

    private func read(_ environment: [String: String], _ definitions: [SettingDefinition]) -> [String: [Given]] {
        guard let environmentPrefix else { return [:] }
        var given: [String: [Given]] = [:]
        for definition in definitions {
            let variable = definition.variable(prefix: environmentPrefix)
            guard let text = environment[variable], !text.isEmpty else { continue }
            let texts = definition.arity == .list ? text.split(separator: ",").map { String(trimmed($0)) } : [text]
            given[definition.name] = texts.map { Given(text: $0, origin: .environment(variable: variable)) }
        }
        return given
    }

    private func readConfigFile(
        _ path: Given,
        _ definitions: [SettingDefinition],
        _ readFile: (String) throws -> String
    ) throws(OptionError) -> [String: [Given]] {
        let text: String
        do { text = try readFile(path.text) } catch {
            throw OptionError(.unreadableConfig, "--config", origin: path.origin, value: path.text, reason: "\(error)")
        }
        var given: [String: [Given]] = [:]
        // A file may serve several programs and commands only if they share the options, so unknown names are mistakes.
        let known = definitions.filter { $0.name != Self.configOption.definition.name }
        for line in try readConfig(text, file: path.text) {
            let origin = Origin.config(file: path.text, line: line.number)
            guard let definition = known.first(where: { $0.name == line.name }) else {
                let near = nearNames(to: line.name, in: known.map(\.name))
                throw OptionError(.unknownOption, line.name, origin: origin, value: line.value, suggestions: near)
            }
            if let first = given[line.name]?.first, definition.arity != .list {
                throw OptionError(
                    .repeated,
                    line.name,
                    origin: origin,
                    value: line.value,
                    reason: "first at \(first.origin)"
                )
            }
            given[line.name, default: []].append(Given(text: line.value, origin: origin))
        }
        return given
    }

    private func entry(_ definition: SettingDefinition, _ given: [Given]) throws(OptionError) -> Settings.Entry {
        // Of an option that takes one value, the last on the command line counts, so that an alias or a script that
        // ends in "$@" can be overridden; the help says so. Two lines of a file are a mistake.
        let texts = definition.arity == .list ? given : given.suffix(1)
        return try read(texts, definition, as: "--" + definition.name, isArgument: false)
    }

    private func argumentEntries(_ words: [String], for command: Command?) throws(OptionError) -> [Settings.Entry] {
        var remaining = words[...]
        var entries: [Settings.Entry] = []
        for definition in argumentDefinitions(for: command) {
            let taken = remaining.prefix(definition.arity == .list ? remaining.count : 1)
            remaining = remaining.dropFirst(taken.count)
            let given = taken.map { Given(text: $0, origin: .commandLine) }
            entries.append(try read(given, definition, as: definition.name, isArgument: true))
        }
        if let extra = remaining.first {
            throw OptionError(
                .unexpectedArgument,
                extra,
                origin: .commandLine,
                value: extra,
                reason: "usage is \(usage(of: command))"
            )
        }
        return entries
    }

    private func read(
        _ given: [Given],
        _ definition: SettingDefinition,
        as name: String,
        isArgument: Bool
    ) throws(OptionError) -> Settings.Entry {
        if given.isEmpty {
            guard let value = definition.absent else {
                throw OptionError(.missing, name, accepted: definition.accepts)
            }
            let texts = definition.defaults.map { Given(text: $0, origin: .builtIn) }
            return .init(definition: definition, isArgument: isArgument, value: value, texts: texts, origin: .builtIn)
        }
        switch definition.read(given.map(\.text)) {
        case .value(let value):
            return .init(
                definition: definition,
                isArgument: isArgument,
                value: value,
                texts: given,
                origin: given[0].origin
            )
        case .refused(let index, let reason):
            throw OptionError(
                .invalidValue,
                name,
                origin: given[index].origin,
                value: given[index].text,
                reason: reason,
                accepted: definition.accepts
            )
        }
    }
}
