public import RollcallProtocol

/// A client of one relay: the way into its calls.
///
/// It is a value and holds no connection. Each call has one of its own, made by ``join(_:as:status:options:)`` or
/// ``observe(_:as:)``, and each query opens one and closes it again.
public struct RollcallClient: Sendable {
    /// Where the relay listens.
    public let address: Address
    /// How the client behaves.
    public let options: ClientOptions

    /// A client of the relay at `address`.
    ///
    /// Nothing is connected yet.
    public init(_ address: Address, options: ClientOptions = ClientOptions()) {
        self.address = address
        self.options = options
    }

    /// Joins a call, and returns when its state is complete.
    ///
    /// Keep the ``Call``: when the last reference to it goes, the device leaves.
    ///
    /// - Parameters:
    ///   - session: The call's session id, 1..128 bytes of UTF-8, chosen by the app.
    ///   - identity: Who joins, from which device.
    ///   - status: What the device is like. What a lock or a policy of the call forbids is corrected, not refused: read
    ///     it from the state.
    ///   - options: What to say about the call.
    /// - Throws: Why not, such as ``RollcallError/Code/unreachable`` or ``RollcallError/Code/locked``; and
    ///   ``RollcallError/Code/cancelled`` when the task was cancelled, which leaves nothing behind.
    public func join(
        _ session: String,
        as identity: Identity,
        status: Status = Status(),
        options: JoinOptions = JoinOptions()
    ) async throws(RollcallError) -> Call {
        try await attend(.participant, session: session, identity: identity, status: status, options: options)
    }

    /// Watches a call without being in its roster, and returns when its state is complete.
    ///
    /// An observer keeps no call alive. It may watch a session id that nobody is in: the state is empty until somebody
    /// comes. One that may act for others (a media server, a bot) needs an `identity`.
    public func observe(_ session: String, as identity: Identity? = nil) async throws(RollcallError) -> Call {
        var unnamed = Identity(uid: "")
        unnamed.device = ""
        return try await attend(
            .observer,
            session: session,
            identity: identity ?? unnamed,
            status: Status(),
            options: JoinOptions()
        )
    }

    /// The relay's calls, in order of session id.
    public func calls() async throws(RollcallError) -> [CallSummary] {
        try await RelayQuery(self, "list the calls").calls()
    }

    /// The relay's connections, in order of number; needs the admin right.
    ///
    /// - Throws: ``RollcallError/Code/forbidden`` without the right.
    public func connections() async throws(RollcallError) -> [ConnectionInfo] {
        try await RelayQuery(self, "list the connections").connections()
    }

    /// One snapshot of a call, without attending it.
    ///
    /// - Throws: ``RollcallError/Code/noSuchCall`` when nobody is in it.
    public func peek(_ session: String) async throws(RollcallError) -> CallSnapshot {
        try await RelayQuery(self, "look at \(session)").peek(session)
    }

    /// Connects and measures the time from the greeting to the relay's answer, the connecting not included.
    public func ping() async throws(RollcallError) -> Duration {
        try await RelayQuery(self, "ping").roundTrip()
    }
}
