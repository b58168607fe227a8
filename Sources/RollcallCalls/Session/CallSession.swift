public import CallState
public import Dispatch
package import Rollcall
import Synchronization

/// The session of this client in a call: its people, what happens to them, and what can be done.
///
/// All of it may be used from any thread, before a join, during a session and after it, also inside a callback; nothing
/// blocks and nothing traps. ``shared`` serves an app, which is in one call at a time; bots and tests make sessions of
/// their own.
///
/// Inside a callback every property answers with the state that the callback belongs to, the same for all callbacks of
/// one update. Elsewhere they answer with the latest state, and what this client has asked for shows in it at once. Before
/// the first join there is nobody; after the end of a session the state stays as it was last, until the next join.
public final class CallSession: Sendable {
    /// The session of the app.
    public static let shared = CallSession()

    let state: Mutex<State>

    /// A session, not joined yet, whose callbacks come on `callbackQueue`.
    public init(callbackQueue: DispatchQueue = .main) {
        state = Mutex(State(callbackQueue: callbackQueue))
    }

    struct State {
        var callbackQueue: DispatchQueue
        var includesLocalParticipant = true
        var replaysCurrentState = true
        var onError: (@Sendable (SessionCommand, RollcallCallException) -> Void)?
        var lastError: RollcallCallException?
        var settings: SessionSettings?
    }

    // MARK: How it tells

    /// Where callbacks come: the main queue unless another is chosen.
    ///
    /// They come one at a time, also on a concurrent queue. Another queue counts from the next update on.
    public var callbackQueue: DispatchQueue {
        get { state.withLock { $0.callbackQueue } }
        set { state.withLock { $0.callbackQueue = newValue } }
    }

    /// Whether participant events come for the own person too; true unless said otherwise.
    ///
    /// The lists hold the own person in any case.
    public var includesLocalParticipant: Bool {
        get { state.withLock { $0.includesLocalParticipant } }
        set { state.withLock { $0.includesLocalParticipant = newValue } }
    }

    /// Whether listeners are told of what is in effect already when they come, or when the session is joined; true
    /// unless said otherwise.
    ///
    /// Without it listeners hear of changes only, as from other call SDKs.
    public var replaysCurrentState: Bool {
        get { state.withLock { $0.replaysCurrentState } }
        set { state.withLock { $0.replaysCurrentState = newValue } }
    }

    /// Called on the callback queue when the relay refuses, or the library can't send, what a method asked for.
    ///
    /// What had been shown at once is taken back, with an event, before.
    public var onError: (@Sendable (SessionCommand, RollcallCallException) -> Void)? {
        get { state.withLock { $0.onError } }
        set { state.withLock { $0.onError = newValue } }
    }

    // MARK: The session

    /// Whether the session is joined and not over; also while the connection is lost and being made again.
    public func isCallSessionActive() -> Bool { false }

    /// Whether the connection is lost and being made again.
    public var isReconnecting: Bool { false }

    /// Why the last session is over; nil during a session, and before the first.
    public var endReason: SessionEndReason? { nil }

    /// The failure that ended the last session; nil after leaving, and during a session.
    public var endError: RollcallCallException? { nil }

    /// Why the last command that failed did not happen; nil when none has in this session.
    public var lastError: RollcallCallException? { state.withLock { $0.lastError } }

    /// The settings of the session; nil before the first join.
    public var settings: SessionSettings? { state.withLock { $0.settings } }

    /// The session id of the call; nil before the first join.
    public var sessionID: String? { nil }

    /// The id of the meeting; nil before the first join.
    public var meetingID: String? { nil }

    /// The title of the call; nil when it has none.
    public var title: String? { nil }

    /// Where in the call's history the state is: two clients at equal positions show the same; nil before the first
    /// join.
    public var position: Position? { nil }

    // MARK: The people

    /// Everybody in the call, the own person too, in order of joining; one for each uid.
    ///
    /// O(people).
    public var participants: [Participant] { [] }

    /// The person with that uid; nil when it is not in the call.
    ///
    /// Two uids are the same when their bytes are.
    public func participant(uid: String) -> Participant? { nil }

    /// The own person; nil before the first join.
    public var localParticipant: Participant? { nil }

    /// The raised hands, in the order of the queue, the same on every client.
    public var raisedHands: [RaisedHand] { [] }

    /// The people whose names have `text` in them, whatever the case and the accents; everybody for an empty text.
    ///
    /// Names that begin with it come first, then those with a word that does, then the others; each in order of joining.
    /// Of somebody without a name the uid is looked at.
    public func search(_ text: String) -> [Participant] { [] }

    /// The dominant speaker; nil is nobody.
    public var dominantSpeaker: Participant? { nil }

    /// The recording that runs; nil while none does.
    public var recording: CallRecording? { nil }

    /// The people in the spotlight, in order, the same for everyone.
    public var spotlitParticipants: [Participant] { [] }

    // MARK: What is local

    /// This client's own microphone, camera and screen; nil before the first join.
    public var localMedia: LocalMedia? { nil }

    /// Whom this client has pinned; nil is nobody.
    public var pinnedParticipant: Participant? { nil }

    /// What of the pinned person is pinned, as it was given; nil when nobody is.
    public var pinType: String? { nil }

    /// The layout.
    public var layout: LayoutType { .tile }

    /// Where the sound comes from.
    public var audioMode: AudioMode { .speaker }

    /// The camera in use.
    public var cameraFacing: CameraFacing { .FRONT }

    /// Whether the call is a picture in picture.
    public var isPictureInPictureEnabled: Bool { false }

    /// Whether the list of participants is shown.
    public var isParticipantListVisible: Bool { false }

    /// The number on the chat's button.
    public var chatButtonUnreadCount: Int { 0 }

    // MARK: Join and leave

    /// Joins a call with this session, and returns when its state is complete.
    ///
    /// - Throws: Why not; also when this session is in a call already, which then goes on.
    package func join(
        client: RollcallClient,
        sessionID: String,
        identity: Identity,
        settings: SessionSettings = SessionSettings()
    ) async throws(RollcallCallException) {}

    /// Leaves the call; `onSessionLeft` follows.
    ///
    /// Ends a join that is under way.
    public func leaveSession() {}

    /// Leaves the call, and returns when the relay knows it, or at the latest after two seconds.
    public func leave() async {}
}
