/// Bytes that wait for the system to take them: appended at the end, taken from the front.
///
/// Its memory follows what waits: what was taken is given back once it is the larger part, also when the buffer is
/// never empty.
struct OutputBuffer: Sendable {
    private var bytes: [UInt8] = []
    private var taken = 0

    /// The number of bytes that wait.
    var count: Int { bytes.count - taken }
    /// Whether none wait.
    var isEmpty: Bool { taken == bytes.count }
    /// The bytes that wait.
    var waiting: ArraySlice<UInt8> { bytes[taken...] }
    /// The bytes that are held, those that were taken included.
    var heldCount: Int { bytes.count }

    /// Adds bytes at the end.
    mutating func append(_ more: [UInt8]) {
        if bytes.isEmpty { bytes = more } else { bytes += more }
    }

    /// The first `count` bytes have been taken.
    ///
    /// O(1) for each byte, spread over many.
    mutating func take(_ count: Int) {
        taken += count
        if taken == bytes.count {
            // An idle connection keeps no memory for what a busy moment needed.
            if bytes.capacity > 4_096 { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
            taken = 0
        } else if taken >= 4_096, taken * 2 >= bytes.count {
            bytes.removeSubrange(..<taken)
            taken = 0
        }
    }
}
