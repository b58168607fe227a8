import Options
import Testing

@Suite("Command line")
struct CommandLineTests {
    @Test("An unknown option suggests near names")
    func unknownOption() {
        let error = Sample.relay.error(["--max-peple", "3"])
        #expect(error?.code == .unknownOption)
        #expect(error?.description == "there is no option --max-peple; did you mean --max-people?")
        #expect(Sample.relay.error(["--zzz=1"])?.suggestions == [])
        #expect(Sample.relay.error(["-x"])?.name == "-x")
        #expect(Sample.relay.error(["--print-confg"])?.suggestions == ["--print-config"])
        #expect(Sample.relay.error(["--no-store"])?.code == .unknownOption)
        #expect(Sample.relay.error(["--no-opem"])?.code == .unknownOption)
        #expect(Sample.probe.error(["--print-config"])?.code == .unknownOption)
        #expect(Sample.relay.error(["--help=me"])?.code == .unknownOption)
    }

    @Test("An option without its value says what it wants")
    func missingValue() throws {
        let atEnd = Sample.relay.error(["--max-people"])
        #expect(atEnd?.code == .missingValue)
        #expect(atEnd?.description == "--max-people needs a value; accepted is a whole number from 1 to 5000")
        let followed = Sample.relay.error(["--store", "--open"])
        #expect(followed?.code == .missingValue)
        #expect(followed?.reason == "it is followed by --open; if that is the value, write --store=--open")
        #expect(try Sample.relay.settings(["--store=--open"])[Sample.store] == "--open")
        #expect(try Sample.relay.settings(["--store", "-"])[Sample.store] == "-")
    }

    @Test("Commands take arguments by name, and options before and after the command")
    func commands() throws {
        let settings = try Sample.probe.settings(["--connect", "a", "watch", "standup", "--field", "hand", "3"])
        #expect(settings.command == "watch")
        #expect(settings[Sample.connect] == "a")
        #expect(settings[Sample.session] == "standup")
        #expect(settings[Sample.times] == 3)
        #expect(settings[Sample.field] == ["hand"])
        let short = try Sample.probe.settings(["watch", "standup", "--connect=a"])
        #expect(short[Sample.times] == nil)
        #expect(short.origin(of: Sample.session) == .commandLine)
        let files = try Sample.probe.settings(["decode", "--connect=a", "x", "-", "--", "--y"])
        #expect(files[Sample.files] == ["x", "-", "--y"])
        #expect(try Sample.probe.settings(["decode", "--connect=a"])[Sample.files] == [])
    }

    @Test("A program without commands takes arguments, too")
    func argumentsOnly() throws {
        let settings = try Sample.cat.settings(["a", "b", "c"])
        #expect(settings.command == nil)
        #expect(settings[Sample.session] == "a")
        #expect(settings[Sample.files] == ["b", "c"])
    }

    @Test("An unknown command suggests near ones or lists all")
    func unknownCommand() {
        let near = Sample.probe.error(["wacth"])
        #expect(near?.code == .unknownCommand)
        #expect(near?.description == "there is no command wacth; did you mean watch?")
        #expect(Sample.probe.error(["zzzz"])?.description == "there is no command zzzz; accepted is watch, decode")
    }

    @Test("A missing command lists all")
    func missingCommand() {
        let error = Sample.probe.error(["--connect=a"])
        #expect(error?.code == .missingCommand)
        #expect(error?.description == "a command is missing; accepted is watch, decode")
    }

    @Test("A missing argument and a missing option are named")
    func missing() {
        let argument = Sample.probe.error(["watch", "--connect=a"])
        #expect(argument?.code == .missing)
        #expect(argument?.description == "SESSION is missing; accepted is a text that is not empty")
        #expect(argument?.origin == nil)
        let option = Sample.probe.error(["watch", "standup"])
        #expect(option?.description == "--connect is missing; accepted is a text that is not empty")
    }

    @Test("An argument that is not accepted is named")
    func invalidArgument() {
        let error = Sample.probe.error(["watch", "standup", "10", "--connect=a"])
        #expect(error?.description == "TIMES cannot be \"10\"; accepted is a whole number from 1 to 9")
    }

    @Test("An argument too many is named with the usage")
    func unexpectedArgument() {
        let error = Sample.relay.error(["extra"])
        #expect(error?.code == .unexpectedArgument)
        #expect(error?.description == "there is an argument too many: \"extra\": usage is relay [OPTIONS]")
        #expect(Sample.probe.error(["watch", "a", "1", "b", "--connect=a"])?.value == "b")
    }

    @Test("A command's option is unknown to another command")
    func otherCommandsOption() {
        #expect(Sample.probe.error(["decode", "--field=x", "--connect=a"])?.code == .unknownOption)
    }

    @Test("The program can refuse a value that the table accepts")
    func refusal() throws {
        let settings = try Sample.relay.settings(["--listen=a", "--listen=b"], environment: ["SAMPLE_BUFFER": "2KiB"])
        let buffer = settings.refusal(
            of: Sample.buffer,
            because: "it is too small for one frame",
            accepted: "4KiB or more"
        )
        #expect(buffer.code == .invalidValue)
        #expect(
            buffer.description
                == "SAMPLE_BUFFER: --buffer cannot be \"2KiB\": it is too small for one frame; accepted is 4KiB or more"
        )
        #expect(settings.refusal(of: Sample.listen, because: "no").value == "a,b")
        let session = try Sample.cat.settings(["a"]).refusal(of: Sample.session, because: "no")
        #expect(session.name == "SESSION")
    }

    @Test("A mistake in the config file or the environment has another exit status than one on the command line")
    func exitStatus() {
        #expect(Sample.relay.error(["--zzz"])?.exitStatus == 64)
        #expect(Sample.probe.error([])?.exitStatus == 64)
        #expect(Sample.relay.error([], environment: ["SAMPLE_OPEN": "x"])?.exitStatus == 78)
        #expect(Sample.relay.error([], config: "zzz = 1")?.exitStatus == 78)
    }

    @Test("Names are near by edits and by their beginning, the nearest first, three at most")
    func near() {
        #expect(nearNames(to: "standpu", in: ["retro", "standup"]) == ["standup"])
        #expect(nearNames(to: "sta", in: ["standup", "x"]) == ["standup"])
        #expect(nearNames(to: "s", in: ["standup"]) == [])
        #expect(
            nearNames(to: "call-1", in: ["call-22", "call-2", "call-3", "call-4", "call-5"]) == [
                "call-2", "call-3", "call-4",
            ]
        )
        #expect(nearNames(to: "", in: ["a", ""]) == ["", "a"])
        #expect(nearNames(to: "kitten", in: ["sitting"]) == [])
    }
}
