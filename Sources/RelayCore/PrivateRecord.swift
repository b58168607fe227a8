import CallState
import RollcallProtocol

/// What the relay knows about a device, or about an observer that acts for others, and never puts on the wire for
/// others.
struct PrivateRecord {
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
    /// For an observer: the devices that it brought in, in that order.
    var brought: [Slot] = []

    /// Whether a store has to know of it: it can be resumed, or has asked for something.
    var isKept: Bool { !secret.isEmpty || operations.last > 0 }

    /// Whether `secret` proves this incarnation.
    ///
    /// Looks at every byte, whatever they are.
    func proves(_ secret: [UInt8]) -> Bool {
        guard !secret.isEmpty, secret.count == self.secret.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(secret, self.secret) { difference |= one ^ other }
        return difference == 0
    }

    /// Begins a new incarnation of the same device.
    mutating func replace(incarnation: UInt64, secret: [UInt8]) {
        self.incarnation = incarnation
        self.secret = secret
        operations = OperationWindow()
    }
}
