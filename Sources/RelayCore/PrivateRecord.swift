import CallState
import RollcallProtocol

/// What the relay knows about a device, or about an observer that acts for others, and never puts on the wire for others.
struct PrivateRecord {
    /// A secret that lost its meaning, and who took its place.
    struct Replaced {
        /// The secret of the incarnation that was replaced.
        var secret: [UInt8]
        /// The program that replaced it.
        var instance: [UInt8]
    }

    /// How many replaced secrets are remembered.
    static let maximumReplaced = 4

    /// Number of the fresh join.
    var incarnation: UInt64
    /// Proves the incarnation in a resume; empty when it can't be resumed.
    var secret: [UInt8]
    /// The commands of the incarnation.
    var operations = OperationWindow()
    /// The connection of the current attachment; nil without one.
    var connection: ConnectionID?
    /// The program of the current or last attachment.
    var instance: [UInt8] = []
    /// The attempt of the current or last attachment.
    var attempt: UInt64 = 0
    /// The incarnation of the observer that brought the device in; nil for a device with a link of its own.
    var broughtBy: UInt64?
    /// When the grace ends on the monotonic clock; nil while the link lives.
    var graceEnds: UInt64?
    /// Position that the client is known to have had when its link was lost.
    var lastPosition = Position.zero
    /// Secrets of this device that others have replaced, oldest first.
    var replaced: [Replaced] = []
    /// For an observer: the devices that it brought in, in that order.
    var brought: [Slot] = []

    /// Whether `secret` proves this incarnation.
    ///
    /// Looks at every byte, whatever they are.
    func proves(_ secret: [UInt8]) -> Bool {
        guard !secret.isEmpty, secret.count == self.secret.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(secret, self.secret) { difference |= one ^ other }
        return difference == 0
    }

    /// Whether another program than `instance` has replaced the incarnation that `secret` belongs to.
    func wasReplaced(_ secret: [UInt8], byOtherThan instance: [UInt8]) -> Bool {
        replaced.contains { $0.secret == secret && $0.instance != instance }
    }

    /// Begins a new incarnation of the same device for the program `instance`.
    mutating func replace(incarnation: UInt64, secret: [UInt8], by instance: [UInt8]) {
        if !self.secret.isEmpty, instance != self.instance {
            replaced.append(Replaced(secret: self.secret, instance: instance))
            if replaced.count > Self.maximumReplaced { replaced.removeFirst() }
        }
        self.incarnation = incarnation
        self.secret = secret
        operations = OperationWindow()
    }
}
