/// Bytes on their way in one direction.
struct Pipe {
    private(set) var bytes: [UInt8] = []
    private(set) var start = 0

    var count: Int { bytes.count - start }
    var isEmpty: Bool { bytes.count == start }

    mutating func append(_ more: Span<UInt8>) { bytes.add(more) }

    mutating func append(_ more: [UInt8]) { bytes += more }

    /// Takes so many bytes from the front away.
    mutating func drop(_ count: Int) {
        start += count
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 4_096)
            start = 0
        } else if start > 4_096 {
            bytes.removeSubrange(..<start)
            start = 0
        }
    }

    mutating func removeAll() {
        bytes = []
        start = 0
    }

    /// Moves so many bytes to the end of another pipe.
    mutating func move(_ count: Int, to other: inout Pipe) {
        other.bytes += bytes[start..<start + count]
        drop(count)
    }

    /// The length of the frame at the front; nil when there is none, or only a part of it.
    var frontFrame: Int? {
        guard count >= 4 else { return nil }
        let body = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        return count >= 4 + body ? 4 + body : nil
    }

    /// What the frame at the front has in it: the number of its body; nil when there is no whole frame.
    var frontKind: Int? {
        guard let length = frontFrame, length > 4 else { return nil }
        return Int(bytes[start + 4] >> 3)
    }

    /// Removes the frame at the front.
    mutating func dropFrame() {
        if let length = frontFrame { drop(length) }
    }
}

extension [UInt8] {
    /// Appends the bytes of a span.
    mutating func add(_ bytes: Span<UInt8>) {
        for index in bytes.indices { append(bytes[index]) }
    }
}
