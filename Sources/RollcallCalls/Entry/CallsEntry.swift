import Rollcall
import RollcallProtocol

/// What an app has said about itself: the rules of setting up, logging in and joining, without any I/O.
struct CallsEntry: Sendable {
    /// The relay's client; nil before the set-up.
    private(set) var client: RollcallClient?
    /// Who is logged in; nil is nobody.
    private(set) var user: CallsUser?

    /// Takes in where the relay is; keeps what was there before when that can't be used.
    mutating func setUp(_ settings: CallAppSettings, _ options: ClientOptions) throws(RollcallCallException) {
        var options = options
        options.clientName = settings.clientName
        do throws(RollcallError) {
            client = RollcallClient(try Address.parse(settings.relay), options: options)
        } catch {
            throw RollcallCallException(error)
        }
    }

    /// Logs a person in, in place of who was.
    mutating func logIn(_ identity: Identity) throws(RollcallCallException) -> CallsUser {
        if client == nil { throw .notSetUp() }
        try Self.check("uid", identity.uid, WireLimits.uid)
        try Self.check("name", identity.name ?? "", WireLimits.name)
        try Self.check("avatar", identity.avatar ?? "", WireLimits.avatar)
        try Self.check("device id", identity.device, WireLimits.device)
        let user = CallsUser(identity)
        self.user = user
        return user
    }

    /// Logs the person out.
    mutating func logOut() {
        user = nil
    }

    /// With what to join a call; refuses what can't be joined.
    func join(
        _ sessionID: String,
        _ settings: SessionSettings
    ) throws(RollcallCallException) -> (client: RollcallClient, identity: Identity) {
        guard let client else { throw .notSetUp() }
        guard let user else { throw .notLoggedIn() }
        if sessionID.isEmpty { throw .invalidSessionID("is empty") }
        if !WireLimits.session.contains(sessionID.utf8.count) {
            throw .invalidSessionID("has \(sessionID.utf8.count) bytes")
        }
        try settings.check()
        return (client, settings.identity(of: user.identity))
    }

    /// The relay to ask for logs.
    func logs() throws(RollcallCallException) -> RollcallClient {
        guard let client else { throw .notSetUp() }
        return client
    }

    private static func check(
        _ what: String,
        _ text: String,
        _ limit: ClosedRange<Int>
    ) throws(RollcallCallException) {
        let count = text.utf8.count
        if !limit.contains(count) { throw .invalidLogin(what, count, limit) }
    }
}
