/// What kind of call it is for this client.
public enum SessionType: String, CaseIterable, Hashable, Sendable {
    /// With pictures.
    case video = "VIDEO"
    /// Without: the camera is off at the start, whatever `startVideoPaused` says.
    case voice = "VOICE"
}
