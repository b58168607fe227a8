public import CallState
public import Dispatch
import Rollcall
import Synchronization

/// The session of this client in a call: its people, what happens to them, and what can be done.
///
/// All of it may be used from any thread, before a join, during a session and after it, also inside a callback; nothing
/// blocks and nothing traps. ``shared`` serves an app, which is in one call at a time; bots and tests make sessions of
/// their own.
///
/// Inside a callback every property answers with the state that the callback belongs to, the same for all callbacks of
/// one update. Elsewhere they answer with the latest state, and what this client has asked for shows in it at once.
/// Before the first join there is nobody; after the end of a session the state stays as it was last, until the next
/// join.
public final class CallSession: Sendable {
    /// The session of the app.
    public static let shared = CallSession()

    let state: Mutex<State>

    /// A session, not joined yet, whose callbacks come on `callbackQueue`.
    public init(callbackQueue: DispatchQueue = .main) {
        state = Mutex(State(callbackQueue: callbackQueue))
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
        set {
            // The one before is let go outside of the lock: it may hold what calls back.
            let old = state.withLock { state in
                defer { state.onError = newValue }
                return state.onError
            }
            _ = old
        }
    }

    // MARK: The session

    /// Whether the session is joined and not over; also while the connection is lost and being made again.
    public func isCallSessionActive() -> Bool { shown.model.isActive }

    /// Whether the connection is lost and being made again.
    public var isReconnecting: Bool { shown.model.isLost }

    /// Why the last session is over; nil during a session, and before the first.
    public var endReason: SessionEndReason? {
        if case .ended(let reason) = shown.model.phase { reason } else { nil }
    }

    /// The failure that ended the last session; nil after leaving, and during a session.
    public var endError: RollcallCallException? { state.withLock { $0.endError } }

    /// Why the last command that failed did not happen; nil when none has in this session.
    public var lastError: RollcallCallException? { state.withLock { $0.lastError } }

    /// The settings of the session; nil before the first join.
    public var settings: SessionSettings? { state.withLock { $0.settings } }

    /// The session id of the call; nil before the first join.
    public var sessionID: String? { shown.model.snapshot?.session }

    /// The id of the meeting; nil before the first join.
    public var meetingID: String? { shown.model.snapshot?.meeting }

    /// The title of the call; nil when it has none.
    public var title: String? {
        guard let title = shown.model.snapshot?.title, !title.isEmpty else { return nil }
        return title
    }

    /// Where in the call's history the state is: two clients at equal positions show the same.
    ///
    /// Nil before the first join.
    public var position: Position? { shown.model.snapshot?.position }

    // MARK: The people

    /// Everybody in the call, the own person too, in order of joining; one for each uid.
    ///
    /// O(people).
    public var participants: [Participant] { shown.participants }

    /// The person with that uid; nil when it is not in the call.
    ///
    /// Two uids are the same when their bytes are.
    public func participant(uid: String) -> Participant? { shown.participant(uid: uid) }

    /// The own person; nil before the first join.
    public var localParticipant: Participant? {
        let shown = shown
        return shown.model.snapshot?.me.map(shown.view.participant)
    }

    /// The raised hands, in the order of the queue, the same on every client.
    ///
    /// O(people).
    public var raisedHands: [RaisedHand] { shown.view.raisedHands }

    /// The people whose names have `text` in them, whatever the case and the accents; everybody for an empty text.
    ///
    /// Names that begin with it come first, then those with a word that does, then the others; each in order of
    /// joining. Of somebody without a name the uid is looked at. O(people).
    public func search(_ text: String) -> [Participant] { NameSearch(text).ranked(shown.participants) }

    /// The dominant speaker; nil is nobody.
    public var dominantSpeaker: Participant? {
        let shown = shown
        return shown.model.snapshot?.dominantSpeaker.map(shown.view.participant)
    }

    /// The recording that runs; nil while none does.
    public var recording: CallRecording? { shown.view.recording }

    /// The people in the spotlight, in order, the same for everyone.
    public var spotlitParticipants: [Participant] {
        let shown = shown
        return shown.model.snapshot?.spotlight.map(shown.view.participant) ?? []
    }

    // MARK: What is local

    /// This client's own microphone, camera and screen; nil before the first join.
    public var localMedia: LocalMedia? { shown.view.localMedia }

    /// Whom this client has pinned; nil is nobody.
    public var pinnedParticipant: Participant? {
        let shown = shown
        guard let pin = shown.model.local.pin else { return nil }
        return shown.model.snapshot?.person(slot: pin.slot).map(shown.view.participant)
    }

    /// What of the pinned person is pinned, as it was given; nil when nobody is.
    public var pinType: String? { shown.model.local.pin?.type }

    /// The layout.
    public var layout: LayoutType { shown.model.local.layout }

    /// Where the sound comes from.
    public var audioMode: AudioMode { shown.model.local.audioMode }

    /// The camera in use.
    public var cameraFacing: CameraFacing { shown.model.local.cameraFacing }

    /// Whether the call is a picture in picture.
    public var isPictureInPictureEnabled: Bool { shown.model.local.isPictureInPicture }

    /// Whether the list of participants is shown.
    public var isParticipantListVisible: Bool { shown.model.local.isParticipantListVisible }

    /// Whether the panel with the settings of microphone and camera is shown; false at first.
    ///
    /// No listener is told: the app draws the panel, and shows and hides it by itself or through
    /// ``showSettingsPanel()`` and ``hideSettingsPanel()``.
    public var isSettingsPanelVisible: Bool { shown.model.local.isSettingsPanelVisible }

    /// The number on the chat's button.
    public var chatButtonUnreadCount: Int { shown.model.local.unreadCount }

    /// The state that whoever asks now is shown.
    var shown: SharedModel { state.withLock { $0.shown() } }
}
