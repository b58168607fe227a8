import Addresses
import CallStore
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
            case .run(let options):
                if let file = options[RelayOptions.check] { return check(file) }
                settings = try RelaySettings(options)
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
        ProcessSettings.ignoreWriteSignals()
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
        } catch let error as StoreError {
            errors.write(complaint("can't keep calls in \(error)"))
            return exitStatus(of: error)
        } catch let error as UnkeptError {
            errors.write(complaint("\(error)"))
            return EX_IOERR
        } catch let error as ListenError {
            errors.write(complaint("\(error)"))
            return exitStatus(of: error)
        } catch {
            errors.write(complaint("\(error)"))
            return EX_OSERR
        }
    }

    private static func serve(_ settings: RelaySettings, _ log: Log) throws {
        let wanted = settings.rules.maximumConnections + max(64, 32 + 8 * settings.loops)
        let granted = ProcessSettings.raiseDescriptorLimit(to: wanted)
        let loop = try EventLoop()
        defer { loop.shutDown() }
        // Before everything that takes time, and before there is something to leave behind. The loop reports a signal
        // once it runs.
        let served = Served()
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            _ = try SignalWatcher(loop: loop, signal: signal) { served.relay?.stop() }
        }
        _ = try SignalWatcher(loop: loop, signal: SIGUSR1) { served.relay?.logCounters() }
        // Before the sockets exist: a file that can't be used leaves nothing behind.
        let store = try openStore(settings, log)
        let relay = try RelayLoops(loop: loop, settings: settings, log: log, store: store) {
            SystemNumbers()
        }
        served.relay = relay.first
        try relay.start()
        if granted < wanted, settings.hasOwnConnectionLimit { warn(log, wanted: wanted, granted: granted) }
        announce(relay.boundAddresses, to: log)
        // Nothing on the loop holds the servers once their connections have closed.
        withExtendedLifetime(relay) { loop.run() }
        relay.finish()
        if let loss = relay.first.loss { throw UnkeptError(loss: loss, path: settings.store ?? "memory") }
    }

    /// The relay that signals are for.
    private final class Served {
        weak var relay: RelayServer?
    }

    /// The store that the settings name; nil is in memory.
    private static func openStore(_ settings: RelaySettings, _ log: Log) throws(StoreError) -> SQLiteStore? {
        guard let path = settings.store else { return nil }
        let store = try SQLiteStore(path: path, limits: settings.rules.attendance, wallClock: wallClock)
        log.line(
            .info,
            "store-opened",
            [("path", .text(path)), ("durability", .text(settings.rules.durability.rawValue))]
        )
        return store
    }

    /// Prints what is in the file of a store and what is wrong with it.
    private static func check(_ file: String) -> Int32 {
        do throws(StoreError) {
            let check = try StoreCheck(path: file) { RelayCore.fault(ofKept: $1, session: $0) }
            print(StoreReport.text(of: check), terminator: "")
            return check.isSound ? EX_OK : EX_DATAERR
        } catch {
            complain("\(error)")
            return error.code == .notFound ? EX_NOINPUT : exitStatus(of: error)
        }
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

    private static func exitStatus(of error: StoreError) -> Int32 {
        switch error.code {
        case .notFound: EX_CANTCREAT
        case .notAFile: EX_CONFIG
        case .inUse: EX_UNAVAILABLE
        case .notPermitted: EX_NOPERM
        case .foreign, .newer, .damaged: EX_DATAERR
        case .system: EX_IOERR
        }
    }

    /// For an end before anything was begun.
    private static func complain(_ text: String) {
        LineWriter.writeNow(Array(complaint(text).utf8), to: STDERR_FILENO)
    }

    private static func complaint(_ text: String) -> String { "rollcall-relay: \(text)\n" }
}
