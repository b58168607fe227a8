/// The frames of a call that were encoded last, once for all receivers, end to end in one log.
///
/// A receiver is a cursor: the bytes that take it from its position to the end are one slice of the log, whatever the
/// number of frames in it, and handing them over costs nothing per frame. The log belongs to one epoch.
struct FrameRing {
    private struct Frame {
        /// seq that the frame ends at.
        var end: UInt64
        /// Where it begins in the log.
        var offset: Int
    }

    /// The log; what is before the first frame is spent.
    private(set) var bytes: [UInt8] = []
    private var frames: [Frame] = []
    /// The first frame that still counts.
    private var first = 0
    /// seq from which the first frame leads.
    private(set) var start: UInt64
    /// seq that the log leads to.
    private(set) var end: UInt64

    /// An empty log at `seq`.
    init(at seq: UInt64) {
        start = seq
        end = seq
    }

    /// Whether there are no frames.
    var isEmpty: Bool { first == frames.count }

    /// The bytes of the frames that count.
    var count: Int { isEmpty ? 0 : bytes.count - frames[first].offset }

    /// Forgets every frame and goes on at `seq`; owns no memory afterwards.
    mutating func reset(to seq: UInt64) {
        self = FrameRing(at: seq)
    }

    /// Adds the frame that `encode` appends and that leads from ``end`` to `seq`, and forgets the oldest ones while
    /// there are more than `capacity` bytes, but none that leads above `told`: nobody was given a chance to take it
    /// yet.
    ///
    /// A frame longer than `longest` is not kept: the log is empty then.
    mutating func append(
        to seq: UInt64,
        capacity: Int,
        keeping told: UInt64,
        longest: Int,
        _ encode: (inout [UInt8]) -> Void
    ) {
        let offset = bytes.count
        encode(&bytes)
        guard bytes.count - offset <= longest else { return reset(to: seq) }
        frames.append(Frame(end: seq, offset: offset))
        end = seq
        while count > capacity, frames.count - first > 1, frames[first].end <= told {
            start = frames[first].end
            first += 1
        }
        compact(capacity)
    }

    /// The bytes that take a cursor at `seq` to ``end``; nil when the log does not reach back so far.
    ///
    /// A cursor inside of a frame gets the whole frame: every field in it is absolute.
    func range(from seq: UInt64) -> Range<Int>? {
        guard seq >= start, seq <= end else { return nil }
        if seq == end { return bytes.count..<bytes.count }
        // The last frame is what nearly everybody needs.
        if frames.count - first == 1 || frames[frames.count - 2].end <= seq {
            return frames[frames.count - 1].offset..<bytes.count
        }
        return frames[place(of: seq)].offset..<bytes.count
    }

    /// How many frames take a cursor at `seq` to ``end``; 0 also when the log does not reach back so far.
    func frames(from seq: UInt64) -> Int {
        guard seq >= start, seq < end else { return 0 }
        return frames.count - place(of: seq)
    }

    /// The first frame that ends above `seq`, which is below ``end``.
    private func place(of seq: UInt64) -> Int {
        var low = first
        var high = frames.count - 1
        while low < high {
            let middle = (low + high) / 2
            if frames[middle].end > seq { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Gives spent bytes back once they are as many as the log may hold: one move for as many bytes.
    private mutating func compact(_ capacity: Int) {
        let spent = frames[first].offset
        guard spent > capacity || (first > 1_024 && first * 2 > frames.count) else { return }
        bytes.removeSubrange(..<spent)
        frames.removeSubrange(..<first)
        first = 0
        for index in frames.indices { frames[index].offset -= spent }
    }
}
