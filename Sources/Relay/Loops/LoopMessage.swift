import CallState
import EventLoop
import RelayCore
import RollcallProtocol

/// What the loops of one relay tell each other.
enum LoopMessage: Sendable {
    /// A connection was accepted, at this address, and is the receiver's.
    case came(LooseStream, address: String)
    /// A connection is handed over.
    case moved(Parcel)
    /// Something between the rules of two loops.
    case rules(LoopInput)
    /// Changes of call logs, to the first loop.
    case attendance(ByteString, [TimedAttendanceChange])
    /// What the store says of a call of the receiver's.
    case store(StoreAnswer)
    /// Stop; again: cut what is left.
    case stop
    /// Say what was done so far: the question's number.
    case count(UInt64)
    /// The answer to that.
    case counted(UInt64, LoopCounts)
    /// The rules are done with a stop, and so much was done. To the first loop.
    case finished(unkept: Int, RelayCounters)
    /// Nothing will be wanted any more: end.
    case end
}

/// A connection on its way, with everything that it has sent.
struct Parcel: Sendable {
    var stream: LooseStream
    /// What it was called where it comes from.
    var number: UInt64
    var traveller: Traveller
    /// Holds the incomplete frame that came last.
    var splitter: FrameSplitter
    /// What was read behind that.
    var rest: [UInt8]
}

/// What a loop has and has done.
struct LoopCounts: Sendable {
    var connections: Int
    var counters: RelayCounters
    /// On the monotonic clock, which all loops share; `.max` is none.
    var nextDeadline: UInt64
}
