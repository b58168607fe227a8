import Foundation

/// When text is coloured.
package enum ColorChoice: String, CaseIterable, Sendable {
    /// On a terminal that can, unless NO_COLOR is set.
    case auto
    /// Always.
    case always
    /// Never.
    case never
}

/// What is known about where a text goes.
package struct Terminal: Sendable {
    /// Whether a person is looking.
    package var isTerminal: Bool
    /// Cells of a line; nil where lines have no end, such as in a file.
    package var width: Int?
    /// Whether styles show.
    package var hasColors: Bool

    /// A place for text.
    package init(isTerminal: Bool, width: Int?, hasColors: Bool) {
        self.isTerminal = isTerminal
        self.width = width
        self.hasColors = hasColors
    }

    /// What `descriptor` is connected to.
    package static func detect(
        _ descriptor: Int32,
        colors: ColorChoice = .auto,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Terminal {
        let isTerminal = isatty(descriptor) == 1
        let width = isTerminal ? windowWidth(descriptor) ?? environment["COLUMNS"].flatMap(Int.init) ?? 80 : nil
        let can = isTerminal && environment["TERM"] != "dumb" && (environment["NO_COLOR"] ?? "").isEmpty
        return Terminal(isTerminal: isTerminal, width: width, hasColors: colors == .always || colors == .auto && can)
    }

    private static func windowWidth(_ descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
