/// What happened in a run: a hash of all of it, and its last lines when somebody wants to read them.
struct Trace {
    /// Lines that are kept.
    static let kept = 4_000

    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    let isRecorded: Bool
    private var lines: [String] = []
    private var first = 0

    init(isRecorded: Bool) { self.isRecorded = isRecorded }

    /// Counts a number in.
    mutating func mix(_ number: UInt64) {
        hash = (hash ^ number) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 29
    }

    /// Counts bytes in.
    mutating func mix(_ bytes: Span<UInt8>) {
        mix(UInt64(bytes.count))
        var word: UInt64 = 0
        for index in bytes.indices {
            word = word << 8 | UInt64(bytes[index])
            if index & 7 == 7 {
                mix(word)
                word = 0
            }
        }
        mix(word)
    }

    /// Adds a line; worth making only when ``isRecorded``.
    mutating func note(_ line: String) {
        lines.append(line)
        if lines.count > 2 * Self.kept { lines.removeFirst(Self.kept) }
    }

    /// The last lines, oldest first.
    var tail: [String] { Array(lines.suffix(Self.kept)) }
}
