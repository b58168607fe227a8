/// A line of comma-separated values (RFC 4180), without its end.
///
/// Cells that hold a comma, a quote or a line's end are quoted. A text that a spreadsheet would take for a formula (it
/// begins with `=`, `+`, `-` or `@`, also in their wide forms or behind spaces) gets an apostrophe before it: names in
/// a call come from anybody. Control characters are made visible as in ``safeText(_:)``, so that a row is a line.
package func csvLine(_ cells: [CSVCell]) -> String {
    cells.map(\.written).joined(separator: ",")
}

/// What is in a cell.
package enum CSVCell: Hashable, Sendable, ExpressibleByStringLiteral {
    /// What a peer chose.
    case text(String)
    /// What this program made: a number, a time, a heading.
    case own(String)

    /// A heading.
    package init(stringLiteral text: String) { self = .own(text) }

    fileprivate var written: String {
        switch self {
        case .own(let text): quoted(text)
        case .text(let text): quoted(isFormula(text) ? "'" + safeText(text) : safeText(text))
        }
    }
}

/// The end of each line, as RFC 4180 has it.
package let csvLineEnd = "\r\n"

private func quoted(_ text: String) -> String {
    let needsQuotes = text.unicodeScalars.contains { [",", "\"", "\r", "\n"].contains($0) }
    if !needsQuotes { return text }
    var result = "\""
    for scalar in text.unicodeScalars {
        if scalar == "\"" { result += "\"" }
        result.unicodeScalars.append(scalar)
    }
    return result + "\""
}

private func isFormula(_ text: String) -> Bool {
    // Control characters and spaces of any kind are passed over, as spreadsheets may do.
    let first = text.unicodeScalars.first { !$0.properties.isWhitespace && $0.properties.generalCategory != .control }
    switch first {
    case "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "\u{2212}": return true
    default: return false
    }
}
