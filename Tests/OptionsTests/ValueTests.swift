import Options
import Testing

@Suite("Values of options")
struct ValueTests {
    @Test(
        "A duration has a unit",
        arguments: [("250ms", 250), ("15s", 15_000), ("1m", 60_000), ("100ms", 100), ("60000ms", 60_000)]
    )
    func duration(_ text: String, _ milliseconds: Int) throws {
        #expect(try Sample.relay.settings(["--ping-interval", text])[Sample.ping] == milliseconds)
    }

    @Test(
        "A duration that is not one, or is out of range, is refused with what is accepted",
        arguments: [
            "15", "15 s", "s", "-1s", "1.5s", "99ms", "61s", "99999999999999999999s", "9999999999999999h", "", "٣s",
        ]
    )
    func badDuration(_ text: String) {
        let error = Sample.relay.error(["--ping-interval=\(text)"])
        #expect(error?.code == .invalidValue)
        #expect(error?.name == "--ping-interval")
        #expect(error?.value == text)
        #expect(error?.origin == .commandLine)
        #expect(error?.accepted == "a duration such as 250ms, 15s or 2m, from 100ms to 1m")
    }

    @Test("Zero needs no unit, and an hour is known")
    func durationEdges() throws {
        let option = Option<Int>.value("grace", .duration(0...7_200_000), default: 0, "Wait.")
        let program = Program(name: "p", summary: "", version: "1", groups: [OptionGroup("All", [option])])
        #expect(try program.settings(["--grace=0"])[option] == 0)
        #expect(try program.settings(["--grace=2h"])[option] == 7_200_000)
        #expect(try program.settings([])[option] == 0)
    }

    @Test(
        "A size has a binary unit or is in bytes",
        arguments: [("64KiB", 65_536), ("1MiB", 1 << 20), ("1024", 1024), ("2048B", 2048)]
    )
    func size(_ text: String, _ bytes: Int) throws {
        #expect(try Sample.relay.settings(["--buffer", text])[Sample.buffer] == bytes)
    }

    @Test("Any other size is refused", arguments: ["64KB", "64k", "2MiB", "1GiB", "1023", "KiB", "8589934592GiB"])
    func badSize(_ text: String) {
        let error = Sample.relay.error(["--buffer", text])
        #expect(error?.code == .invalidValue)
        #expect(error?.accepted == "a size such as 64KiB or 1MiB, from 1KiB to 1MiB")
    }

    @Test("A count is a whole number within its range")
    func count() throws {
        #expect(try Sample.relay.settings(["--max-people", "5000"])[Sample.people] == 5000)
        for text in ["0", "5001", "many", "1e3", ""] {
            let error = Sample.relay.error(["--max-people=\(text)"])
            #expect(error?.code == .invalidValue)
            #expect(error?.accepted == "a whole number from 1 to 5000")
        }
    }

    @Test("A choice is one of the cases, spelled exactly")
    func choice() throws {
        #expect(try Sample.relay.settings(["--log-level", "warning"])[Sample.level] == .warning)
        let error = Sample.relay.error(["--log-level", "Warning"])
        #expect(error?.description == "--log-level cannot be \"Warning\"; accepted is info, warning, error")
    }

    @Test("A flag is on when given, off when taken back, and has words for both elsewhere")
    func flag() throws {
        #expect(try !Sample.relay.settings([])[Sample.open])
        #expect(try Sample.relay.settings(["--open"])[Sample.open])
        #expect(try !Sample.relay.settings(["--open", "--no-open"])[Sample.open])
        for (text, value) in [
            ("yes", true), ("TRUE", true), ("on", true), ("1", true), ("no", false), ("false", false),
            ("off", false), ("0", false),
        ] {
            #expect(try Sample.relay.settings(["--open=\(text)"])[Sample.open] == value)
            #expect(try Sample.relay.settings([], environment: ["SAMPLE_OPEN": text])[Sample.open] == value)
        }
        #expect(Sample.relay.error(["--open=perhaps"])?.accepted == "yes or no")
    }

    @Test("A text must not be empty, and an optional one can be left out")
    func text() throws {
        #expect(try Sample.relay.settings([])[Sample.store] == nil)
        #expect(try Sample.relay.settings(["--store", "a b"])[Sample.store] == "a b")
        #expect(Sample.relay.error(["--store="])?.code == .invalidValue)
    }

    @Test("A type of the program's own gives its reason")
    func custom() throws {
        #expect(try Sample.relay.settings(["--even", "4"])[Sample.even] == 4)
        let odd = Sample.relay.error(["--even", "5"])
        #expect(odd?.reason == "it is odd")
        #expect(odd?.description == "--even cannot be \"5\": it is odd; accepted is an even number")
        #expect(Sample.relay.error(["--even", "x"])?.reason == nil)
    }

    @Test("A list keeps its order, and names the element that is wrong")
    func list() throws {
        #expect(try Sample.relay.settings([])[Sample.listen] == [])
        #expect(try Sample.relay.settings(["--listen", "b", "--listen=a"])[Sample.listen] == ["b", "a"])
        #expect(Sample.relay.error(["--listen", "a", "--listen="])?.value == "")
    }
}
