/// The text as a JSON string, in quotes: what a peer chose can break neither a line nor a terminal.
///
/// Beside what JSON demands, everything is escaped that ends a line for some reader, steers a terminal (C1 too), or
/// turns the direction of what follows.
package func jsonQuoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0x22: result += "\\\""
        case 0x5C: result += "\\\\"
        case 0x0A: result += "\\n"
        case 0x0D: result += "\\r"
        case 0x09: result += "\\t"
        case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069:
            result += "\\u" + padded(String(scalar.value, radix: 16), 4)
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}

/// The digits with zeros before them, so that they have at least `width` places.
func padded(_ digits: String, _ width: Int) -> String {
    String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
