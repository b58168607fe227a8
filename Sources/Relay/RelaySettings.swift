public import Addresses
import CallState
public import EventLoop
public import Options
public import RelayCore
import RollcallProtocol

/// Everything that a relay needs to run, made from its options and checked as a whole.
public struct RelaySettings: Sendable {
    /// Where to listen.
    public var addresses: [Address]
    /// Whether to listen beyond this machine although anybody could join any call.
    public var isOpenToNetwork = false
    /// Mode and owner of UNIX sockets.
    public var access = SocketFileAccess()
    /// Loops that share the calls, each with a thread of its own, 1 to 64.
    public var loops = 1
    /// The rules' settings.
    public var rules = RelayConfiguration()
    /// Whether somebody asked for this limit of connections, and wants to hear when the system gives less.
    public var hasOwnConnectionLimit = false
    /// On a stop: clients shall come back after so many ms.
    public var resumeAfter: UInt64 = 1_000
    /// So many bytes the system may keep unsent for a client that attends a call.
    ///
    /// More of them would only be older: what has not been handed over yet is merged.
    public var socketBuffer = RelaySettings.defaultSocketBuffer
    /// The file that calls are kept in; nil keeps them in memory.
    public var store: String?
    /// How a line of the log is written.
    public var logFormat = Log.Format.text
    /// Lines below this are not made.
    public var logLevel = LogLevel.info

    static let defaultSocketBuffer = 32 * 1024
    /// What a client that is behind takes over TCP in so many ms may be on its way to it.
    static let paceTime = 500

    /// So many unsent bytes the system may keep for a client, which may be behind.
    ///
    /// Over TCP what is on its way through the network comes on top, as much as the path takes, so that little more is
    /// enough there; a UNIX socket has nothing else.
    func unsentBytes(over transport: Stream.Transport, isBehind: Bool) -> Int {
        switch transport {
        case .tcp: isBehind ? min(socketBuffer, 2 * 1024) : max(min(socketBuffer, 2 * 1024), socketBuffer / 8)
        case .unix: isBehind ? min(socketBuffer, 8 * 1024) : socketBuffer
        }
    }

    /// A relay with default rules.
    public init(addresses: [Address]) {
        self.addresses = addresses
    }

    /// Reads the options.
    ///
    /// Throws where options contradict each other.
    public init(_ options: Settings) throws(OptionError) {
        addresses = options[RelayOptions.listen]
        if addresses.isEmpty {
            throw options.refusal(of: RelayOptions.listen, because: "there is nowhere to listen")
        }
        isOpenToNetwork = options[RelayOptions.openToNetwork]
        access = SocketFileAccess(
            mode: options[RelayOptions.socketMode],
            user: options[RelayOptions.socketUser],
            group: options[RelayOptions.socketGroup]
        )
        if let name = options[RelayOptions.relayID] { rules.relayID = ByteString(name) }
        rules.helloTimeout = UInt64(options[RelayOptions.helloTimeout])
        rules.pingInterval = UInt64(options[RelayOptions.pingInterval])
        rules.deadAfter = UInt64(options[RelayOptions.deadAfter])
        if rules.deadAfter < 2 * rules.pingInterval {
            throw options.refusal(
                of: RelayOptions.deadAfter,
                because: "a client answers a Ping every \(rules.pingInterval) ms and would be taken for lost",
                accepted: "at least twice --ping-interval"
            )
        }
        rules.grace = UInt64(options[RelayOptions.grace])
        rules.idle = UInt64(options[RelayOptions.idle])
        rules.tick = UInt64(options[RelayOptions.tick])
        rules.storeTimeout = UInt64(options[RelayOptions.storeTimeout])
        rules.stallTimeout = UInt64(options[RelayOptions.stallTimeout])
        rules.closeTimeout = UInt64(options[RelayOptions.closeTimeout])
        resumeAfter = UInt64(options[RelayOptions.resumeAfter])
        loops = options[RelayOptions.loops] ?? min(ProcessSettings.coreCount, RelayOptions.maximumLoops)
        rules.maximumConnections = options[RelayOptions.maxConnections]
        hasOwnConnectionLimit = options.origin(of: RelayOptions.maxConnections) != .builtIn
        rules.maximumCalls = options[RelayOptions.maxCalls]
        rules.limits.people = UInt64(options[RelayOptions.maxPeople])
        rules.maximumObservers = options[RelayOptions.maxObservers]
        rules.maximumDevicesPerPerson = options[RelayOptions.maxDevices]
        rules.limits.attributes = UInt64(options[RelayOptions.maxAttributes])
        rules.maximumTombstones = options[RelayOptions.maxTombstones]
        rules.limits.frame = UInt64(options[RelayOptions.maxFrame])
        rules.maximumDelta = options[RelayOptions.maxDelta]
        rules.ringBytes = options[RelayOptions.ringSize]
        socketBuffer = options[RelayOptions.socketBuffer]
        rules.commandRate = options[RelayOptions.commandRate]
        rules.callCommandRate = options[RelayOptions.callCommandRate]
        rules.frameRate = options[RelayOptions.frameRate]
        rules.joinRate = options[RelayOptions.joinRate]
        rules.attendance.meetings = options[RelayOptions.attendanceMeetings]
        rules.attendance.rows = options[RelayOptions.attendanceRows]
        rules.attendance.bytes = options[RelayOptions.attendanceSize]
        store = options[RelayOptions.store]
        rules.durability = try Self.durability(options)
        rules.isAdminOpen = options[RelayOptions.openAdmin]
        logFormat = options[RelayOptions.logFormat]
        logLevel = options[RelayOptions.logLevel]
    }

    /// What the file of ``RelayOptions/store`` is for.
    private static func durability(_ options: Settings) throws(OptionError) -> RelayConfiguration.Durability {
        let durability = options[RelayOptions.durability]
        guard let path = options[RelayOptions.store] else {
            guard let durability, durability != .none else { return .none }
            throw options.refusal(
                of: RelayOptions.durability,
                because: "there is no file to keep calls in",
                accepted: "\(durability.rawValue) together with --store FILE, or none"
            )
        }
        if durability == RelayConfiguration.Durability.none {
            throw options.refusal(
                of: RelayOptions.durability,
                because: "nothing would be kept in \(path)",
                accepted: "async or sync together with --store, or none without it"
            )
        }
        return durability ?? .sync
    }

    /// Throws when an open relay would be reachable from another machine without having been told so.
    ///
    /// May ask the network for the addresses of a host name; a name that has none is left to the listener.
    public func checkReach() throws(OpenRelayError) {
        guard !isOpenToNetwork else { return }
        for address in addresses where !address.isLocal {
            guard let resolved = try? address.resolved() else { continue }
            if !resolved.allSatisfy(\.isLocal) { throw OpenRelayError(address: address) }
        }
    }

    /// Throws when an open relay is bound beyond this machine without having been told so.
    ///
    /// A host name may have got another address since ``checkReach()``; this looks at what was bound.
    func checkReach(ofBound bound: [Address]) throws(OpenRelayError) {
        guard !isOpenToNetwork else { return }
        for address in bound where !address.isLocal { throw OpenRelayError(address: address) }
    }
}

/// An open relay would be reachable from another machine.
public struct OpenRelayError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Where it was to listen.
    public let address: Address

    /// What happened, why, and what to do.
    public var description: String {
        """
        refusing to listen on \(address) without tokens: anybody could join any call.
          Listen on a UNIX socket or a loopback address, or give --open-to-network if you mean it.
        """
    }
}
