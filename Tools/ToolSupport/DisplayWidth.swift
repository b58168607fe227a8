// How many cells of a terminal a text takes. Terminals differ on rare characters; this follows the Unicode rules for
// East Asian width and emoji presentation, which the common ones follow too.

extension Character {
    /// The number of cells: 0, 1 or 2.
    package var displayWidth: Int {
        if let ascii = asciiValue { return ascii < 0x20 || ascii == 0x7F ? 0 : 1 }
        // A variation selector asks for the emoji form, which is wide.
        if unicodeScalars.contains("\u{FE0F}") { return 2 }
        return unicodeScalars.map(\.displayWidth).max() ?? 0
    }
}

extension StringProtocol {
    /// The number of cells.
    ///
    /// O(length).
    package var displayWidth: Int {
        reduce(0) { $0 + $1.displayWidth }
    }

    /// The text, cut to `width` cells with an ellipsis at the end where something is missing.
    package func cut(to width: Int) -> String {
        if displayWidth <= width { return String(self) }
        if width < 1 { return "" }
        var kept = ""
        var used = 0
        for character in self {
            let cells = character.displayWidth
            if used + cells > width - 1 { break }
            kept.append(character)
            used += cells
        }
        return kept + "…"
    }
}

extension Unicode.Scalar {
    var displayWidth: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        if properties.isEmojiPresentation { return 2 }
        return Self.wide.contains { $0.contains(value) } ? 2 : 1
    }

    /// The blocks that East Asian Width calls wide or full-width, as far as they hold letters and signs.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x17000...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x2FFFD,
        0x30000...0x3FFFD,
    ]
}
