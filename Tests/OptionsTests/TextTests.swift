import Options
import Testing

@Suite("Texts about options")
struct TextTests {
    @Test("The help groups the options and states defaults")
    func help() throws {
        let help = try #require(try Sample.relay.text(["--help"]))
        #expect(
            help == """
                Usage: relay [OPTIONS]

                Relays.

                Listening:
                  --listen ADDRESS  Listen on ADDRESS. (repeatable)
                  --open            Let everybody in.

                Limits:
                  --ping-interval DURATION  Ping so often. (default 10s)
                  --buffer SIZE             Buffer so much. (default 64KiB)
                  --max-people N            Allow so many. (default 2000)
                  --even N                  Take an even number.

                Other:
                  --log-level info|warning|error
                                Log from this level on. (default info)
                  --store FILE  Keep calls in FILE.

                General:
                  --config FILE   Read options from FILE, a line "name = value" each.
                  --print-config  Print the effective options with their origin, and end.
                  -h, --help      Print this help, and end.
                  --version       Print the version, and end.

                On the command line the last value of an option counts, unless it is repeatable.
                Each option is also a variable, with this prefix and underscores: SAMPLE_NAME;
                in the config file, "name = value".
                """
        )
        #expect(try Sample.relay.text(["-h"]) == help)
    }

    @Test("The help of a program with commands lists them, and each has its own")
    func commandHelp() throws {
        let all = try #require(try Sample.probe.text(["--help"]))
        #expect(all.hasPrefix("Usage: probe COMMAND [OPTIONS]\n"))
        #expect(all.contains("\nCommands:\n  watch   Follows a call.\n  decode  Decodes files.\n"))
        #expect(all.hasSuffix("\n\nprobe COMMAND --help explains a command."))
        let watch = try #require(try Sample.probe.text(["watch", "--help"]))
        #expect(watch.hasPrefix("Usage: probe watch SESSION [TIMES] [OPTIONS]\n\nFollows a call.\n"))
        #expect(watch.contains("Arguments:\n  SESSION  The call.\n  TIMES    How often.\n"))
        #expect(watch.contains("Output:\n  --field TEXT  Show only this field. (repeatable)\n"))
        #expect(watch.contains("Connection:\n  --connect ADDRESS  Connect to ADDRESS.\n"))
        #expect(!watch.contains("variable"))
        let decode = try #require(try Sample.probe.text(["decode", "-h"]))
        #expect(decode.hasPrefix("Usage: probe decode [FILE...] [OPTIONS]\n"))
    }

    @Test("No line of the help is wider than 80 columns")
    func width() throws {
        let words = Array(repeating: "word", count: 60).joined(separator: " ")
        let option = Option<[Int]>.list("some-quite-long-name", .count(1...2), default: [1, 2], words)
        let program = Program(name: "p", summary: words, version: "1", groups: [OptionGroup("All", [option])])
        let lines = program.help().split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines.contains { $0.hasSuffix("(repeatable; default 1, 2)") })
    }

    @Test("The version is the name and the version")
    func version() throws {
        #expect(try Sample.relay.text(["--version"]) == "relay 1.2.3")
        #expect(try Sample.probe.text(["watch", "--version", "--nonsense"]) == "probe 1.2.3")
    }

    @Test("The effective configuration has each value with its origin, and gives the same when read back")
    func printedConfig() throws {
        let line = ["--print-config", "--config=c", "--store= a # \"b\\ ", "--listen", "unix:/s"]
        let config = "max-people = 5\nlog-level = error"
        let text = try #require(try Sample.relay.text(line, environment: ["SAMPLE_OPEN": "on"], config: config))
        let lines = text.split(separator: "\n").map(String.init)
        #expect(
            lines.map { $0.split(separator: " ").joined(separator: " ") } == [
                "listen = unix:/s # command line",
                "open = on # SAMPLE_OPEN",
                "ping-interval = 10s # default",
                "buffer = 64KiB # default",
                "max-people = 5 # c:1",
                "# even = # not set",
                "log-level = error # c:2",
                #"store = " a # \"b\\ " # command line"#,
            ]
        )
        let again = try Sample.relay.settings([], config: text)
        #expect(again[Sample.store] == " a # \"b\\ ")
        #expect(again[Sample.listen] == ["unix:/s"])
        #expect(again[Sample.people] == 5)
        #expect(again[Sample.level] == .error)
        #expect(again[Sample.open])
        #expect(again[Sample.even] == nil)
    }

    @Test("A wrong value is refused before anything is printed")
    func printedConfigChecks() {
        #expect(throws: OptionError.self) { try Sample.relay.text(["--print-config", "--max-people=0"]) }
    }
}
