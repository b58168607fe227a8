/// An option or an argument as the table sees it: without the type of its value.
public struct SettingDefinition: Sendable {
    /// How many values it takes.
    public enum Arity: Sendable {
        /// None on the command line.
        case flag
        /// One.
        case single
        /// Any number.
        case list
    }

    /// The name without dashes, in lower case; of an argument, in upper case.
    public let name: String
    /// How many values it takes.
    public let arity: Arity
    /// What stands for a value in the help.
    public let placeholder: String
    /// What is accepted, for error messages.
    public let accepts: String
    /// One sentence for the help.
    public let help: String
    /// The texts that would give the default; empty when there is none.
    public let defaults: [String]

    /// The value when nothing was given; nil when something must be.
    let absent: (any Sendable)?
    /// Reads the texts that were given, at least one.
    let read: @Sendable ([String]) -> Reading

    /// What reading the texts of an option has given.
    enum Reading {
        case value(any Sendable)
        /// The text at this place is not accepted.
        case refused(index: Int, reason: String?)
    }

    init<Element, Value: Sendable>(
        _ name: String,
        _ arity: Arity,
        _ type: ValueType<Element>,
        _ help: String,
        defaults: [Element] = [],
        absent: Value?,
        combine: @escaping @Sendable ([Element]) -> Value
    ) {
        self.name = name
        self.arity = arity
        self.help = help
        self.absent = absent
        self.defaults = defaults.map(type.format)
        placeholder = type.placeholder
        accepts = type.accepts
        read = { texts in
            var elements: [Element] = []
            for (index, text) in texts.enumerated() {
                switch type.parse(text) {
                case .value(let element): elements.append(element)
                case .refused(let reason): return .refused(index: index, reason: reason)
                }
            }
            return .value(combine(elements))
        }
    }

    /// The name of the variable that sets the option: upper case, dashes as underscores.
    func variable(prefix: String) -> String {
        prefix + "_" + String(name.map { $0 == "-" ? "_" : $0 }).uppercased()
    }
}
