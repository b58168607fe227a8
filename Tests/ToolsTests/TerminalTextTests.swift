import Testing
import ToolSupport

struct TerminalTextTests {
    @Test(arguments: [
        ("ana", "ana"), ("Zoë 你好 👩‍👩‍👧", "Zoë 你好 👩‍👩‍👧"), ("a\u{1B}[31mred", "a␛[31mred"), ("a\nb\tc", "a␊b␉c"),
        ("x\u{7F}\u{9B}2J", "x␡\u{FFFD}2J"), ("abc\u{202E}def", "abc\u{FFFD}def"),
        ("\u{FEFF}a\u{2028}b", "\u{FFFD}a\u{FFFD}b"),
    ])
    func `What could command a terminal is made visible`(text: String, safe: String) {
        #expect(safeText(text) == safe)
    }

    @Test(arguments: [
        ("", 0), ("ana", 3), ("Zoë", 3), ("e\u{301}", 1), ("你好", 4), ("ｱ", 1), ("Ａ", 2), ("한", 2), ("👩‍👩‍👧", 2),
        ("❤\u{FE0F}", 2), ("…", 1), ("🇫🇷", 2),
    ])
    func `Wide characters take two cells and marks none`(text: String, width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test func `A cut text fills at most the width and ends with an ellipsis`() {
        #expect("chloe".cut(to: 5) == "chloe")
        #expect("chloe".cut(to: 4) == "chl…")
        #expect("你好吗".cut(to: 4) == "你…")
        #expect("你好吗".cut(to: 5) == "你好…")
        #expect("abc".cut(to: 0) == "")
        for width in 0...12 { #expect("a你b好c吗d".cut(to: width).displayWidth <= width) }
    }

    @Test func `Columns are aligned by cells`() {
        var table = Table([.init("NAME", isFlexible: true), .init("N", .right), .init("NOTE")])
        table.rows = [["你好", "7", "x"], ["ana", "1234", "-"]]
        #expect(
            table.lines(width: nil, colors: false) == [
                "  NAME     N  NOTE",
                "  你好     7  x",
                "  ana   1234  -",
            ]
        )
    }

    @Test func `A table gives way in its flexible columns first`() {
        var table = Table([.init("NAME", isFlexible: true), .init("STATE"), .init("DEVICES", isFlexible: true)])
        table.rows = [["a person with a long name", "muted", "phone, laptop"]]
        let lines = table.lines(width: 40, colors: false)
        #expect(lines[1] == "  a person with a…  muted  phone, laptop")
        for width in 10...60 {
            for line in table.lines(width: width, colors: true) { #expect(bare(line).displayWidth <= width) }
        }
    }

    @Test func `Colours are around the text and not in its width`() {
        var table = Table([.init("A"), .init("B")])
        table.rows = [[.init("x", .green), "y"]]
        #expect(table.lines(width: nil, colors: true)[1] == "  \u{1B}[32mx\u{1B}[0m  y")
        #expect(table.lines(width: nil, colors: false)[1] == "  x  y")
    }

    @Test func `A name can't write beyond its cell`() {
        var table = Table([.init("NAME"), .init("B")])
        table.rows = [["\u{1B}[2J\r\nx", "y"]]
        let line = table.lines(width: nil, colors: false)[1]
        #expect(!line.unicodeScalars.contains { $0.value < 0x20 })
    }

    @Test(arguments: [
        (ColorChoice.auto, ["TERM": "xterm"], false), (.always, ["NO_COLOR": "1"], true), (.never, [:], false),
    ])
    func `Without a terminal there are colours only when asked for`(
        choice: ColorChoice,
        environment: [String: String],
        hasColors: Bool
    ) {
        let terminal = Terminal.detect(-1, colors: choice, environment: environment)
        #expect(terminal.hasColors == hasColors)
        #expect(terminal.width == nil)
        #expect(!terminal.isTerminal)
    }

    @Test func `A progress bar fits its width`() {
        let bar = ProgressBar("replay", total: 40, output: TextOutput(-1))
        #expect(bar.text(10, note: "3 joins", width: 60) == "[#######.......................] replay 25% 10/40 3 joins")
        #expect(bar.text(40, note: "", width: 30).hasSuffix("replay 100% 40/40"))
        for width in 1...80 { #expect(bar.text(7, note: "", width: width).displayWidth <= width) }
    }
}

/// The text without colours.
func bare(_ text: String) -> String {
    text.replacing(/\u{1B}\[[0-9;]*m/, with: "")
}
