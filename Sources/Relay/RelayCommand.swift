import Addresses
import EventLoop
import Options
import RelayCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The program `rollcall-relay`: options in, exit status out.
public enum RelayCommand {
    /// Runs a relay until it is told to stop, and gives the exit status (sysexits).
    public static func run(arguments: [String], environment: [String: String]) -> Int32 {
        let settings: RelaySettings
        do throws(OptionError) {
            switch try RelayOptions.program.parse(
                arguments: arguments,
                environment: environment,
                readFile: TextFile.read
            ) {
            case .printText(let text):
                print(text)
                return EX_OK
            case .run(let options): settings = try RelaySettings(options)
            }
        } catch {
            complain("\(error)")
            return error.exitStatus
        }
        do throws(OpenRelayError) {
            try settings.checkReach()
        } catch {
            complain("\(error)")
            return EX_CONFIG
        }
        return serve(settings)
    }

    private static func serve(_ settings: RelaySettings) -> Int32 {
        ProcessSettings.ignoreBrokenPipeSignal()
        let (level, format) = (settings.logLevel, settings.logFormat)
        let errors = LineWriter(STDERR_FILENO) { lines in
            var text = ""
            let log = Log(level: level, format: format, wallClock: wallClock, write: { text += $0 })
            log.line(.error, "log-lines-lost", [("lines", .number(lines))])
            return text
        }
        // Nobody needs to read the log for the relay to end.
        defer { errors.close(within: 1_000) }
        let log = Log(level: level, format: format, wallClock: wallClock, write: errors.write)
        do {
            try serve(settings, log)
            return EX_OK
        } catch let error as OpenRelayError {
            errors.write(complaint("\(error)"))
            return EX_CONFIG
        } catch let error as ListenError {
            errors.write(complaint("\(error)"))
            return exitStatus(of: error)
        } catch {
            errors.write(complaint("\(error)"))
            return EX_OSERR
        }
    }

    private static func serve(_ settings: RelaySettings, _ log: Log) throws {
        let wanted = settings.rules.maximumConnections + 64
        let granted = ProcessSettings.raiseDescriptorLimit(to: wanted)
        let loop = try EventLoop()
        defer { loop.shutDown() }
        let server = RelayServer(loop: loop, settings: settings, log: log, random: SystemRandomNumberGenerator())
        // Before the sockets exist: a signal in between would leave their files behind. The loop reports it once it
        // runs.
        for signal in [SIGTERM, SIGINT] {
            _ = try SignalWatcher(loop: loop, signal: signal) { [unowned server] in server.stop() }
        }
        _ = try SignalWatcher(loop: loop, signal: SIGUSR1) { [unowned server] in server.logCounters() }
        try server.start()
        try settings.checkReach(ofBound: server.boundAddresses)
        if granted < wanted, settings.hasOwnConnectionLimit { warn(log, wanted: wanted, granted: granted) }
        announce(server.boundAddresses, to: log)
        // Nothing on the loop holds the server once its connections have closed.
        withExtendedLifetime(server) { loop.run() }
    }

    @Sendable private static func wallClock() -> UInt64 { UInt64(max(0, EventLoop.wallClock())) }

    private static func warn(_ log: Log, wanted: Int, granted: Int) {
        log.line(
            .warning,
            "descriptor-limit",
            [("wanted", .number(UInt64(wanted))), ("granted", .number(UInt64(granted)))]
        )
    }

    /// Says on standard output that the relay can be used now, and where.
    private static func announce(_ addresses: [Address], to log: Log) {
        for address in addresses {
            log.line(.info, "listening", [("address", .text("\(address)"))])
            print("rollcall-relay: listening on \(address)")
        }
        log.line(.info, "ready", [("version", .text(ProductVersion.text)), ("pid", .number(UInt64(getpid())))])
        print("rollcall-relay: ready")
        fflush(nil)
    }

    private static func exitStatus(of error: ListenError) -> Int32 {
        switch error.code {
        case .addressInUse: EX_UNAVAILABLE
        case .hostNotFound: EX_NOHOST
        case .pathTooLong, .notASocket, .ownerNotFound: EX_CONFIG
        case .system:
            switch error.cause?.name {
            case "EACCES", "EPERM": EX_NOPERM
            case "ENOENT", "ENOTDIR", "EROFS": EX_CANTCREAT
            default: EX_OSERR
            }
        }
    }

    /// For an end before anything was begun.
    private static func complain(_ text: String) {
        LineWriter.writeNow(Array(complaint(text).utf8), to: STDERR_FILENO)
    }

    private static func complaint(_ text: String) -> String { "rollcall-relay: \(text)\n" }
}
