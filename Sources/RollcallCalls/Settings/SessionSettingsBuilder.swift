/// Gathers ``SessionSettings``, one call after the other.
///
/// ```swift
/// let settings = RollcallCalls.sessionSettingsBuilder
///     .setDisplayName("Ana")
///     .startAudioMuted(true)
///     .hideParticipantListButton(true)
///     .build()
/// ```
///
/// A builder is an object: each call changes it and returns it. What ``build()`` has returned does not change any more.
public final class SessionSettingsBuilder {
    private var settings = SessionSettings()

    /// A builder with the defaults.
    public init() {}

    /// Gives the call a title; see ``SessionSettings/title``.
    @discardableResult
    public func setTitle(_ title: String) -> Self { set(\.title, title) }

    /// Chooses the name that others see; an empty one is the name given at the login.
    @discardableResult
    public func setDisplayName(_ displayName: String) -> Self { set(\.displayName, displayName) }

    /// Says whether the call is seen or only heard.
    @discardableResult
    public func setSessionType(_ type: SessionType) -> Self { set(\.sessionType, type) }

    /// Says whether the call is seen or only heard; the same as ``setSessionType(_:)``.
    @discardableResult
    public func setType(_ type: SessionType) -> Self { setSessionType(type) }

    /// Joins with the microphone muted, or open.
    @discardableResult
    public func startAudioMuted(_ muted: Bool) -> Self { set(\.startAudioMuted, muted) }

    /// Joins with the camera off, or on.
    @discardableResult
    public func startVideoPaused(_ paused: Bool) -> Self { set(\.startVideoPaused, paused) }

    /// Ends the call after so many seconds with one person alone; 0 is never, less is refused by the join.
    @discardableResult
    public func setIdleTimeoutPeriod(_ seconds: Int) -> Self { set(\.idleTimeoutPeriod, seconds) }

    /// Chooses how participants are arranged on this device at first.
    @discardableResult
    public func setLayout(_ layout: LayoutType) -> Self { set(\.layout, layout) }

    /// Chooses where the sound comes out at first.
    @discardableResult
    public func setAudioMode(_ mode: AudioMode) -> Self { set(\.audioMode, mode) }

    /// Chooses the camera that is used first.
    @discardableResult
    public func setInitialCameraFacing(_ facing: CameraFacing) -> Self { set(\.cameraFacing, facing) }

    /// Records the call from the join on; see ``SessionSettings/autoStartRecording``.
    @discardableResult
    public func enableAutoStartRecording(_ enabled: Bool) -> Self { set(\.autoStartRecording, enabled) }

    /// Tells the app to transcribe the call; see ``SessionSettings/autoStartTranscription``.
    @discardableResult
    public func enableAutoStartTranscription(_ enabled: Bool) -> Self { set(\.autoStartTranscription, enabled) }

    /// Chooses the language of captions, as a BCP 47 tag.
    @discardableResult
    public func setCaptionLanguage(_ language: String) -> Self { set(\.captionLanguage, language) }

    /// Leaves a control out of the app's screen, or shows it.
    @discardableResult
    public func hide(_ control: SessionControl, _ hide: Bool = true) -> Self {
        if hide { settings.hiddenControls.insert(control) } else { settings.hiddenControls.remove(control) }
        return self
    }

    /// The settings as they have been given until now.
    public func build() -> SessionSettings { settings }

    private func set<Value>(_ path: WritableKeyPath<SessionSettings, Value>, _ value: Value) -> Self {
        settings[keyPath: path] = value
        return self
    }
}
