/// What a session begins with; it does not change after the join.
public struct SessionSettings: Hashable, Sendable {
    /// Heading of the call; the first to join with one gives it to the call.
    ///
    /// nil is none.
    public var title: String?
    /// The name that others see; nil is that of the user.
    public var displayName: String?
    /// With pictures or without.
    public var sessionType = SessionType.video
    /// Whether the microphone is muted from the start.
    public var startAudioMuted = false
    /// Whether the camera is off from the start.
    public var startVideoPaused = false
    /// How long a call with at most one person lives, in seconds; 0 is for ever.
    ///
    /// The first to join decides.
    public var idleTimeoutPeriod = 300
    /// Whether the recording starts with the session.
    public var autoStartRecording = false
    /// The layout at the start.
    public var layout = LayoutType.tile
    /// Where the sound comes from at the start.
    public var audioMode = AudioMode.speaker
    /// The camera at the start.
    public var cameraFacing = CameraFacing.FRONT

    /// The defaults.
    public init() {}
}
