import Options
import Testing

@Suite("Sources of options")
struct SourceTests {
    @Test("Command line over environment over config file over default, each with its origin")
    func precedence() throws {
        let config = "# limits\n\nmax-people = 7   # a few\n"
        let environment = ["SAMPLE_MAX_PEOPLE": "8"]
        let byDefault = try Sample.relay.settings([])
        #expect(byDefault[Sample.people] == 2000)
        #expect(byDefault.origin(of: Sample.people) == .builtIn)

        let byConfig = try Sample.relay.settings([], config: config)
        #expect(byConfig[Sample.people] == 7)
        #expect(byConfig.origin(of: Sample.people) == .config(file: "file.conf", line: 3))

        let byEnvironment = try Sample.relay.settings([], environment: environment, config: config)
        #expect(byEnvironment[Sample.people] == 8)
        #expect(byEnvironment.origin(of: Sample.people) == .environment(variable: "SAMPLE_MAX_PEOPLE"))

        let byArgument = try Sample.relay.settings(["--max-people=9"], environment: environment, config: config)
        #expect(byArgument[Sample.people] == 9)
        #expect(byArgument.origin(of: Sample.people) == .commandLine)
    }

    @Test("The elements of a stronger source replace those of a weaker one")
    func lists() throws {
        let config = "listen = a\nlisten = b\n"
        #expect(try Sample.relay.settings([], config: config)[Sample.listen] == ["a", "b"])
        let environment = ["SAMPLE_LISTEN": "c, d"]
        #expect(try Sample.relay.settings([], environment: environment, config: config)[Sample.listen] == ["c", "d"])
        let line = ["--listen", "e"]
        #expect(try Sample.relay.settings(line, environment: environment, config: config)[Sample.listen] == ["e"])
    }

    @Test("A value names its origin when it is refused")
    func origins() {
        let variable = Sample.relay.error([], environment: ["SAMPLE_MAX_PEOPLE": "x"])
        #expect(variable?.origin == .environment(variable: "SAMPLE_MAX_PEOPLE"))
        #expect(variable?.description.hasPrefix("SAMPLE_MAX_PEOPLE: --max-people cannot be \"x\"; accepted is") == true)
        let line = Sample.relay.error([], config: "open = yes\nbuffer = x\n")
        #expect(line?.origin == .config(file: "file.conf", line: 2))
        #expect(line?.description.hasPrefix("file.conf:2: --buffer cannot be \"x\"") == true)
    }

    @Test("An empty variable counts as not set, and without a prefix the environment is not asked")
    func emptyVariable() throws {
        #expect(try Sample.relay.settings([], environment: ["SAMPLE_MAX_PEOPLE": ""])[Sample.people] == 2000)
        let environment = ["PROBE_CONNECT": "x", "_CONNECT": "x", "CONNECT": "x"]
        #expect(Sample.probe.error(["watch", "s"], environment: environment)?.code == .missing)
    }

    @Test("Of an option given twice on the command line, the last counts")
    func lastCounts() throws {
        #expect(try Sample.relay.settings(["--max-people=1", "--max-people", "2"])[Sample.people] == 2)
    }

    @Test("The config file may be named by the environment")
    func configByEnvironment() throws {
        var asked: [String] = []
        let request = try Sample.relay.parse(arguments: [], environment: ["SAMPLE_CONFIG": "/etc/c"]) { path in
            asked.append(path)
            return "open = on"
        }
        guard case .run(let settings) = request else {
            Issue.record("expected settings")
            return
        }
        #expect(settings[Sample.open])
        #expect(asked == ["/etc/c"])
    }

    @Test("Values in a config file: spaces, comments, quotes, DOS line ends")
    func configSyntax() throws {
        func store(_ line: String) throws -> String? { try Sample.relay.settings([], config: line)[Sample.store] }
        #expect(try store("store=a") == "a")
        #expect(try store("  store  =  a b  ") == "a b")
        #expect(try store("store = a#b # c") == "a#b")
        #expect(try store("store = \" a # b \"  # c") == " a # b ")
        #expect(try store(#"store = "say \"hi\" \\ there""#) == #"say "hi" \ there"#)
        #expect(try store("#x\r\nstore = a\r\nopen = yes\r\n") == "a")
        #expect(try store("store = a=b") == "a=b")
    }

    @Test(
        "A line that cannot be read is named with file and number",
        arguments: [
            ("open", "it has no ="), ("= yes", "it has no name"), ("store = \"a", "the closing quote is missing"),
            ("store = \"a\" b", "there is more after the closing quote"),
        ]
    )
    func malformed(_ line: String, _ reason: String) {
        let error = Sample.relay.error([], config: "\n\(line)\n")
        #expect(error?.code == .malformedLine)
        #expect(error?.origin == .config(file: "file.conf", line: 2))
        #expect(error?.reason == reason)
        #expect(
            error?.description == "file.conf:2: cannot read the line \"\(line)\": \(reason); accepted is name = value"
        )
    }

    @Test("An unknown name in a config file is refused with near ones, and so is config itself")
    func unknownInConfig() {
        let error = Sample.relay.error([], config: "max-poeple = 3")
        #expect(error?.code == .unknownOption)
        #expect(error?.suggestions == ["max-people"])
        #expect(error?.description == "file.conf:1: there is no option max-poeple; did you mean max-people?")
        #expect(Sample.relay.error([], config: "config = other")?.code == .unknownOption)
    }

    @Test("An option with one value must not have two in the config file")
    func repeatedInConfig() {
        let error = Sample.relay.error([], config: "buffer = 1KiB\nopen = yes\nbuffer = 2KiB\n")
        #expect(error?.code == .repeated)
        #expect(error?.description == "file.conf:3: buffer is given more than once: first at file.conf:1")
    }

    @Test("A config file that cannot be read is named with the reason")
    func unreadable() {
        struct Gone: Error, CustomStringConvertible { let description = "no such file" }
        #expect {
            try Sample.relay.parse(arguments: ["--config", "x.conf"]) { _ in throw Gone() }
        } throws: { error in
            (error as? OptionError)?.code == .unreadableConfig
                && "\(error)" == "cannot read the config file \"x.conf\": no such file"
        }
    }
}
