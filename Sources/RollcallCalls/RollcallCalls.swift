import Dispatch
import Rollcall
import Synchronization

/// The way in: which relay, who I am, and into which call.
///
/// ```swift
/// RollcallCalls(callsAppSettings: CallAppSettingsBuilder().setRelay("unix:/tmp/rollcall.sock").build()) { _ in
///     RollcallCalls.login(UID: "ana", name: "Ana") { _ in
///         let settings = RollcallCalls.sessionSettingsBuilder.startAudioMuted(true).build()
///         RollcallCalls.joinSession(sessionID: "standup", callSetting: settings) { _ in
///             CallSession.shared.raiseHand()
///         } onError: { print($0?.errorDescription ?? "") }
///     } onError: { print($0.errorDescription) }
/// } onError: { print($0?.errorDescription ?? "") }
/// ```
///
/// All of it serves ``CallSession/shared``: one relay, one person and one call at a time, for the whole app. It may be
/// used from any thread. Of `onSuccess` and `onError` exactly one is called, once, on the callback queue of the shared
/// session, the main queue unless another is chosen, and never from within the call itself. Each method has an
/// `async` form that throws a ``RollcallCallException`` instead.
public final class RollcallCalls: Sendable {
    private static let entry = Mutex(CallsEntry())

    /// Sets the module up for a relay, in place of the one before.
    ///
    /// Nothing is connected. A call that goes on stays where it is; the next join uses the new relay. Whoever is logged
    /// in stays so.
    ///
    /// - Parameters:
    ///   - callsAppSettings: Which relay.
    ///   - onSuccess: Is given the relay's address.
    ///   - onError: Is told why the address can't be used: `INIT ERROR`.
    @discardableResult
    public init(
        callsAppSettings: CallAppSettings,
        onSuccess: @escaping (String) -> Void,
        onError: @escaping (RollcallCallException?) -> Void
    ) {
        let answer = Result { () throws(RollcallCallException) in try Self.setUp(callsAppSettings) }
        AppAnswer(onSuccess, onError).give(answer)
    }

    /// Sets the module up for a relay, in place of the one before.
    ///
    /// - Throws: `INIT ERROR` when the address can't be used.
    public static func setUp(callsAppSettings: CallAppSettings) async throws(RollcallCallException) {
        _ = try setUp(callsAppSettings)
    }

    private static func setUp(_ settings: CallAppSettings) throws(RollcallCallException) -> String {
        try entry.withLock { entry throws(RollcallCallException) in
            try entry.setUp(settings, ClientOptions())
        }
        return settings.relay
    }

    /// The relay to ask for logs.
    static let logsClient: @Sendable () throws(RollcallCallException) -> RollcallClient = {
        () throws(RollcallCallException) in
        try entry.withLock { entry throws(RollcallCallException) in try entry.logs() }
    }

    /// A new builder of settings for a join, with the defaults.
    public static var sessionSettingsBuilder: SessionSettingsBuilder { SessionSettingsBuilder() }

    // MARK: Who I am

    // The label is the one that call apps know.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Says who joins calls from now on, in place of whoever was logged in.
    ///
    /// The relay is asked at the join, not here. A call that goes on stays as it is. A login lasts as long as the
    /// process.
    ///
    /// - Parameters:
    ///   - UID: The person, 1..128 bytes of UTF-8.
    ///   - name: Display name, at most 256 bytes; nil keeps what the person has in a call already.
    ///   - avatar: URL of a picture, at most 2,048 bytes; nil keeps what the person has in a call already.
    ///   - deviceID: Stable id of this device, 1..64 bytes. Give one that the app keeps, to be recognised after a
    ///     restart; nil is one that lasts as long as the process.
    ///   - authToken: Proof of identity, for a relay that asks for one.
    ///   - onSuccess: Is given who is logged in now.
    ///   - onError: Is told what is wrong with the arguments.
    public static func login(
        UID: String,
        name: String? = nil,
        avatar: String? = nil,
        deviceID: String? = nil,
        authToken: String? = nil,
        onSuccess: @escaping (CallsUser) -> Void,
        onError: @escaping (RollcallCallException) -> Void
    ) {
        let identity = Identity(uid: UID, name: name, avatar: avatar, device: deviceID, token: authToken)
        let answer = Result { () throws(RollcallCallException) in try logIn(identity) }
        AppAnswer(onSuccess, { if let error = $0 { onError(error) } }).give(answer)
    }

