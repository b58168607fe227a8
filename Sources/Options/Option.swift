/// One option: a name that serves as `--name` on the command line, as `PREFIX_NAME` in the environment and as `name =
/// value` in the config file.
///
/// Its value is read from `Settings` with the option itself as the key.
public struct Option<Value: Sendable>: SettingKey {
    /// What the table needs to know, without the type of the value.
    public let definition: SettingDefinition

    /// An option that has a value also when it is not given.
    public static func value(_ name: String, _ type: ValueType<Value>, default value: Value, _ help: String) -> Option {
        Option(SettingDefinition(name, .single, type, help, defaults: [value], absent: value) { $0[0] })
    }

    /// An option that must be given.
    public static func required(_ name: String, _ type: ValueType<Value>, _ help: String) -> Option {
        Option(SettingDefinition(name, .single, type, help, absent: nil) { $0[0] })
    }

    /// An option that can be left out.
    public static func optional<Wrapped>(_ name: String, _ type: ValueType<Wrapped>, _ help: String) -> Option
    where Value == Wrapped? {
        Option(SettingDefinition(name, .single, type, help, absent: Value.none) { Value.some($0[0]) })
    }

    /// An option that can be given more than once.
    ///
    /// On the command line and in the config file it is repeated; in the environment commas separate the elements. The
    /// elements of one source replace those of the weaker ones.
    public static func list<Element>(
        _ name: String,
        _ type: ValueType<Element>,
        default elements: [Element] = [],
        _ help: String
    ) -> Option where Value == [Element] {
        Option(SettingDefinition(name, .list, type, help, defaults: elements, absent: elements) { $0 })
    }

    private init(_ definition: SettingDefinition) { self.definition = definition }
}

extension Option where Value == Bool {
    /// An option without a value: `--name`, and `--no-name` to take it back.
    ///
    /// The environment and the config file say `yes` or `no`. It is off unless given.
    public static func flag(_ name: String, _ help: String) -> Option {
        Option(SettingDefinition(name, .flag, .boolean, help, defaults: [false], absent: false) { $0[0] })
    }
}

/// A positional argument of a command, such as `SESSION`.
public struct Argument<Value: Sendable>: SettingKey {
    /// What the table needs to know, without the type of the value.
    public let definition: SettingDefinition

    /// An argument that must be given.
    public static func required(_ name: String, _ type: ValueType<Value>, _ help: String) -> Argument {
        Argument(SettingDefinition(name, .single, type, help, absent: nil) { $0[0] })
    }

    /// An argument that can be left out.
    ///
    /// All required ones come before it.
    public static func optional<Wrapped>(_ name: String, _ type: ValueType<Wrapped>, _ help: String) -> Argument
    where Value == Wrapped? {
        Argument(SettingDefinition(name, .single, type, help, absent: Value.none) { Value.some($0[0]) })
    }

    /// All arguments that remain, none included.
    ///
    /// It comes last.
    public static func rest<Element>(_ name: String, _ type: ValueType<Element>, _ help: String) -> Argument
    where Value == [Element] {
        Argument(SettingDefinition(name, .list, type, help, absent: Value()) { $0 })
    }

    private init(_ definition: SettingDefinition) { self.definition = definition }
}

/// An option or an argument: the key to its value in `Settings`.
public protocol SettingKey<Value>: Sendable {
    /// The type of the value.
    associatedtype Value: Sendable
    /// What the table needs to know, without the type of the value.
    var definition: SettingDefinition { get }
}
