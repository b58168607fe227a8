/// What this client's own device does; other devices of the same person may do something else.
public struct LocalMedia: Hashable, Sendable {
    /// The microphone.
    public var isAudioMuted: Bool
    /// The camera.
    public var isVideoPaused: Bool
    /// Whether it shares its screen.
    public var isPresenting: Bool
}
