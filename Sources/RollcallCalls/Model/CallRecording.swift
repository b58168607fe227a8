public import Foundation

/// A recording that runs.
public struct CallRecording: Hashable, Sendable {
    /// Who started it; known also when they have left.
    public var participant: Participant
    /// Since when, by the relay's clock.
    public var since: Date
}
