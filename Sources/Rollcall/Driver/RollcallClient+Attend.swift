import CallState
import RollcallProtocol
import Synchronization

extension RollcallClient {
    /// Joins or observes.
    func attend(
        _ mode: JoinMode,
        session: String,
        identity: Identity,
        status: Status,
        options join: JoinOptions
    ) async throws(RollcallError) -> Call {
        let who = identity.uid.isEmpty ? "an observer" : identity.uid
        let place = "\(session) as \(who) at \(address)"
        if let problem = address.problem { throw .invalidAddress("\(address)", problem) }
        var request = Join(
            session: ByteString(session),
            uid: ByteString(identity.uid),
            device: ByteString(identity.device)
        )
        request.mode = mode
        request.token = ByteString(identity.token ?? "")
        request.name = identity.name.map { ByteString($0) }
        request.avatar = identity.avatar.map { ByteString($0) }
        request.attributes = identity.attributes.map { Attribute(key: $0.key, value: $0.value) }
        request.attempt = AttemptCounter.begin()
        if mode == .participant {
            request.audioMuted = status.audio == .muted
            request.videoPaused = status.video == .paused
            request.presenting = status.isPresenting
            request.grace = join.grace?.milliseconds
            request.idle = join.idle?.milliseconds
            request.role = join.role
        }
        var configuration = ClientConfiguration(instance: options.instance, join: request)
        configuration.clientName = ByteString(options.clientName)
        configuration.handshakeTimeout = options.handshakeTimeout.milliseconds
        configuration.reconnect = options.reconnect
        configuration.maximumSnapshot = options.maximumSnapshot
        configuration.isTraced = options.onFrame != nil
        configuration.place = place
        try check(configuration, place: place)

        let driver = CallDriver(
            configuration,
            address: address,
            connectTimeout: options.connectTimeout.milliseconds,
            onFrame: options.onFrame,
            reactor: options.reactor
        )
        try await driver.join()
        return Call(driver: driver)
    }

    /// Refuses here what a relay would refuse by closing the connection.
    private func check(_ configuration: ClientConfiguration, place: String) throws(RollcallError) {
        let hello = Hello(clientName: configuration.clientName, instance: configuration.instance)
        do {
            try ClientFrame.hello(hello).check()
            try ClientFrame.join(configuration.join).check()
        } catch {
            throw RollcallError(
                code: .invalidArgument,
                message: "the value of \(error.field) can't be sent: \(error.detail)",
                place: place,
                underlying: error
            )
        }
    }
}

/// Numbers the calls of this process, so that a later one of the same device always has the higher attempts.
private enum AttemptCounter {
    private static let calls = Atomic<UInt64>(0)

    /// Where a new call begins to count; it has room for a million tries before the next one's begin.
    static func begin() -> UInt64 {
        (calls.add(1, ordering: .relaxed).newValue << 20) + 1
    }
}
