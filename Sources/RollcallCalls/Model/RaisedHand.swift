public import Foundation

/// A raised hand in the queue, which is the same on every client.
public struct RaisedHand: Hashable, Sendable, Identifiable {
    /// Whose hand it is.
    public var participant: Participant
    /// Place in the queue, from 1.
    public var place: Int
    /// When it went up, by the relay's clock.
    ///
    /// The own hand that the relay does not know yet has the time of this device's clock.
    public var raisedAt: Date

    /// The person's id.
    public var uid: String { participant.facts.uid }
    /// The person's display name; nil when none was given.
    public var name: String? { participant.name }
    /// The ``uid``.
    public var id: String { uid }
}
