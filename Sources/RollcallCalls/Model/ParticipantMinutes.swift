/// How long somebody attended, as the relay's attendance has it.
public struct ParticipantMinutes: Hashable, Sendable {
    /// Present with the camera off, in minutes.
    public var audio: Double
    /// Present with the camera on, in minutes.
    public var video: Double
    /// Both, in minutes.
    public var duration: Double

    /// Minutes.
    public init(audio: Double, video: Double, duration: Double) {
        self.audio = audio
        self.video = video
        self.duration = duration
    }
}
