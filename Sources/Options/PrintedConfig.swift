extension Program {
    /// The effective options as a config file that would give them again, each with its origin as a comment.
    func printedConfig(of entries: [Settings.Entry]) -> String {
        var rows: [(line: String, note: String)] = []
        for entry in entries where entry.definition.name != Self.configOption.definition.name {
            if entry.texts.isEmpty {
                rows.append(("# \(entry.definition.name) =", "not set"))
            }
            for given in entry.texts {
                rows.append(("\(entry.definition.name) = \(quoted(given.text))", "\(given.origin)"))
            }
        }
        let width = rows.map(\.line.count).max() ?? 0
        return rows.map { row in
            row.line + String(repeating: " ", count: width - row.line.count) + "  # " + row.note
        }.joined(separator: "\n")
    }

    private func quoted(_ text: String) -> String {
        let needsQuotes = text.contains("#") || text != trimmed(text[...]) || text.isEmpty || text.first == "\""
        if !needsQuotes { return text }
        return "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
    }
}
