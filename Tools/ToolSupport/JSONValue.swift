import Text

/// A JSON value whose members keep their order, so that the same state gives the same text.
package enum JSONValue: Hashable, Sendable {
    /// null.
    case null
    /// true or false.
    case bool(Bool)
    /// A whole number.
    case number(UInt64)
    /// A number with three decimals.
    case decimal(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object; its members in this order.
    case object([Member])

    /// A member of an object.
    package struct Member: Hashable, Sendable {
        /// Its key.
        package var key: String
        /// Its value.
        package var value: JSONValue

        /// A member.
        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    /// An object; its members in this order.
    package static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member(key: $0.key, value: $0.value) })
    }

    /// The string, or null.
    package static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// The value on one line.
    package var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let value): text += String(value)
        case .decimal(let value): text += decimalText(value)
        case .string(let value): text += jsonQuoted(value)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                text += jsonQuoted(member.key)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }
}

/// The number in hexadecimal, with at least so many digits.
package func hexText(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}

/// The bytes in hexadecimal, two digits each.
package func hexText(_ bytes: some Sequence<UInt8>) -> String {
    bytes.reduce(into: "") { $0 += hexText(UInt64($1), digits: 2) }
}

/// The number with three decimals, whatever the locale.
package func decimalText(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "0.000" }
    let thousandths = Int64((value * 1000).rounded())
    let decimals = String(abs(thousandths) % 1000 + 1000).dropFirst()
    return (thousandths < 0 ? "-" : "") + "\(abs(thousandths) / 1000).\(decimals)"
}
