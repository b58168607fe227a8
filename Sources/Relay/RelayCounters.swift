/// What a relay has done since its start.
public struct RelayCounters: Sendable {
    /// Connections accepted.
    public var accepted: UInt64 = 0
    /// Connections that were closed for want of descriptors, before they were accepted.
    public var refused: UInt64 = 0
    /// Turns of the loop: how often it was awake.
    public var turns: UInt64 = 0
    /// Frames that came.
    public var framesIn: UInt64 = 0
    /// Bytes that came.
    public var bytesIn: UInt64 = 0
    /// Times that output was handed to a stream.
    public var writes: UInt64 = 0
    /// Bytes handed to streams.
    public var bytesOut: UInt64 = 0

    static func + (one: RelayCounters, other: RelayCounters) -> RelayCounters {
        var sum = one
        sum.accepted += other.accepted
        sum.refused += other.refused
        sum.turns += other.turns
        sum.framesIn += other.framesIn
        sum.bytesIn += other.bytesIn
        sum.writes += other.writes
        sum.bytesOut += other.bytesOut
        return sum
    }

    static func += (sum: inout RelayCounters, other: RelayCounters) { sum = sum + other }

    /// The counters as facts of a log line.
    var facts: [(StaticString, LogValue)] {
        [
            ("accepted", .number(accepted)), ("refused", .number(refused)), ("turns", .number(turns)),
            ("frames-in", .number(framesIn)), ("bytes-in", .number(bytesIn)), ("writes", .number(writes)),
            ("bytes-out", .number(bytesOut)),
        ]
    }
}
