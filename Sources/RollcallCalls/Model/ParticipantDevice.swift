public import Foundation

/// One of the devices that a participant attends with.
public struct ParticipantDevice: Hashable, Sendable, Identifiable {
    /// Stable id, unique among the devices of the person.
    public var deviceID: String
    /// The microphone.
    public var isAudioMuted: Bool
    /// The camera.
    public var isVideoPaused: Bool
    /// Whether it shares its screen.
    public var isPresenting: Bool
    /// Whether its link is lost; it may come back.
    public var isReconnecting: Bool
    /// When it came, by the relay's clock.
    public var joinedAt: Date
    /// Name of the client program, for people.
    public var clientName: String

    /// The ``deviceID``.
    public var id: String { deviceID }
}
