/// How the text of a value is read, and what to say about it.
public struct ValueType<Value: Sendable>: Sendable {
    /// What stands for a value in the help, such as `DURATION`.
    public let placeholder: String
    /// What is accepted, for error messages: "a duration such as 250ms, 15s, 2m or 1h".
    public let accepts: String

    let parse: @Sendable (String) -> Parsed<Value>
    let format: @Sendable (Value) -> String

    /// Makes a type of value.
    ///
    /// - Parameters:
    ///   - placeholder: What stands for a value in the help.
    ///   - accepts: What is accepted, as the end of "...; accepted is".
    ///   - format: The text that `parse` reads back.
    ///   - parse: Reads a text. Nil refuses it; an error refuses it and its description is shown as the reason.
    public init(
        placeholder: String,
        accepts: String,
        format: @escaping @Sendable (Value) -> String,
        parse: @escaping @Sendable (String) throws -> Value?
    ) {
        self.placeholder = placeholder
        self.accepts = accepts
        self.format = format
        self.parse = { text in
            do {
                if let value = try parse(text) { return .value(value) }
                return .refused(reason: nil)
            } catch { return .refused(reason: "\(error)") }
        }
    }
}

/// What reading a text has given.
enum Parsed<Value> {
    case value(Value)
    case refused(reason: String?)
}

extension ValueType where Value == String {
    /// Any text that is not empty.
    public static var string: ValueType { string(placeholder: "TEXT") }

    /// Any text that is not empty, under a name that says what it is for.
    public static func string(placeholder: String) -> ValueType {
        ValueType(
            placeholder: placeholder,
            accepts: "a text that is not empty",
            format: { $0 },
            parse: { $0.isEmpty ? nil : $0 }
        )
    }
}

extension ValueType where Value == Bool {
    /// `yes` or `no`, with the usual other words for them.
    public static var boolean: ValueType {
        ValueType(placeholder: "yes|no", accepts: "yes or no", format: { $0 ? "yes" : "no" }) { text in
            switch text.lowercased() {
            case "yes", "true", "on", "1": true
            case "no", "false", "off", "0": false
            default: nil
            }
        }
    }
}

extension ValueType where Value == Int {
    /// A whole number within a range, in decimal digits.
    public static func count(_ range: ClosedRange<Int>) -> ValueType {
        ValueType(
            placeholder: "N",
            accepts: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            format: { String($0) }
        ) { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A number of bytes within a range, with a unit: `512B`, `64KiB`, `1MiB`, `2GiB`; no unit means bytes.
    public static func size(_ range: ClosedRange<Int>) -> ValueType {
        let units = Units.size
        return ValueType(
            placeholder: "SIZE",
            accepts:
                "a size such as 64KiB or 1MiB, from \(units.write(range.lowerBound)) to \(units.write(range.upperBound))",
            format: { units.write($0) },
            parse: { units.read($0).flatMap { range.contains($0) ? $0 : nil } }
        )
    }

    /// A length of time in milliseconds within a range, with a unit: `250ms`, `15s`, `2m`, `1h`; 0 needs no unit.
    public static func duration(_ range: ClosedRange<Int>) -> ValueType {
        let units = Units.duration
        return ValueType(
            placeholder: "DURATION",
            accepts:
                "a duration such as 250ms, 15s or 2m, from \(units.write(range.lowerBound)) to \(units.write(range.upperBound))",
            format: { units.write($0) },
            parse: { units.read($0).flatMap { range.contains($0) ? $0 : nil } }
        )
    }
}

extension ValueType where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
    /// One of the cases of an enumeration, by its raw value.
    public static var choice: ValueType {
        let names = Value.allCases.map(\.rawValue)
        return ValueType(
            placeholder: names.joined(separator: "|"),
            accepts: names.joined(separator: ", "),
            format: { $0.rawValue },
            parse: { Value(rawValue: $0) }
        )
    }
}
