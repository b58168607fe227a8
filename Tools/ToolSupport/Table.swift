/// Rows in aligned columns, for people.
///
/// Cells are made safe (see ``safeText(_:)``). Where the columns don't fit the width, the flexible ones give way, the
/// widest first; the last resort is to cut the line.
package struct Table: Sendable {
    /// A column.
    package struct Column: Sendable {
        /// Its heading.
        package var title: String
        /// Where shorter cells stand.
        package var alignment: Alignment
        /// Whether it may be cut when the line is too long.
        package var isFlexible: Bool

        /// A column.
        package init(_ title: String, _ alignment: Alignment = .left, isFlexible: Bool = false) {
            self.title = title
            self.alignment = alignment
            self.isFlexible = isFlexible
        }
    }

    /// Where a cell stands in its column.
    package enum Alignment: Sendable {
        /// At the left.
        case left
        /// At the right; for numbers.
        case right
    }

    /// A cell.
    package struct Cell: Sendable, ExpressibleByStringLiteral {
        /// Its text.
        package var text: String
        /// Its look.
        package var style: TextStyle

        /// A cell.
        package init(_ text: String, _ style: TextStyle = .plain) {
            self.text = text
            self.style = style
        }

        /// A plain cell.
        package init(stringLiteral text: String) { self.init(text) }
    }

    /// The columns.
    package var columns: [Column]
    /// The rows; each has a cell for each column.
    package var rows: [[Cell]] = []

    /// A table without rows.
    package init(_ columns: [Column]) {
        self.columns = columns
    }

    /// The narrowest that a flexible column gets.
    private static let least = 6
    private static let margin = "  "

    /// The table as lines, the headings first.
    ///
    /// - Parameters:
    ///   - width: The cells of a line; nil for any number.
    ///   - colors: Whether the styles show.
    package func lines(width: Int?, colors: Bool) -> [String] {
        let heading = columns.map { Cell($0.title, .bold) }
        let all = ([heading] + rows).map { row in row.map { Cell(safeText($0.text), $0.style) } }
        var widths = columns.indices.map { column in all.map { $0[column].text.displayWidth }.max() ?? 0 }
        if let width { shrink(&widths, to: width) }
        return all.map { line($0, widths, limit: width, colors: colors) }
    }

    private func shrink(_ widths: inout [Int], to width: Int) {
        var excess = widths.reduce(0) { $0 + $1 + Self.margin.count } - width
        while excess > 0 {
            let candidates = columns.indices.filter { columns[$0].isFlexible && widths[$0] > Self.least }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return }
            widths[widest] -= 1
            excess -= 1
        }
    }

    private func line(_ row: [Cell], _ widths: [Int], limit: Int?, colors: Bool) -> String {
        var line = ""
        var room = limit ?? .max
        for (index, cell) in row.enumerated() {
            if room <= Self.margin.count { break }
            room -= Self.margin.count
            let text = cell.text.cut(to: min(widths[index], room))
            let space = String(repeating: " ", count: max(0, min(widths[index], room) - text.displayWidth))
            let styled = cell.style.apply(text, colors: colors)
            // No spaces at the end of a line.
            let isLast = index == row.count - 1
            line += Self.margin
            line += columns[index].alignment == .right ? space + styled : isLast ? styled : styled + space
            room -= min(widths[index], room)
        }
        while line.last == " " { line.removeLast() }
        return line
    }
}