    // The label is the one that call apps know.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// Says who joins calls from now on, in place of whoever was logged in.
    ///
    /// See ``login(UID:name:avatar:deviceID:authToken:onSuccess:onError:)`` for the arguments.
    ///
    /// - Throws: What is wrong with the arguments.
    @discardableResult
    public static func login(
        UID: String,
        name: String? = nil,
        avatar: String? = nil,
        deviceID: String? = nil,
        authToken: String? = nil
    ) async throws(RollcallCallException) -> CallsUser {
        try logIn(Identity(uid: UID, name: name, avatar: avatar, device: deviceID, token: authToken))
    }

    private static func logIn(_ identity: Identity) throws(RollcallCallException) -> CallsUser {
        try entry.withLock { entry throws(RollcallCallException) in try entry.logIn(identity) }
    }

    /// Who is logged in; nil is nobody.
    public static func getLoggedInUser() -> CallsUser? { entry.withLock { $0.user } }

    /// Leaves the call of ``CallSession/shared``, and forgets who was logged in.
    ///
    /// - Parameters:
    ///   - onSuccess: Is called when that is done, also when nobody was logged in.
    ///   - onError: Is never called; it is there because call apps give one.
    public static func logout(
        onSuccess: @escaping (String) -> Void,
        onError: @escaping (RollcallCallException) -> Void
    ) {
        let answer = AppAnswer(onSuccess, { if let error = $0 { onError(error) } })
        Task {
            await logout()
            answer.give(.success("logged out"))
        }
    }

    /// Leaves the call of ``CallSession/shared``, and forgets who was logged in.
    public static func logout() async {
        entry.withLock { $0.logOut() }
        await CallSession.shared.leave()
    }

    // MARK: Into a call

    /// Joins a call with ``CallSession/shared``.
    ///
    /// `onSuccess` is called when the state is complete, before the listeners are told anything: a listener that it
    /// adds hears everything from ``SessionStatusListener/onSessionJoined()`` on. After `onError` the session is in no
    /// call.
    ///
    /// - Parameters:
    ///   - sessionID: The call: any text of 1..128 bytes of UTF-8 that all who join it agree on.
    ///   - callSetting: How to join. Later changes of the builder don't count.
    ///   - container: The view that other call SDKs draw into, so that code which gives one compiles. It is not used:
    ///     the app draws its own.
    ///   - onSuccess: Is given the session id.
    ///   - onError: Is told why not.
    public static func joinSession(
        sessionID: String,
        callSetting: SessionSettings,
        container: AnyObject? = nil,
        onSuccess: @escaping (String) -> Void,
        onError: @escaping (RollcallCallException?) -> Void
    ) {
        let answer = AppAnswer(onSuccess, onError)
        Task {
            do throws(RollcallCallException) {
                try await join(sessionID, callSetting) { answer.call(.success(sessionID)) }
            } catch {
                answer.give(.failure(error))
            }
        }
    }

    /// Joins a call with ``CallSession/shared``, and returns when the state is complete.
    ///
    /// - Parameters:
    ///   - sessionID: The call: any text of 1..128 bytes of UTF-8 that all who join it agree on.
    ///   - callSetting: How to join. Later changes of the builder don't count.
    ///   - container: Not used; see ``joinSession(sessionID:callSetting:container:onSuccess:onError:)``.
    /// - Throws: Why not. When the task is cancelled the call is left again.
    public static func joinSession(
        sessionID: String,
        callSetting: SessionSettings,
        container: AnyObject? = nil
    ) async throws(RollcallCallException) {
        try await join(sessionID, callSetting)
    }

    private static func join(
        _ sessionID: String,
        _ settings: SessionSettings,
        onJoined: (@Sendable () -> Void)? = nil
    ) async throws(RollcallCallException) {
        let (client, identity) = try entry.withLock { entry throws(RollcallCallException) in
            try entry.join(sessionID, settings)
        }
        try await CallSession.shared.join(
            client: client,
            sessionID: sessionID,
            identity: identity,
            settings: settings,
            onJoined: onJoined
        )
    }
}
