import Testing
import Text

@testable import Relay

/// Takes the lines of a log.
private final class Lines {
    var all: [String] = []
}

@Suite struct LogTests {
    private func log(_ format: Log.Format, level: LogLevel = .info, into lines: Lines) -> Log {
        Log(level: level, format: format, wallClock: { 1_796_004_376_120 }, write: { lines.all.append($0) })
    }

    @Test func textLinesNameTheEventAndItsFacts() {
        let lines = Lines()
        log(.text, into: lines).line(.info, "meeting-began", [("session", .text("standup")), ("epoch", .number(17))])
        #expect(lines.all == ["2026-11-30T02:06:16.120Z info meeting-began session=standup epoch=17\n"])
    }

    @Test func jsonLinesAreOneObjectEach() {
        let lines = Lines()
        log(.json, into: lines).line(.warning, "accept-failed", [("cause", .text("EMFILE")), ("refused", .number(3))])
        #expect(
            lines.all == [
                #"{"time":"2026-11-30T02:06:16.120Z","level":"warning","event":"accept-failed","cause":"EMFILE","refused":3}"#
                    + "\n"
            ]
        )
    }

    @Test(arguments: [
        ("a b", #""a b""#), ("", #""""#), ("a\nb", #""a\nb""#), ("\u{1b}[2J", #""\u001b[2J""#), ("x=1", #""x=1""#),
        ("say \"hi\"", #""say \"hi\"""#), ("\u{85}", #""\u0085""#), ("Zoë", #""Zoë""#),
    ])
    func whatPeersChoseCannotBreakALine(text: String, written: String) {
        let lines = Lines()
        log(.text, into: lines).line(.info, "joined", [("uid", .text(text))])
        #expect(lines.all == ["2026-11-30T02:06:16.120Z info joined uid=\(written)\n"])
    }

    @Test func linesBelowTheLevelAreNotEvenMade() {
        let lines = Lines()
        var made = false
        func facts() -> [(StaticString, LogValue)] {
            made = true
            return []
        }
        let log = log(.text, level: .warning, into: lines)
        log.line(.info, "joined", facts())
        #expect(lines.all.isEmpty && !made)
        log.line(.error, "broken", facts())
        #expect(lines.all.count == 1 && made)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (4_107_542_399_000, "2100-02-28T23:59:59.000Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (1_798_761_599_001, "2026-12-31T23:59:59.001Z"),
        ] as [(UInt64, String)]
    )
    func timestampsAreISO8601InUTC(milliseconds: UInt64, text: String) {
        #expect(Timestamp(millisecondsSince1970: milliseconds).text == text)
    }
}
