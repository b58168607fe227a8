/// How a connection through a ``FaultProxy`` is worse than the network below it.
package struct FaultShape: Hashable, Sendable {
    /// What becomes of a connection once so many bytes have come from the relay: inside a frame, if the count says so.
    package enum End: Hashable, Sendable {
        /// It is ended on both sides without a word; what was on its way is lost.
        case cut
        /// It stands, and nothing is taken from it any more: senders find it full.
        case stall
        /// It stands and takes everything, but nothing arrives any more, and neither side hears of the other's end.
        case halfOpen
    }

    /// Every byte is that late, in ms, in both directions.
    package var delay = 0
    /// And up to so many ms more, drawn for each piece that comes; order is kept.
    package var jitter = 0
    /// So many bits pass in a second in each direction; nil is as many as come.
    package var rate: Int?
    /// So many bytes are on their way in each direction at most; what is beyond stays with the sender.
    package var room = 1 << 20
    /// The size asked of the system for what comes from the relay over TCP, in bytes; nil is its own choice.
    package var receiveBuffer: Int?
    /// An end, and after how many bytes from the relay.
    package var end: (End, after: Int)? {
        get { endKind.map { ($0, endAfter) } }
        set { (endKind, endAfter) = (newValue?.0, newValue?.after ?? 0) }
    }

    private var endKind: End?
    private var endAfter = 0

    /// No worse at all.
    package init() {}

    /// A slow link of `rate` bits a second, with little room, as between a phone and its mast.
    package static func slow(rate: Int) -> FaultShape {
        var shape = FaultShape()
        shape.rate = rate
        shape.room = 2_048
        shape.receiveBuffer = 4_096
        return shape
    }
}
