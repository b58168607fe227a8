/// A place in a call's history: one value, never stored, sent or compared in halves.
///
/// An epoch belongs to one call, is never given twice for a session id and only rises; `seq` grows by one with each
/// commit. Both stay below 2^53 so that any language's numbers hold them.
public struct Position: Hashable, Sendable {
    /// The run of numbers that ``seq`` belongs to.
    public var epoch: UInt64
    /// The number of the commit within all of the call's history; it goes on when the epoch changes within a meeting.
    public var seq: UInt64

    /// The place `seq` in `epoch`.
    public init(epoch: UInt64, seq: UInt64) {
        self.epoch = epoch
        self.seq = seq
    }

    /// Before everything: where a copy without any state is.
    public static let zero = Position(epoch: 0, seq: 0)
}

extension Position: Comparable {
    /// Compares the epochs, and the seqs only within one epoch.
    public static func < (left: Position, right: Position) -> Bool {
        left.epoch != right.epoch ? left.epoch < right.epoch : left.seq < right.seq
    }
}

extension Position: CustomStringConvertible {
    /// `epoch.seq`, as the tools print it.
    public var description: String { "\(epoch).\(seq)" }
}
