import Text

/// How important a line of the log is.
public enum LogLevel: String, Comparable, CaseIterable, Sendable {
    /// Each join, leave and refusal.
    case debug
    /// Starts, stops, meetings.
    case info
    /// Something is not as it should be and the relay goes on.
    case warning
    /// The relay can't do what it was asked to.
    case error

    /// By importance.
    public static func < (left: LogLevel, right: LogLevel) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A fact of a log line: a name and its value.
public enum LogValue: Sendable {
    /// Text that may come from a peer: it is quoted and escaped.
    case text(String)
    /// A number.
    case number(UInt64)
}

/// Structured lines: a constant event name and its facts, as text for people or as one JSON object for programs.
public struct Log {
    /// How a line is written.
    public enum Format: String, CaseIterable, Sendable {
        /// `2026-11-30T02:06:16.120Z info meeting-began session=standup epoch=17`.
        case text
        /// `{"time":"2026-11-30T02:06:16.120Z","level":"info","event":"meeting-began","session":"standup","epoch":17}`.
        case json
    }

    /// Lines below this are not made.
    public let level: LogLevel
    /// How a line is written.
    public let format: Format
    private let wallClock: () -> UInt64
    private let write: (String) -> Void

    /// A log that gives each finished line (with its newline) to `write`.
    ///
    /// - Parameters:
    ///   - level: Lines below this are not made.
    ///   - format: How a line is written.
    ///   - wallClock: ms since 1970.
    ///   - write: Takes a line.
    public init(
        level: LogLevel,
        format: Format,
        wallClock: @escaping () -> UInt64,
        write: @escaping (String) -> Void
    ) {
        self.level = level
        self.format = format
        self.wallClock = wallClock
        self.write = write
    }

    /// Whether a line of this level is written; lets callers skip making the facts.
    public func takes(_ level: LogLevel) -> Bool { level >= self.level }

    /// Writes a line, unless its level is below the log's: then the facts are not even made.
    public func line(_ level: LogLevel, _ event: StaticString, _ facts: @autoclosure () -> [(StaticString, LogValue)]) {
        guard takes(level) else { return }
        let time = Timestamp(millisecondsSince1970: wallClock()).text
        switch format {
        case .text:
            var line = "\(time) \(level.rawValue) \(event)"
            for (name, value) in facts() {
                line += " \(name)="
                switch value {
                case .text(let text): line += Log.isPlain(text) ? text : jsonQuoted(text)
                case .number(let number): line += String(number)
                }
            }
            write(line + "\n")
        case .json:
            var line = "{\"time\":\"\(time)\",\"level\":\"\(level.rawValue)\",\"event\":\"\(event)\""
            for (name, value) in facts() {
                line += ",\"\(name)\":"
                switch value {
                case .text(let text): line += jsonQuoted(text)
                case .number(let number): line += String(number)
                }
            }
            write(line + "}\n")
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=") }
    }
}
