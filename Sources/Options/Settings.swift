/// The effective values of a program's options, each with its origin.
public struct Settings: Sendable {
    /// The command that was given; nil for a program without commands.
    public let command: String?

    /// In the order of the table: first the options, then the arguments.
    let entries: [Entry]
    private let index: [String: Int]

    struct Entry: Sendable {
        let definition: SettingDefinition
        let isArgument: Bool
        let value: any Sendable
        /// The texts that gave the value, or the default's, with where each came from.
        let texts: [Given]
        let origin: Origin
    }

    init(command: String?, entries: [Entry]) {
        self.command = command
        self.entries = entries
        index = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.definition.name, $0) })
    }

    /// The effective value.
    ///
    /// The key must belong to the program, or to the command that was given: anything else is a mistake of the
    /// programmer and ends the program.
    public subscript<Key: SettingKey>(key: Key) -> Key.Value {
        guard let value = entry(of: key.definition).value as? Key.Value else {
            preconditionFailure("\(key.definition.name) is in the table with another type")
        }
        return value
    }

    /// Where the effective value comes from; for a list, its first element.
    public func origin(of key: some SettingKey) -> Origin { entry(of: key.definition).origin }

    /// An error about a value that the table accepts and the program does not, for instance because it contradicts
    /// another.
    ///
    /// - Parameters:
    ///   - reason: What is wrong with it.
    ///   - accepted: What to give instead; may be empty.
    public func refusal(of key: some SettingKey, because reason: String, accepted: String = "") -> OptionError {
        let entry = entry(of: key.definition)
        return OptionError(
            .invalidValue,
            entry.isArgument ? entry.definition.name : "--" + entry.definition.name,
            origin: entry.origin,
            value: entry.texts.map(\.text).joined(separator: ","),
            reason: reason,
            accepted: accepted
        )
    }

    private func entry(of definition: SettingDefinition) -> Entry {
        guard let place = index[definition.name] else {
            preconditionFailure("\(definition.name) is not in the table of \(command ?? "the program")")
        }
        return entries[place]
    }
}

/// A text that was given for an option, and where.
struct Given: Sendable {
    let text: String
    let origin: Origin
}
