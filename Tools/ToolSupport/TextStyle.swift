/// How a text looks on a terminal with colours.
package enum TextStyle: Sendable {
    /// As it comes.
    case plain
    /// Of little weight.
    case faint
    /// A heading.
    case bold
    /// Good, live.
    case green
    /// Worth a look.
    case yellow
    /// Wrong.
    case red
    /// A name or a value to find.
    case cyan

    /// The text in this style; unchanged when there are no colours.
    package func apply(_ text: String, colors: Bool) -> String {
        if !colors || text.isEmpty { return text }
        let code =
            switch self {
            case .plain: ""
            case .faint: "2"
            case .bold: "1"
            case .green: "32"
            case .yellow: "33"
            case .red: "31"
            case .cyan: "36"
            }
        return code.isEmpty ? text : "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}
