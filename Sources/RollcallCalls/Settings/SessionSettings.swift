/// How to join a call, and what of the app's screen to show in it.
///
/// Made by a ``SessionSettingsBuilder``. A value that never changes: a session goes by the copy that it was joined
/// with.
///
/// What is out of range is kept as it was given and refused by the join, with an error that names the setting, so that
/// a mistake shows where it has an effect. Nothing is clamped in silence.
public struct SessionSettings: Hashable, Sendable {
    /// The title of the call, at most 256 bytes of UTF-8; nil leaves it to others.
    ///
    /// The first to say one gives it to the call, for everyone; who joins a call that has a title does not change it.
    public package(set) var title: String?
    /// The name that others see in this call, at most 256 bytes of UTF-8; nil is the name given at the login.
    public package(set) var displayName: String?
    /// Whether the call is seen or only heard.
    ///
    /// A voice call is joined with the camera off, whatever ``startVideoPaused`` says; it can be turned on later.
    public package(set) var sessionType = SessionType.video
    /// Whether the microphone is muted from the first state on that others see.
    public package(set) var startAudioMuted = false
    /// Whether the camera is off from the first state on that others see.
    public package(set) var startVideoPaused = false
    /// After how many seconds with one person alone the call ends; 0 is never.
    ///
    /// It is a policy of the call: the first to join sets it, later joins don't change it. Unless the app says
    /// something it is left to the relay, whose own is 300 too if its operator has not chosen another.
    public package(set) var idleTimeoutPeriod: Int {
        get { chosenIdleTimeout ?? 300 }
        set { chosenIdleTimeout = newValue }
    }
    /// Whether to record the call from the join on, unless it is recorded already.
    ///
    /// The join succeeds also when the relay refuses the recording; the refusal is in ``CallSession/lastError``.
    public package(set) var autoStartRecording = false
    /// How participants are arranged on this device at first.
    public package(set) var layout = LayoutType.tile
    /// Where the sound comes out at first.
    public package(set) var audioMode = AudioMode.speaker
    /// Which camera is used first.
    public package(set) var cameraFacing = CameraFacing.FRONT
    /// Whether the app is to transcribe the call; Rollcall keeps the value for the app and does nothing with it.
    public package(set) var autoStartTranscription = false
    /// The language of captions, as a BCP 47 tag; Rollcall keeps the value for the app and does nothing with it.
    public package(set) var captionLanguage = "en-US"
    /// What the app is to leave out of its screen.
    public package(set) var hiddenControls = SessionControl.hiddenByDefault

    /// What the app said about the idle timeout; nil is nothing.
    var chosenIdleTimeout: Int?

    package init() {}

    /// Whether the app is to leave a control out of its screen.
    public func hides(_ control: SessionControl) -> Bool { hiddenControls.contains(control) }
}
