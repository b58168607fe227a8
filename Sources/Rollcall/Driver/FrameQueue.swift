import RollcallProtocol

/// Frames that wait for somebody to receive them, in order.
///
/// A frame's memory is given back as soon as it is taken, also when the queue is never empty.
struct FrameQueue: Sendable {
    private var frames: [(frame: ServerFrame, size: Int)] = []
    private var first = 0
    /// The bytes of the frames that wait.
    private(set) var bytes = 0

    /// Whether none wait.
    var isEmpty: Bool { first == frames.count }
    /// The number of frames that wait.
    var count: Int { frames.count - first }
    /// The places that are held, those of frames that were taken included.
    var heldCount: Int { frames.count }

    /// Adds a frame of `size` bytes.
    mutating func append(_ frame: ServerFrame, size: Int) {
        frames.append((frame, size))
        bytes += size
    }

    /// Takes the first frame; nil when none waits.
    ///
    /// O(1), spread over many.
    mutating func takeFirst() -> ServerFrame? {
        guard first < frames.count else { return nil }
        let (frame, size) = frames[first]
        frames[first].frame = .unknown(0)
        first += 1
        bytes -= size
        if first == frames.count {
            frames.removeAll(keepingCapacity: frames.capacity <= 64)
            first = 0
        } else if first >= 32, first * 2 >= frames.count {
            frames.removeSubrange(..<first)
            first = 0
        }
        return frame
    }
}
