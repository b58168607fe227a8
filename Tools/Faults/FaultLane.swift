import Randomness

/// Bytes on their way in one direction of one connection.
struct FaultLane {
    private(set) var waiting: [UInt8] = []
    /// Whether whoever sends has ended.
    var hasEnded = false
    /// How many bytes may pass until the connection is cut.
    var remaining: Int?
    /// How many bytes come until a frame begins; only frames of the relay are counted.
    private var untilFrame = 0
    /// How many frames are to be lost.
    var losing = 0
    /// Whether the receiver took less than there was for it.
    var isBlocked = false

    /// Pieces that are late, and when they are due; what is before them may pass.
    private var late: [(count: Int, due: ContinuousClock.Instant)] = []
    /// What the rate lets pass now, in bytes.
    private var allowance = 0.0
    private var countedAt: ContinuousClock.Instant?

    /// With a rate, pieces of this size pass, or the rest of what there is.
    private static let piece = 256

    mutating func take(
        _ bytes: [UInt8],
        _ shape: FaultShape,
        at now: ContinuousClock.Instant,
        _ random: inout SplitMix64
    ) {
        waiting += bytes
        guard shape.delay > 0 || shape.jitter > 0 else { return }
        let delay = shape.delay + (shape.jitter > 0 ? random.below(shape.jitter + 1) : 0)
        let due = now + .milliseconds(delay)
        late.append((bytes.count, max(due, late.last?.due ?? due)))
    }

    /// How many bytes may pass now, and, when others wait for time alone, until when.
    mutating func passable(
        _ shape: FaultShape,
        at now: ContinuousClock.Instant
    ) -> (count: Int, until: ContinuousClock.Instant?) {
        late.removeFirst(late.prefix { $0.due <= now }.count)
        let ready = waiting.count - late.reduce(0) { $0 + $1.count }
        guard ready > 0 else { return (0, late.first?.due) }
        guard let rate = shape.rate else { return (ready, late.first?.due) }
        let bytesPerSecond = Double(rate) / 8
        if let countedAt { allowance += (now - countedAt) / .seconds(1) * bytesPerSecond }
        countedAt = now
        // What was not used is not saved up beyond a piece.
        allowance = min(allowance, Double(max(Self.piece, Int(bytesPerSecond / 50))))
        let wanted = min(ready, Self.piece)
        if allowance >= Double(wanted) { return (min(ready, Int(allowance)), nil) }
        return (0, now + .seconds((Double(wanted) - allowance) / bytesPerSecond))
    }

    /// Bytes have left.
    mutating func hasPassed(_ count: Int, countsFrames: Bool) {
        if countsFrames { followFrames(count) }
        waiting.removeFirst(count)
        remaining = remaining.map { $0 - count }
        allowance -= Double(count)
    }

    /// Loses the frames that are to be lost, and gives how many bytes may pass now.
    mutating func loseFrames() -> Int {
        while losing > 0, untilFrame == 0, let length = frame(at: 0), waiting.count >= length {
            waiting.removeFirst(length)
            losing -= 1
        }
        if losing > 0 { return untilFrame }
        var place = untilFrame
        while place < waiting.count {
            // A part of a length stays, so that it is always known where frames begin.
            guard let length = frame(at: place) else { return place }
            place += length
        }
        return waiting.count
    }

    /// Follows where frames begin; the bytes are still there.
    private mutating func followFrames(_ count: Int) {
        var place = untilFrame
        while place < count, let length = frame(at: place) { place += length }
        untilFrame = max(0, place - count)
    }

    /// The length of the frame that begins there; nil while that is not known.
    private func frame(at place: Int) -> Int? {
        guard waiting.count >= place + 4 else { return nil }
        return 4 + waiting[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
}
